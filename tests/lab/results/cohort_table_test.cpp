#include "lab/results/cohort_table.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace cambium {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const RunColumns run{"mnist-grow-1", "grow", "two_speed", "iid", 0.2};

// Every measurement has a different value that needs all its digits.
CohortRow full_row() {
  CohortRow row{.seed = 4000000000u,
                .event = 3,
                .layer = "fc2",
                .moment = {TimePoint::age, 50, 50.0 / 391},
                .cohort = Cohort::incumbent,
                .size = 51};
  double next = 1.0 / 3;
  for (auto value :
       {&CohortRow::activation_mean, &CohortRow::activation_sd, &CohortRow::gradient_mean, &CohortRow::gradient_sd,
        &CohortRow::activation_mean_8, &CohortRow::activation_sd_8, &CohortRow::gradient_mean_8,
        &CohortRow::gradient_sd_8, &CohortRow::output_mean, &CohortRow::incoming_norm, &CohortRow::outgoing_norm,
        &CohortRow::incoming_gradient_norm, &CohortRow::outgoing_gradient_norm, &CohortRow::incoming_displacement,
        &CohortRow::outgoing_displacement, &CohortRow::loss, &CohortRow::logit_distance})
    row.*value = next = -next * 1.7;
  row.gradient_mean = 1.2345678901234567e-30;
  row.batch = 3;
  return row;
}

std::string refusal(const std::string& text) {
  try {
    parse_cohorts(text, "cohorts.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CohortTable, HasTheDocumentedColumns) {
  EXPECT_EQ(cohort_header(),
            "run,method,variant,stream,compactness,seed,event,layer,time_point,age_steps,age_epochs,cohort,size,"
            "activation_mean,activation_sd,gradient_mean,gradient_sd,activation_mean_8,activation_sd_8,"
            "gradient_mean_8,gradient_sd_8,output_mean,incoming_norm,outgoing_norm,incoming_gradient_norm,"
            "outgoing_gradient_norm,incoming_displacement,outgoing_displacement,loss,logit_distance,batch\n");
}

TEST(CohortTable, WritesShortNumbersAndEmptyFieldsForMissingValues) {
  const CohortRow row{.seed = 7,
                      .event = 1,
                      .layer = "fc1",
                      .moment = {TimePoint::post_mask, 0, 0},
                      .cohort = Cohort::kept,
                      .size = 1,
                      .activation_mean = 0.1,
                      .gradient_mean = 2,
                      .loss = 1e-9,
                      .batch = 1};
  EXPECT_EQ(format(run, row),
            "mnist-grow-1,grow,two_speed,iid,0.2,7,1,fc1,post_mask,0,0,kept,1,0.1,,2,,,,,,,,,,,,,1e-09,,1\n");
}

TEST(CohortTable, ReadsBackWhatItWrote) {
  const auto row = full_row();
  const auto records = parse_cohorts(cohort_header() + format(run, row) + format({}, row), "cohorts.csv");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].run, run);
  EXPECT_EQ(records[1].run, RunColumns{});
  const auto& read = records[0].row;
  EXPECT_EQ(read.seed, row.seed);
  EXPECT_EQ(read.event, row.event);
  EXPECT_EQ(read.layer, row.layer);
  EXPECT_EQ(read.moment, row.moment);
  EXPECT_EQ(read.cohort, row.cohort);
  EXPECT_EQ(read.size, row.size);
  EXPECT_EQ(read.activation_mean, row.activation_mean);
  EXPECT_EQ(read.gradient_mean, row.gradient_mean);
  EXPECT_EQ(read.gradient_sd_8, row.gradient_sd_8);
  EXPECT_EQ(read.outgoing_displacement, row.outgoing_displacement);
  EXPECT_EQ(read.logit_distance, row.logit_distance);
  EXPECT_EQ(read.batch, row.batch);
  EXPECT_EQ(format(run, read), format(run, row)) << "all the others";
}

TEST(CohortTable, ReadsMissingValuesAsMissing) {
  auto row = full_row();
  row.activation_sd = row.logit_distance = missing;
  const auto read = parse_cohorts(cohort_header() + format(run, row), "cohorts.csv")[0].row;
  EXPECT_TRUE(std::isnan(read.activation_sd));
  EXPECT_TRUE(std::isnan(read.logit_distance));
  EXPECT_FALSE(std::isnan(read.loss));
}

TEST(CohortTable, OfNoRowsIsEmpty) { EXPECT_TRUE(parse_cohorts(cohort_header(), "cohorts.csv").empty()); }

TEST(CohortTable, RejectsOtherColumns) {
  EXPECT_THAT(refusal("run,seed\n"), AllOf(HasSubstr("cohorts.csv:1:"), HasSubstr("activation_mean")));
}

TEST(CohortTable, RejectsALineThatIsCutShort) {
  const auto line = format(run, full_row());
  EXPECT_THAT(refusal(cohort_header() + line + line.substr(0, line.size() - 1)), HasSubstr("cohorts.csv:3: the line"));
}

TEST(CohortTable, RejectsTooFewAndTooManyFields) {
  EXPECT_THAT(refusal(cohort_header() + "a,grow,,iid,0.2,1\n"),
              HasSubstr("cohorts.csv:2: the line ends before the column event"));
  auto line = format(run, full_row());
  line.insert(line.size() - 1, ",9");
  EXPECT_THAT(refusal(cohort_header() + line), HasSubstr("the line has '9' after the last column"));
}

TEST(CohortTable, RejectsTextInNumberColumnsAndUnknownNames) {
  const auto with = [](std::string_view from, std::string_view to) {
    auto line = format(run, full_row());
    line.replace(line.find(from), from.size(), to);
    return refusal(cohort_header() + line);
  };
  EXPECT_THAT(with(",51,", ",51x,"), AllOf(HasSubstr("column size"), HasSubstr("'51x'")));
  EXPECT_THAT(with(",51,", ",,"), HasSubstr("column size"));
  EXPECT_THAT(with(",51,", ",0x33,"), HasSubstr("column size"));
  EXPECT_THAT(with("incumbent", "none"), AllOf(HasSubstr("column cohort"), HasSubstr("'none'")));
  EXPECT_THAT(with(",age,", ",later,"), HasSubstr("column time_point"));
}

TEST(CohortTable, RejectsANameThatWouldBreakTheTable) {
  EXPECT_THROW(format({.run = "a,b"}, full_row()), std::logic_error);
}

TEST(ParityTable, IsInLongForm) {
  EXPECT_EQ(parity_header(),
            "run,method,variant,stream,compactness,seed,event,layer,quantity,batches,time_point,age_steps,age_epochs,"
            "value\n");
  const ParityRow row{7, 2, "all", "gradient_log_parity", 8, {TimePoint::end, 15640, 40}, -1.5};
  EXPECT_EQ(format(run, row), "mnist-grow-1,grow,two_speed,iid,0.2,7,2,all,gradient_log_parity,8,end,15640,40,-1.5\n");
}

TEST(ParityTable, LeavesMissingValuesEmpty) {
  const ParityRow row{7, 2, "fc1", "activation_ratio", 1, {TimePoint::post, 0, 0}, missing};
  EXPECT_THAT(format(run, row), testing::EndsWith("activation_ratio,1,post,0,0,\n"));
}

}  // namespace
}  // namespace cambium
