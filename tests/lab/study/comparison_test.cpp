// The comparison of printed values with results.

#include "lab/study/comparison.hpp"

#include <gmock/gmock.h>

#include "tests/lab/study/made_results.hpp"

using namespace cambium;
using testing::HasSubstr;
using Verdict = ComparedNumber::Verdict;

namespace {

Experiment parse(const std::string& printed, const std::string& test = "") {
  const std::string cells = R"(
[all]
stream = "fashion-mnist"
[[cells]]
method = "dense"
[[cells]]
method = ["grow", "prune"]
compactness = [0.2, 0.5]
[table]
)";
  return parse_experiment(cells + test + "printed = \"\"\"\n" + printed + "\"\"\"\n", "test.toml", "test", Scale::full,
                          [](const std::string&) { return ""; });
}

class ComparisonTest : public MadeFolder {
 protected:
  // DENSE has 50 %, GROW 60 at 0.2 and 80 at 0.5, PRUNE 70 and 90.
  Comparison compared(const Experiment& experiment, std::size_t cells = 5) {
    for (std::size_t i = 0; i < cells; ++i)
      make_result(folder, experiment.cells[i].name, experiment.cells[i].config,
                  {{"accuracy", {0.5 + 0.1 * static_cast<double>(i), 0.03}}});
    return compare(*read_table(experiment), {experiment, folder});
  }
};

}  // namespace

TEST_F(ComparisonTest, ANumberAgreesWithinTheJointInterval) {
  const auto comparison = compared(
      parse("method | compactness | accuracy\ndense | | 54.9 ± 4\ngrow | 0.2 | 54.9 ± 4\ngrow | 0.5 | 66 ± 2\n"));
  ASSERT_EQ(comparison.numbers.size(), 3u);
  EXPECT_NEAR(comparison.numbers[0].ours.mean, 50, 1e-9);
  EXPECT_NEAR(comparison.numbers[0].ours.half_width, 3, 1e-9);
  EXPECT_NEAR(comparison.numbers[0].joint, 5, 1e-9);
  EXPECT_NEAR(comparison.numbers[0].difference, -4.9, 1e-9);
  EXPECT_EQ(comparison.numbers[0].verdict, Verdict::agrees);
  EXPECT_EQ(comparison.numbers[1].verdict, Verdict::differs);
  EXPECT_EQ(comparison.numbers[2].verdict, Verdict::differs);
  EXPECT_EQ(summary(comparison), "1 of 3 within the joint interval, 2 not");
}

TEST_F(ComparisonTest, WithoutAPrintedIntervalOursIsUsedForBoth) {
  const auto comparison = compared(parse("method | accuracy\ndense | 54.2\n"));
  EXPECT_NEAR(comparison.numbers[0].joint, 3 * std::sqrt(2), 1e-9);
  EXPECT_EQ(comparison.numbers[0].verdict, Verdict::agrees);
}

TEST_F(ComparisonTest, ARowWithFewerKeysIsTheMeanOfTheMatchingCells) {
  const auto comparison = compared(parse("method | accuracy\ngrow | 70 ± 1\n"));
  EXPECT_NEAR(comparison.numbers[0].ours.mean, 70, 1e-9);  // of 60 and 80
  EXPECT_EQ(comparison.numbers[0].verdict, Verdict::agrees);
}

TEST_F(ComparisonTest, MissingRunsAreReported) {
  // One of GROW's two cells is done.
  const auto comparison = compared(parse("method | accuracy\ndense | 50\ngrow | 65\nprune | 1\n"), 2);
  EXPECT_EQ(comparison.numbers[0].verdict, Verdict::agrees);
  EXPECT_EQ(comparison.numbers[1].verdict, Verdict::missing);
  EXPECT_EQ(comparison.numbers[2].verdict, Verdict::missing);
  EXPECT_THAT(to_text(comparison), HasSubstr("not enough runs: GROW is not done"));
  EXPECT_THAT(to_csv(comparison), HasSubstr("grow,accuracy,65,,,,0,,,not enough runs\n"));
  EXPECT_EQ(summary(comparison), "1 of 3 within the joint interval, 0 not; not enough runs for 2");
}

TEST_F(ComparisonTest, PValuesAgreeOnTheSameSideOfFivePercent) {
  // All are ± 3.
  const auto comparison =
      compared(parse("first | second | compactness | accuracy\ngrow | dense | 0.2 | 0.0\n"
                     "grow | dense | 0.2 | 0.06\ngrow | prune | 0.2 | 0.04\n",
                     "test = \"welch\"\n"));
  EXPECT_LT(comparison.numbers[0].ours.mean, 0.05);
  EXPECT_EQ(comparison.numbers[0].verdict, Verdict::agrees);
  EXPECT_EQ(comparison.numbers[1].verdict, Verdict::differs);
  EXPECT_EQ(comparison.numbers[2].verdict, Verdict::agrees);
  EXPECT_EQ(summary(comparison), "2 of 3 on the same side of 0.05, 1 not");
}
