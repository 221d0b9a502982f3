// Statistics against values of SciPy 1.17.

#include "lab/results/statistics.hpp"

#include <gmock/gmock.h>

#include <cmath>

using namespace cambium;
using testing::DoubleNear;
using testing::ElementsAre;

namespace {

const std::vector<double> first{52.1, 51.9, 52.6, 52.4, 51.8, 52.0, 52.9, 52.3, 52.2, 52.5};
const std::vector<double> second{47.2, 48.9, 47.5, 48.8, 46.9, 48.3, 47.1, 48.0, 49.0, 47.4};
const std::vector<double> third{52.0, 51.2, 53.1, 52.7};

void expect_near(double value, double expected) { EXPECT_NEAR(value, expected, 1e-12 * std::abs(expected)); }

}  // namespace

TEST(Statistics, IntervalsUseStudentsT) {
  const auto ten = estimate(first);
  EXPECT_EQ(ten.count, 10u);
  expect_near(ten.mean, 52.27);
  expect_near(ten.deviation, 0.34009802508492576);
  expect_near(ten.half_width, 0.24329147095148598);
  const auto four = estimate(third);
  expect_near(four.mean, 52.25);
  expect_near(four.half_width, 1.3281392301439725);
  expect_near(estimate(std::vector{1.0, 3.0}).half_width, 12.706204736174694);
}

TEST(Statistics, OneValueHasNoIntervalAndNoValuesHaveNoMean) {
  const auto one = estimate(std::vector{3.0});
  EXPECT_EQ(one.mean, 3.0);
  EXPECT_TRUE(std::isnan(one.half_width));
  EXPECT_TRUE(std::isnan(estimate({}).mean));
}

TEST(Statistics, WelchTestsAgreeWithSciPy) {
  const auto same_size = welch_test(estimate(first), estimate(second));
  expect_near(same_size.t, 15.896935408796086);
  expect_near(same_size.degrees, 12.166188341690685);
  EXPECT_NEAR(same_size.p, 1.662137028400314e-09, 1e-18);
  const auto other_sizes = welch_test(estimate(first), estimate(third));
  EXPECT_NEAR(other_sizes.t, 0.046407168295467385, 1e-12);
  expect_near(other_sizes.degrees, 3.4066919667830753);
  expect_near(other_sizes.p, 0.965575155803904);
  expect_near(welch_test(estimate(third), estimate(second)).p, 0.00020841202155348385);
}

// The study's Table 5, GROW against PRUNE at 40 % with ten seeds: the printed p-value follows from the printed
// intervals.
TEST(Statistics, WelchTestOfPrintedIntervalsGivesThePrintedPValue) {
  const auto printed = [](double mean, double half_width) {
    return Estimate{10, mean, half_width * std::sqrt(10.0) / 2.262157,
                    half_width};  // Student's t, 9 degrees of freedom
  };
  EXPECT_NEAR(welch_test(printed(50.791, 0.338), printed(51.205, 0.415)).p, 0.0980, 0.0005);
}

TEST(Statistics, ConstantSamplesHaveAPValueOfZeroOrOne) {
  const auto one = estimate(std::vector{1.0, 1.0}), same = estimate(std::vector{1.0, 1.0, 1.0}),
             other = estimate(std::vector{2.0, 2.0});
  EXPECT_EQ(welch_test(one, same).p, 1.0);
  EXPECT_EQ(welch_test(one, other).p, 0.0);
  EXPECT_TRUE(std::isnan(welch_test(one, estimate(std::vector{2.0})).p));
}

TEST(Statistics, RankCorrelationUsesAverageRanksForTies) {
  const std::vector<double> x{0.1, 0.4, 0.2, 0.2, 0.9, 0.5, 0.3}, y{3, 1, 4, 4, 5, 9, 2};
  EXPECT_THAT(average_ranks(x), ElementsAre(1.0, 5.0, 2.5, 2.5, 7.0, 6.0, 4.0));
  expect_near(spearman(x, y), 0.38181818181818183);
  expect_near(spearman(first, second), -0.13939393939393938);
  EXPECT_TRUE(std::isnan(spearman(x, std::vector<double>(7, 1.0))));
  EXPECT_EQ(spearman(x, x), 1.0);
}
