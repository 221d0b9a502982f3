#include "plasticity/quota.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plasticity/budget.hpp"

namespace cambium {
namespace {

using testing::ElementsAre;

// Active units before the first of the plan's events, and after each.
std::vector<std::int32_t> counts(const EventPlan& plan, std::int32_t start, std::int32_t target, std::int32_t width) {
  std::vector<std::int32_t> all;
  for (std::int32_t events = 0; events <= plan.count(); ++events)
    all.push_back(active_after(plan, start, target, width, events));
  return all;
}

struct Row {
  std::int32_t width, target;
  std::vector<std::int32_t> prune, grow;  // in cycles 1 to 5; GROW from a tenth of the units
};
const Row table[] = {{512, 102, {512, 409, 306, 204, 102}, {51, 64, 77, 90, 102}},
                     {256, 51, {256, 204, 153, 102, 51}, {26, 33, 39, 45, 51}},
                     {512, 154, {512, 422, 332, 243, 154}, {51, 77, 103, 129, 154}},
                     {256, 77, {256, 211, 166, 121, 77}, {26, 39, 52, 65, 77}},
                     {512, 205, {512, 435, 358, 281, 205}, {51, 90, 129, 167, 205}},
                     {256, 102, {256, 217, 178, 140, 102}, {26, 45, 64, 83, 102}},
                     {512, 256, {512, 448, 384, 320, 256}, {51, 103, 154, 205, 256}},
                     {256, 128, {256, 224, 192, 160, 128}, {26, 52, 78, 103, 128}}};

TEST(Quota, PruneHasTheCountsOfTheTable) {
  for (const auto& row : table)
    EXPECT_EQ(counts({Method::prune, 5}, row.width, row.target, row.width), row.prune)
        << row.width << " -> " << row.target;
}

TEST(Quota, GrowHasTheCountsOfTheTable) {
  for (const auto& row : table)
    EXPECT_EQ(counts({Method::grow, 5}, seed_units(row.width, row.target, 0.1), row.target, row.width), row.grow)
        << row.width << " -> " << row.target;
}

TEST(Quota, AnEditBeforeTheFirstCycleAddsOneEvent) {
  EXPECT_THAT(counts({Method::prune, 5, true}, 512, 102, 512), ElementsAre(512, 430, 348, 266, 184, 102));
  EXPECT_THAT(counts({Method::grow, 5, true}, 51, 102, 512), ElementsAre(51, 62, 72, 82, 92, 102));
}

TEST(Quota, EventsLieBetweenSegmentsUnlessOneComesFirst) {
  EXPECT_EQ((EventPlan{Method::grow, 5}.first()), 1);
  EXPECT_EQ((EventPlan{Method::grow, 5}.count()), 4);
  EXPECT_EQ((EventPlan{Method::prune, 5, true}.first()), 0);
  EXPECT_EQ((EventPlan{Method::prune, 5, true}.count()), 5);
  EXPECT_EQ((EventPlan{Method::grow, 1}.count()), 0);
}

TEST(Quota, DenseNetworksHaveNoEvents) {
  EXPECT_EQ((EventPlan{Method::dense, 5}.count()), 0);
  EXPECT_EQ((EventPlan{Method::dense, 5, true}.count()), 0);
}

// Calls body(plan for GROW, plan for PRUNE, width, target) for every budget of the study and many numbers of segments.
template <class Body>
void for_each_budget(Body&& body) {
  const Architecture architectures[] = {make_architecture("mlp", {28, 28, 1}, 10),
                                        make_architecture("convnet", {32, 32, 3}, 100)};
  for (const auto& architecture : architectures)
    for (const auto& schedule : bias_schedule_names()) {
      if (schedule != "neutral" && architecture.hidden.size() != 3) continue;
      for (const double compactness : {0.2, 0.3, 0.4, 0.5, 1.0}) {
        const auto targets =
            unit_targets(architecture, compactness, bias_schedule(schedule, architecture.hidden.size()));
        for (const std::int32_t segments : {2, 5, 10, 20, 500})
          for (const bool before_first : {false, true})
            for (std::size_t l = 0; l < targets.size(); ++l) {
              SCOPED_TRACE(testing::Message() << schedule << " " << compactness << " " << segments << " segments, "
                                              << (before_first ? "an edit first, " : "") << "layer " << l);
              body(EventPlan{Method::grow, segments, before_first}, EventPlan{Method::prune, segments, before_first},
                   architecture.hidden[l], targets[l]);
            }
      }
    }
}

TEST(Quota, GrowAndPruneEndAtTheTarget) {
  for_each_budget([](const EventPlan& grow, const EventPlan& prune, std::int32_t width, std::int32_t target) {
    EXPECT_EQ(counts(grow, seed_units(width, target, 0.1), target, width).back(), target);
    EXPECT_EQ(counts(prune, width, target, width).back(), target);
  });
}

TEST(Quota, CountsNeverMoveAwayFromTheTarget) {
  for_each_budget([](const EventPlan& grow, const EventPlan& prune, std::int32_t width, std::int32_t target) {
    const auto growing = counts(grow, seed_units(width, target, 0.1), target, width);
    EXPECT_TRUE(std::is_sorted(growing.begin(), growing.end()));
    const auto shrinking = counts(prune, width, target, width);
    EXPECT_TRUE(std::is_sorted(shrinking.rbegin(), shrinking.rend()));
  });
}

TEST(Quota, LongStreamsMoveOneUnitPerTaskAndThenIdle) {
  const auto growing = counts({Method::grow, 500}, 26, 51, 256), shrinking = counts({Method::prune, 500}, 256, 51, 256);
  ASSERT_EQ(growing.size(), 500u);
  for (std::int32_t events = 0; events < 500; ++events) {
    EXPECT_EQ(growing[static_cast<std::size_t>(events)], std::min(26 + events, 51));
    EXPECT_EQ(shrinking[static_cast<std::size_t>(events)], std::max(256 - events, 51));
  }
}

TEST(Quota, NothingIsDueAtOrBeyondTheTarget) {
  EXPECT_EQ(grow_count(51, 51, 256, 1, 5), 0);
  EXPECT_EQ(grow_count(60, 51, 256, 1, 5), 0);
  EXPECT_EQ(prune_count(51, 51, 1, 5), 0);
  EXPECT_EQ(prune_count(40, 51, 1, 5), 0);
}

TEST(Quota, TheLastEventReachesTheTarget) {
  for (const std::int32_t t : {4, 5, 6}) {  // also when it comes late
    EXPECT_EQ(grow_count(20, 51, 256, t, 5), 31) << t;
    EXPECT_EQ(prune_count(200, 51, t, 5), 149) << t;
  }
}

TEST(Quota, SharesAreRoundedUp) {
  EXPECT_EQ(grow_count(10, 21, 256, 1, 5), 3);
  EXPECT_EQ(grow_count(10, 22, 256, 1, 5), 3);
  EXPECT_EQ(grow_count(10, 23, 256, 1, 5), 4);
  EXPECT_EQ(prune_count(21, 10, 1, 5), 3);
  EXPECT_EQ(prune_count(22, 10, 1, 5), 3);
  EXPECT_EQ(prune_count(23, 10, 1, 5), 4);
}

TEST(Quota, CountsNeverExceedTheAvailableUnits) {
  EXPECT_EQ(grow_count(90, 120, 100, 4, 5), 10);
  EXPECT_EQ(grow_count(100, 100, 100, 4, 5), 0);
  EXPECT_EQ(prune_count(7, 0, 4, 5), 7);
}

TEST(SeedUnits, AreAShareOfTheWidthWithHalvesRoundedUp) {
  EXPECT_EQ(seed_units(512, 102, 0.1), 51);
  EXPECT_EQ(seed_units(256, 51, 0.1), 26);
  EXPECT_EQ(seed_units(25, 25, 0.1), 3);
  EXPECT_EQ(seed_units(24, 24, 0.1), 2);
}

// In whole numbers: round(percent * width / 100), halves up, though few shares are exact in binary.
TEST(SeedUnits, RoundHalvesUpForEveryShare) {
  for (std::int32_t width = 1; width <= 512; ++width)
    for (std::int32_t percent = 1; percent <= 100; ++percent)
      ASSERT_EQ(seed_units(width, width, percent / 100.0), std::max(1, (2 * percent * width + 100) / 200))
          << percent << "% of " << width;
}

TEST(SeedUnits, AreNotMoreThanTheTarget) {
  EXPECT_EQ(seed_units(256, 21, 0.1), 21);  // fc3 under FC1-Protect at 20 %
  EXPECT_EQ(seed_units(256, 51, 1.0), 51);
}

TEST(SeedUnits, AreAtLeastOne) {
  EXPECT_EQ(seed_units(4, 2, 0.1), 1);
  EXPECT_EQ(seed_units(512, 102, 1e-6), 1);
}

TEST(Methods, HaveTheNamesOfTheConfiguration) {
  EXPECT_EQ(name_of(Method::dense), "dense");
  EXPECT_EQ(name_of(Method::grow), "grow");
  EXPECT_EQ(name_of(Method::prune), "prune");
}

}  // namespace
}  // namespace cambium
