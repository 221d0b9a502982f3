// Values of parities.csv by time point and by age.

#include "lab/results/parity_table.hpp"

#include <gmock/gmock.h>

#include "lab/results/cohort_table.hpp"

using namespace cambium;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

namespace {

const RunColumns columns{"id", "grow", "grow", "cifar-100", 0.2};
const std::vector<std::uint32_t> seeds{3, 1};

std::string line(const ParityRow& row) { return format(columns, row); }

ParityRow row(std::uint32_t seed, std::int32_t event, const std::string& quantity, const Moment& moment, double value) {
  return {seed, event, "all", quantity, 1, moment, value};
}

std::string example() {
  std::string text = parity_header();
  text += line(row(1, 1, "gradient_ratio", {TimePoint::post, 0, 0}, 0.25));
  text += line(row(1, 1, "gradient_ratio", {TimePoint::age, 10, 0.5}, 0.3));
  text += line(row(1, 1, "gradient_ratio", {TimePoint::age, 20, 1}, 0.5));
  text += line(row(1, 1, "gradient_ratio", {TimePoint::end, 40, 2}, 0.75));
  text += line(row(3, 1, "gradient_ratio", {TimePoint::post, 0, 0}, 0.125));
  text += line(row(3, 1, "gradient_ratio", {TimePoint::age, 20, 1}, missing));
  text += line(row(1, 2, "early_gradient_log_parity_5", {TimePoint::end, 40, 2}, -1.5));
  text += line({1, 1, "fc1", "gradient_ratio", 1, {TimePoint::post, 0, 0}, 77});
  text += line({1, 1, "all", "gradient_ratio", 8, {TimePoint::post, 0, 0}, 88});
  return text;
}

std::string refusal(const std::string& text) {
  try {
    ParityTable(text, "parities.csv", seeds);
  } catch (const InputError& wrong) {
    return wrong.what();
  }
  return "no error";
}

}  // namespace

TEST(ParityTable, ReturnsAValuePerSeedInTheOrderOfTheSeeds) {
  const ParityTable table(example(), "parities.csv", seeds);
  EXPECT_THAT(table.events(), ElementsAre(1, 2));
  EXPECT_THAT(table.values("gradient_ratio", TimePoint::post, 1), ElementsAre(0.125, 0.25));
  EXPECT_THAT(table.values("gradient_ratio", TimePoint::end, 1), ElementsAre(IsNan(), 0.75));
}

TEST(ParityTable, ReturnsAgesInWholeEpochsFromPostToEnd) {
  const ParityTable table(example(), "parities.csv", seeds);
  EXPECT_THAT(table.at_age("gradient_ratio", 0, 1), ElementsAre(0.125, 0.25));
  EXPECT_THAT(table.at_age("gradient_ratio", 1, 1), ElementsAre(IsNan(), 0.5));
  EXPECT_THAT(table.at_age("gradient_ratio", 2, 1), ElementsAre(IsNan(), 0.75));
  EXPECT_EQ(table.oldest(1), 2);
  EXPECT_EQ(table.oldest(7), 0);
}

TEST(ParityTable, ReturnsTheOnlyValueOfAnEvent) {
  const ParityTable table(example(), "parities.csv", seeds);
  EXPECT_THAT(table.last("early_gradient_log_parity_5", 2), ElementsAre(IsNan(), -1.5));
}

TEST(ParityTable, ReturnsTheAverageOverEightBatchesIfRequested) {
  const ParityTable table(example(), "parities.csv", seeds, 8);
  EXPECT_THAT(table.values("gradient_ratio", TimePoint::post, 1), ElementsAre(IsNan(), 88));
}

TEST(ParityTable, MissingValuesAreNaN) {
  const ParityTable table(example(), "parities.csv", seeds);
  EXPECT_THAT(table.values("no_such_thing", TimePoint::post, 1), ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(table.values("gradient_ratio", TimePoint::exit, 1), ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(table.at_age("gradient_ratio", 3, 1), ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(table.last("gradient_ratio", 9), ElementsAre(IsNan(), IsNan()));
}

TEST(ParityTable, RejectsDamagedLines) {
  const auto good = line(row(1, 1, "gradient_ratio", {TimePoint::post, 0, 0}, 0.25));
  const auto with = [&](std::string_view from, std::string_view to) {
    auto bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return refusal(parity_header() + bad);
  };
  EXPECT_EQ(refusal(parity_header() + good), "no error");
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("parities.csv:1: these are not the columns"));
  EXPECT_THAT(with("0.25", "high"), AllOf(HasSubstr("parities.csv:2:"), HasSubstr("column value cannot be 'high'")));
  EXPECT_THAT(with(",post,", ",then,"), HasSubstr("column time_point"));
  EXPECT_THAT(with(",1,1,all", ",2,1,all"), HasSubstr("column seed cannot be '2'"));
  EXPECT_THAT(with(",0.25", ""), HasSubstr("the line ends before the column value"));
  EXPECT_THAT(with("0.25", "0.25,1"), HasSubstr("after the last column"));
  EXPECT_THAT(with("\n", ""), HasSubstr("parities.csv:2: the line is cut short"));
  EXPECT_THAT(refusal(parity_header() + good + good), HasSubstr("appears twice"));
}
