// Claims about newborns, interventions and time, on generated diagnostics: a claim holds if the diagnostics are as in
// the study's figures, and fails if the quantity that it is about is changed.

#include <gmock/gmock.h>

#include "lab/results/cohort_table.hpp"
#include "lab/study/claims.hpp"
#include "tests/lab/study/made_results.hpp"

using namespace cambium;

namespace {

using Verdict = Ruling::Verdict;

class MechanismTest : public MadeFolder {
 protected:
  // Gives every cell of an experiment the measures that `made` returns for its keys.
  template <class F>
  void make_cells(const std::string& name, F made) {
    const auto experiment = study_experiment(name, Scale::full);
    for (const std::size_t place : experiment.compared()) {
      const Cell& cell = experiment.cells[place];
      const MadeMeasures measures = made(Finding{.keys = keys_of(cell.config)});
      for (const std::size_t candidate : cell.candidates)
        make_result(folder, experiment.cells[candidate].name, experiment.cells[candidate].config, measures);
      make_result(folder, cell_name(cell.config), cell.config, measures);
    }
  }

  // Writes the parities of its events: `value(keys, quantity, event, age)`, NaN for a missing value; age -1 stands for
  // the time point of the event itself.
  template <class F>
  void make_parities(const std::string& name, std::int32_t ages, F value) {
    const auto experiment = study_experiment(name, Scale::full);
    for (const std::size_t place : experiment.compared()) {
      const auto& config = experiment.cells[place].config;
      if (!config.edits()) continue;
      const Finding cell{.keys = keys_of(config)};
      std::string text = parity_header();
      const bool grow = config.method == Method::grow;
      for (const auto seed : config.seeds)
        for (std::int32_t event = 1; event < config.cycles; ++event)
          for (const auto* quantity : {"activation_log_parity", "gradient_log_parity", "activation_ratio",
                                       "gradient_ratio", "survivor_stability"})
            for (std::int32_t age = -1; age <= ages; ++age) {
              if (age == 0) continue;
              const bool after = std::string(quantity) == "survivor_stability";
              const auto point = age > 0 ? TimePoint::age : grow || after ? TimePoint::post : TimePoint::exit;
              text += format(columns_of(config),
                             ParityRow{.seed = seed,
                                       .event = event,
                                       .layer = "all",
                                       .quantity = quantity,
                                       .moment = {.point = point,
                                                  .age_steps = static_cast<std::int64_t>(age > 0 ? 391 * age : 0),
                                                  .age_epochs = static_cast<double>(age > 0 ? age : 0)},
                                       .value = value(cell, std::string(quantity), event, age)});
            }
      std::ofstream(folder.cell(cell_name(config)) / "parities.csv") << text;
    }
  }

  Verdict verdict(int number) const {
    const auto ruling = check(claims()[static_cast<std::size_t>(number - 1)], Study(folder, Scale::full));
    last_evidence = ruling.evidence;
    return ruling.verdict;
  }
  mutable std::string last_evidence;
};

double level_of(const Finding& cell) { return std::stod(cell.key("compactness")); }

// Values as in figures 2, 3, 6 and 8.
double as_in_the_figures(const Finding& cell, const std::string& quantity, std::int32_t event, std::int32_t age) {
  const bool grow = cell.key("method") == "grow";
  if (quantity == "activation_log_parity") return 0.8 - 0.1 * event;
  if (quantity == "gradient_log_parity") return grow ? -1.5 : 0.5;
  if (quantity == "survivor_stability") return -0.1 * event;
  if (quantity == "activation_ratio") return 1.1;
  return 0.3 + 0.005 * age;
}

MadeMeasures parities_as_in_the_figures(const Finding& cell) {
  if (cell.key("method") == "dense") return {{"accuracy", {0.5, 0.01}}};
  const bool grow = cell.key("method") == "grow";
  return {{"accuracy", {0.5, 0.01}},
          {"parity.event_activation_log_parity", {0.4, 0.1}},
          {"parity.event_gradient_log_parity", {grow ? -1.5 : 0.5, 0.1}}};
}

}  // namespace

TEST_F(MechanismTest, ClaimsAboutNewbornsHoldForValuesAsInTheFigures) {
  make_cells("table-4", parities_as_in_the_figures);
  make_parities("table-4", 40, as_in_the_figures);
  for (const int number : {18, 19, 20, 21, 22, 23, 24})
    EXPECT_EQ(verdict(number), Verdict::holds) << number << ": " << last_evidence;
}

TEST_F(MechanismTest, AClaimAboutNewbornsFailsIfItsQuantityChanges) {
  make_cells("table-4", parities_as_in_the_figures);
  const auto changed = [&](int number, const std::string& method, const std::string& quantity, double wrong) {
    make_parities("table-4", 4,
                  [&](const Finding& cell, const std::string& name, std::int32_t event, std::int32_t age) {
                    return cell.key("method") == method && name == quantity && level_of(cell) == 0.4 && event == 3
                               ? wrong
                               : as_in_the_figures(cell, name, event == 4 ? 3 : event, age);
                  });
    return verdict(number);
  };
  EXPECT_EQ(changed(19, "grow", "gradient_log_parity", -0.4), Verdict::fails);
  EXPECT_EQ(changed(22, "grow", "gradient_ratio", 4), Verdict::fails);
  EXPECT_EQ(changed(22, "grow", "activation_ratio", 4), Verdict::fails);
  const auto reversed = [&](int number, const std::string& quantity) {
    make_parities("table-4", 4,
                  [&](const Finding& cell, const std::string& name, std::int32_t event, std::int32_t age) {
                    return as_in_the_figures(cell, name, name == quantity ? 5 - event : event, age);
                  });
    return verdict(number);
  };
  EXPECT_EQ(reversed(18, "activation_log_parity"), Verdict::fails);
  EXPECT_EQ(reversed(20, "activation_log_parity"), Verdict::fails);
  EXPECT_EQ(reversed(21, "survivor_stability"), Verdict::fails);
}

TEST_F(MechanismTest, OverlappingGradientParitiesFailTheClaimOfTwoClusters) {
  make_cells("table-4", [](const Finding& cell) {
    auto measures = parities_as_in_the_figures(cell);
    if (cell.key("variant") == "prune" && level_of(cell) == 0.5)
      measures["parity.event_gradient_log_parity"] = {0.05, 0.1};  // Some seeds are below zero.
    return measures;
  });
  EXPECT_EQ(verdict(23), Verdict::fails);
  EXPECT_EQ(verdict(24), Verdict::holds);
}

TEST_F(MechanismTest, RunsWithoutDiagnosticsDecideNoClaimAboutUnits) {
  make_cells("table-4", [](const Finding&) { return MadeMeasures{{"accuracy", {0.5, 0.01}}}; });
  EXPECT_EQ(verdict(18), Verdict::not_enough);
  EXPECT_THAT(last_evidence, testing::HasSubstr("no diagnostics"));
}

TEST_F(MechanismTest, TheClaimAboutTheGrowthScoreFailsForALargerDifference) {
  for (const double shift : {0.002, 0.004}) {
    make_cells("table-7", [&](const Finding& cell) {
      const double accuracy = 0.5 + (cell.key("grow_score") == "gradient" ? shift : 0);
      return MadeMeasures{{"accuracy", {accuracy, 0.01}},
                          {"taa_cycles", {0.5, 0.01}},
                          {"ticket.accuracy", {accuracy, 0.01}},
                          {"parity.event_gradient_log_parity", {-1, 0.1}}};
    });
    EXPECT_EQ(verdict(25), shift < 0.003 ? Verdict::holds : Verdict::fails) << last_evidence;
  }
}

TEST_F(MechanismTest, ClaimsAboutTheNumberOfCyclesFollowTaaAndTheRiseOfTheRatio) {
  const auto as_printed = [](const Finding& cell) {
    const double cycles = std::stod(cell.key("cycles"));
    return MadeMeasures{{"accuracy", {0.5, 0.01}}, {"taa_cycles", {0.5 - 0.001 * cycles, 0.01}}};
  };
  make_cells("figure-12", as_printed);
  make_parities("figure-12", 8, as_in_the_figures);
  EXPECT_EQ(verdict(28), Verdict::holds) << last_evidence;
  EXPECT_EQ(verdict(29), Verdict::holds) << last_evidence;
  make_cells("figure-12", [&](const Finding& cell) {
    auto measures = as_printed(cell);
    measures["accuracy"].mean = measures["taa_cycles"].mean;
    return measures;
  });
  EXPECT_EQ(verdict(28), Verdict::fails);
  // The ratio rises, but not at the end of the cycle.
  make_parities("figure-12", 8, [](const Finding& cell, const std::string& name, std::int32_t event, std::int32_t age) {
    return as_in_the_figures(cell, name, event, std::min(age, 4));
  });
  EXPECT_EQ(verdict(29), Verdict::fails);
}

TEST_F(MechanismTest, InterventionsAreRankedByParityAndTaa) {
  const std::map<std::string, double> rank{{"grow", 0},           {"grow+two_speed", 1},
                                           {"grow+net2wider", 2}, {"grow+moment_transplant", 3},
                                           {"grow+gradmax", 4},   {"grow+rsl", 5}};
  const auto make = [&](double sign, double ticket_noise) {
    make_cells("figure-4", [&](const Finding& cell) {
      const double place = rank.at(cell.key("variant")) + level_of(cell) / 10;
      return MadeMeasures{{"accuracy", {0.5, 0.01}},
                          {"taa_cycles", {0.4 + 0.01 * place, 0.01}},
                          {"ticket.accuracy", {0.5 + 0.01 * std::fmod(place, ticket_noise), 0.01}},
                          {"parity.early_gradient_log_parity_5", {sign * place, 0.1}},
                          {"parity.early_activation_log_parity_5", {std::floor(place / 2), 0.1}}};
    });
  };
  make(1, 3);
  for (const int number : {35, 36, 37}) EXPECT_EQ(verdict(number), Verdict::holds) << number << ": " << last_evidence;
  make(-1, 100);  // Parity goes down as TAA goes up; tickets go up.
  for (const int number : {35, 36, 37}) EXPECT_EQ(verdict(number), Verdict::fails) << number << ": " << last_evidence;
}

TEST_F(MechanismTest, ATwoSpeedSettingThatWinsEverywhereFailsTheClaim) {
  const auto make = [&](bool everywhere) {
    make_cells("claim-39", [&](const Finding& cell) {
      const bool wins = cell.key("two_speed_r") == "8" &&
                        cell.key("two_speed_steps") == (everywhere || level_of(cell) < 0.4 ? "782" : "3910");
      return MadeMeasures{{"taa_cycles", {wins ? 0.5 : 0.4, 0.01}}};
    });
  };
  make(false);
  EXPECT_EQ(verdict(39), Verdict::holds) << last_evidence;
  make(true);
  EXPECT_EQ(verdict(39), Verdict::fails);
}

TEST_F(MechanismTest, TheClaimAboutRslFailsIfTheGradientRatioIsAboveOne) {
  make_cells("figure-15", [](const Finding& cell) {
    const bool rsl = cell.key("activation") == "rsl";
    return MadeMeasures{{"parity.event_activation_log_parity", {rsl ? 0.4 : 0.2, 0.1}},
                        {"parity.event_gradient_log_parity", {-1, 0.1}}};
  });
  for (const double gain : {1.2, 5.0}) {
    make_parities("figure-15", 4,
                  [&](const Finding& cell, const std::string& name, std::int32_t event, std::int32_t age) {
                    return (cell.key("activation") == "rsl" ? gain : 1) * as_in_the_figures(cell, name, event, age);
                  });
    // A gradient ratio of 5 x 0.3 is above 1.
    EXPECT_EQ(verdict(40), gain < 2 ? Verdict::holds : Verdict::fails) << last_evidence;
  }
}

TEST_F(MechanismTest, TheClaimThatRslGainsMostWithGrowFailsIfItDoesNot) {
  for (const double of_grow : {0.2, 0.05}) {
    make_cells("figure-14", [&](const Finding& cell) {
      const bool rsl = cell.key("activation") == "rsl";
      const double average = 0.4 + (!rsl ? 0 : cell.key("method") == "grow" ? of_grow : 0.1);
      return MadeMeasures{{"accuracy", {average, 0.01}}, {"taoa", {average, 0.01}}, {"taa_tasks", {average, 0.01}}};
    });
    EXPECT_EQ(verdict(41), of_grow > 0.1 ? Verdict::holds : Verdict::fails) << last_evidence;
  }
}

TEST_F(MechanismTest, TheClaimAboutReplayFailsIfAccuracyIsAboveChance) {
  for (const double accuracy : {0.197, 0.4}) {
    make_cells("claim-6", [&](const Finding&) { return MadeMeasures{{"accuracy", {accuracy, 0.01}}}; });
    EXPECT_EQ(verdict(6), accuracy < 0.25 ? Verdict::holds : Verdict::fails);
  }
}
