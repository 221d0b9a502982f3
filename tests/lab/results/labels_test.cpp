// What people call things.

#include "lab/results/labels.hpp"

#include <gmock/gmock.h>

#include <set>

#include "lab/run/result.hpp"
#include "plasticity/parity.hpp"

using namespace cambium;

TEST(Words, AreThereForEveryParityThatAResultSumsUp) {
  const auto json = to_json(std::vector<ParitySummary>{{}});
  for (const auto& [name, value] : json.at(0).items()) {
    if (name == "seed" || name == "batches") continue;
    EXPECT_NE(find_shown(measures_shown(), "parity." + name), nullptr) << name;
  }
}

TEST(Words, AreThereForEveryQuantityOfEvents) {
  std::vector<CohortRow> rows;
  const auto add = [&](std::int32_t event, Cohort cohort, const Moment& moment) {
    rows.push_back({.seed = 1,
                    .event = event,
                    .layer = "fc1",
                    .moment = moment,
                    .cohort = cohort,
                    .size = 3,
                    .activation_mean = 0.5,
                    .gradient_mean = 0.5,
                    .activation_mean_8 = 0.5,
                    .gradient_mean_8 = 0.5,
                    .loss = 1,
                    .logit_distance = 1});
  };
  for (const auto point : {TimePoint::exit, TimePoint::post_mask, TimePoint::post, TimePoint::age, TimePoint::end}) {
    const Moment moment{point, point == TimePoint::age ? 10 : 20, point == TimePoint::age ? 1.0 : 2.0};
    for (const auto cohort : {Cohort::newborn, Cohort::incumbent}) add(1, cohort, moment);
    for (const auto cohort : {Cohort::kept, Cohort::pruned}) add(2, cohort, moment);
  }
  std::set<std::string> quantities;
  for (const auto& row : parities(rows).rows) quantities.insert(row.quantity);
  EXPECT_GE(quantities.size(), 20u);
  for (const auto& name : quantities) EXPECT_NE(find_shown(quantities_shown(), name), nullptr) << name;
}

TEST(Words, NameMethodsAsTheStudyDoes) {
  EXPECT_EQ(words_for_value("variant", "grow+two_speed+rsl"), "GROW + Two-Speed + RSL");
  EXPECT_EQ(words_for_value("compactness", "0.2"), "20 %");
  EXPECT_EQ(words_for_pair("compactness", "0.35"), "compactness 35 %");
  EXPECT_EQ(words_for_pair("cycles", "10"), "10 cycles");
  EXPECT_EQ(words_for_pair("lr", "0.1"), "learning rate 0.1");
  EXPECT_EQ(words_for_pair("method", "grow"), "GROW");
}

TEST(Colours, OfTheStudysMethodsAreFixedAndDiffer) {
  std::set<std::string> colours;
  const std::vector<std::string> variants{"dense",          "grow",        "prune",
                                          "grow+two_speed", "grow+rsl",    "grow+moment_transplant",
                                          "grow+net2wider", "grow+gradmax"};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto colour = colour_for("variant", variants[i], i, variants.size(), false);
    EXPECT_EQ(colour, colour_for("variant", variants[i], 0, 1, true));
    colours.insert(colour);
  }
  EXPECT_EQ(colours.size(), variants.size());
}
