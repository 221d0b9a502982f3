// The study's experiments and claims. Cells get the results that the study prints in one table: then the values that it
// prints in other tables must follow, and the claims must hold or not as the study's own values have it.

#include "lab/study/study.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/error.hpp"
#include "lab/study/claims.hpp"
#include "lab/study/comparison.hpp"
#include "tests/lab/study/made_results.hpp"

using namespace cambium;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// The name in result.json of a measure of a printed table. A DENSE run is its own ticket.
std::string name_in_result(std::string measure, const RunConfig& config) {
  const auto kind = config.stream().kind;
  const bool iid = kind == StreamEntry::Kind::iid;
  if (measure == "taa") return iid ? "taa_cycles" : "taa_tasks";
  if (measure == "ticket.taa") measure = iid ? "ticket.taa_epochs" : "ticket.taa_tasks";
  if (measure == "average") return kind == StreamEntry::Kind::shifting ? "taoa" : "taa_tasks";
  if (!config.edits() && measure.starts_with("ticket.")) return measure.substr(7);
  return measure;
}

class StudyTest : public MadeFolder {
 protected:
  // Gives every cell of a table the values that the table prints for it.
  void make_table(const std::string& name) {
    const auto experiment = study_experiment(name, Scale::full);
    const auto table = *read_table(experiment);
    for (const std::size_t place : experiment.compared()) {
      const Cell& cell = experiment.cells[place];
      MadeMeasures measures;
      for (const auto& row : table.rows)
        for (std::size_t i = 0; i < table.measures.size(); ++i)
          if (row.numbers[i] && Finding{.keys = keys_of(cell.config)}.has(row.keys)) {
            const auto [value, half_width] = *row.numbers[i];
            measures[name_in_result(table.measures[i], cell.config)] = {
                value / 100, std::isnan(half_width) ? 0.001 : half_width / 100};
          }
      // If a key is selected, all candidates have equal results, and the first is the best.
      for (const std::size_t candidate : cell.candidates)
        make_result(folder, experiment.cells[candidate].name, experiment.cells[candidate].config, measures);
      make_result(folder, cell_name(cell.config), cell.config, measures);
    }
  }

  Ruling ruling(int number) {
    return check(claims()[static_cast<std::size_t>(number - 1)], Study(folder, Scale::full));
  }
  // The claims, of the given ones, that hold.
  std::set<int> holding(const std::vector<int>& numbers) {
    std::set<int> result;
    for (const int number : numbers) {
      const auto made = ruling(number);
      EXPECT_NE(made.verdict, Ruling::Verdict::not_enough) << number << ": " << made.evidence;
      if (made.verdict == Ruling::Verdict::holds) result.insert(number);
    }
    return result;
  }
};

}  // namespace

TEST(Study, HasEveryTableAndFigure) {
  const auto names = study_names();
  const std::set<std::string> all(names.begin(), names.end());
  for (const int table : {1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14})
    EXPECT_TRUE(all.contains(fmt::format("table-{}", table))) << table;
  for (int figure = 1; figure <= 17; ++figure) EXPECT_TRUE(all.contains(fmt::format("figure-{}", figure))) << figure;
  EXPECT_EQ(names.front(), "table-1");
  EXPECT_LT(std::find(names.begin(), names.end(), "table-9"), std::find(names.begin(), names.end(), "table-10"));
  for (const auto& name : names)
    for (const auto scale : {Scale::full, Scale::quick}) {
      const auto experiment = study_experiment(name, scale);
      EXPECT_FALSE(experiment.cells.empty()) << name;
      EXPECT_NO_THROW(read_table(experiment)) << name;
    }
}

TEST(Study, AnUnknownNameIsAnErrorWithTheNearestName) {
  EXPECT_THAT([] { study_experiment("tabel-4", Scale::full); },
              testing::ThrowsMessage<InputError>(HasSubstr("Did you mean table-4?")));
}

TEST(Study, EveryRowOfAPrintedTableHasItsCells) {
  for (const auto& name : study_names()) {
    const auto experiment = study_experiment(name, Scale::full);
    const auto table = read_table(experiment);
    if (!table || table->welch) continue;
    std::vector<Finding> all;
    for (const std::size_t place : experiment.compared())
      all.push_back({.keys = keys_of(experiment.cells[place].config)});
    for (const auto& row : table->rows)
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Finding& each) { return each.has(row.keys); }))
          << name << " " << testing::PrintToString(row.keys);
  }
}

TEST(Study, ClaimsAreNumberedAndShownWithATableOrFigure) {
  ASSERT_EQ(claims().size(), 51u);
  for (std::size_t i = 0; i < 51; ++i) {
    EXPECT_EQ(claims()[i].number, static_cast<int>(i) + 1);
    ASSERT_FALSE(claims()[i].shown_with.empty());
    for (const auto& name : claims()[i].shown_with) EXPECT_TRUE(in_study(name)) << name;
  }
}

TEST_F(StudyTest, WithoutRunsNoClaimIsDecided) {
  for (const auto& claim : claims()) {
    const auto made = check(claim, Study(folder, Scale::full));
    EXPECT_EQ(made.verdict, Ruling::Verdict::not_enough) << claim.number;
    EXPECT_THAT(made.evidence, HasSubstr("is not done")) << claim.number;
  }
}

// The p-values are printed in other tables than the means and intervals from which they follow.
TEST_F(StudyTest, PrintedPValuesFollowFromPrintedMeansAndIntervals) {
  make_table("table-4");
  make_table("table-10");
  const Study study(folder, Scale::full);
  for (const auto& [name, values] :
       {std::pair("table-5", 24u), std::pair("table-6", 24u), std::pair("table-11", 24u), std::pair("table-12", 24u)}) {
    const auto comparison = compare(*read_table(study_experiment(name, Scale::full)), study.of(name));
    EXPECT_EQ(comparison.numbers.size(), values) << name;
    for (const auto& number : comparison.numbers) {
      // The means and intervals are printed with three digits.
      EXPECT_NEAR(number.ours.mean, number.printed.value, 0.02) << name << " " << number.measure;
      EXPECT_EQ(number.verdict, ComparedNumber::Verdict::agrees) << name;
    }
  }
}

TEST_F(StudyTest, TableOneIsTheMeanOfTableThree) {
  make_table("table-3");
  const Study study(folder, Scale::full);
  const auto comparison = compare(*read_table(study_experiment("table-1", Scale::full)), study.of("table-1"));
  EXPECT_EQ(comparison.numbers.size(), 24u);
  for (const auto& number : comparison.numbers) EXPECT_NEAR(number.difference, 0, 0.011) << number.measure;
}

TEST_F(StudyTest, ClaimsAboutSmallNetworksFollowFromTheirTable) {
  make_table("table-3");
  EXPECT_THAT(holding({1, 2, 3, 4, 5, 7}), ElementsAre(1, 2, 3, 4, 5, 7));
  EXPECT_EQ(ruling(6).verdict, Ruling::Verdict::not_enough);
}

TEST_F(StudyTest, ClaimsAboutCifarFollowFromTheirTables) {
  make_table("table-4");
  make_table("table-10");
  // Claim 17 is not supported by the tables.
  EXPECT_THAT(holding({8, 9, 10, 11, 12, 13, 14, 15, 16, 17}), ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 16));
  EXPECT_THAT(holding({30, 31, 32, 33, 34}), ElementsAre(30, 31, 32, 33, 34));
}

TEST_F(StudyTest, ClaimsAboutAllocationFollowFromTheirTable) {
  make_table("table-9");
  EXPECT_THAT(holding({26, 27}), ElementsAre(26, 27));
}

TEST_F(StudyTest, ClaimsAboutStreamsFollowFromTheirTable) {
  make_table("table-14");
  // The table contradicts claims 47 and 51. Claim 49 is about DENSE's early values, which are not comparable.
  EXPECT_THAT(holding({38, 42, 43, 44, 45, 46, 47, 48, 50, 51}), ElementsAre(38, 42, 43, 44, 45, 46, 48, 50));
}
