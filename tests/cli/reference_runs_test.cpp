// Compares whole runs with tests/golden/runs.json: the same runs by an independent program in PyTorch, in double
// precision and with multiplied masks. The units must be equal; losses and correct predictions may differ by rounding.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/cli/train_command.hpp"

namespace {

using nlohmann::json;

const json& reference() {
  static const json all = json_in(GOLDEN_FOLDER "/runs.json");
  return all;
}

// Allowed differences between single and double precision, on processors that sum in different orders. With ReLU,
// rounding can change the side of the kink on which a pre-activation is, so the tolerance is larger.
struct Tolerance {
  double loss, correct;
};
Tolerance tolerance(const json& config) {
  return config.contains("activation") ? Tolerance{5e-4, 5} : Tolerance{2e-3, 40};
}

class ReferenceRuns : public TrainCommand, public testing::WithParamInterface<std::string> {
 protected:
  const json& stored() const {
    for (const auto& entry : reference().at("cases"))
      if (entry.at("name") == GetParam()) return entry;
    throw std::logic_error("no such case");
  }

  std::filesystem::path trained() const {
    std::string arguments = "--quiet";
    for (const auto& [key, value] : stored().at("config").items()) {
      std::string flag = key;
      std::replace(flag.begin(), flag.end(), '_', '-');
      arguments += " --" + flag + " " + value.get<std::string>();
    }
    return finished(arguments, "run");
  }
};

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : reference().at("cases")) result.push_back(entry.at("name"));
  return result;
}

std::string name_of_case(const testing::TestParamInfo<std::string>& info) { return info.param; }

// Applies the events of a run to its initial masks and compares the active units after every event.
void expect_same_units(const json& run, const std::vector<json>& history) {
  std::vector<std::set<int>> active;
  for (const auto& units : run.at("first_active")) active.emplace_back(units.begin(), units.end());
  std::size_t found = 0;
  for (const auto& event : run.at("events"))
    for (const auto& line : history) {
      if (line.at("seed") != run.at("seed") || line.at("event") != event.at("event")) continue;
      EXPECT_EQ(line.at("step"), event.at("step"));
      const auto layer = static_cast<std::size_t>(line.at("layer").get<std::string>().back() - '1');
      for (const int unit : line.at("units"))
        if (!active[layer].erase(unit)) active[layer].insert(unit);
      EXPECT_EQ(json(active[layer]), event.at("active").at(layer))
          << "seed " << run.at("seed") << ", event " << event.at("event") << ", layer " << layer + 1;
      ++found;
    }
  EXPECT_EQ(found, run.at("events").size() * active.size());
}

void expect_same_accuracies(const json& run, std::size_t replica, const std::vector<json>& metrics, Tolerance allowed) {
  for (const char* phase : {"cycles", "ticket"}) {
    std::size_t epoch = 0;
    for (const auto& line : metrics) {
      if (line.at("phase") != phase) continue;
      const auto where = fmt::format("seed {}, {} epoch {}", run.at("seed").dump(), phase, epoch + 1);
      const auto& expected = run.at(phase);
      const auto near = [&](const char* key, const char* stored, double scale, double difference) {
        EXPECT_NEAR(line.at(key).at(replica).get<double>() * scale, expected.at(stored).at(epoch), difference)
            << where << ", " << key;
      };
      near("train_loss", "train_loss", 1, allowed.loss);
      near("test_loss", "test_loss", 1, allowed.loss);
      near("train_accuracy", "train_correct", 60'000, allowed.correct);
      near("test_accuracy", "test_correct", 10'000, allowed.correct);
      ++epoch;
    }
    EXPECT_EQ(epoch, run.contains(phase) ? run.at(phase).at("test_correct").size() : 0) << phase;
  }
}

void expect_same_cohorts(const json& run, const json& config, const std::vector<CsvRow>& rows) {
  for (const auto& expected : run.at("diagnostics")) {
    // The file calls the last age "end".
    if (expected.at("time") == "age" && expected.at("age").dump() == config.at("epochs_per_cycle")) continue;
    const auto where = run.at("seed").dump() + " " + expected.dump();
    std::size_t found = 0;
    for (const auto& row : rows) {
      if (row.at("seed") != run.at("seed").dump() || row.at("event") != expected.at("event").dump() ||
          row.at("layer") != fmt::format("fc{}", expected.at("layer").get<int>() + 1) ||
          row.at("time_point") != expected.at("time") || row.at("cohort") != expected.at("cohort") ||
          std::stod(row.at("age_epochs")) != expected.at("age").get<double>())
        continue;
      ++found;
      EXPECT_EQ(row.at("size"), expected.at("units").dump()) << where;
      EXPECT_NEAR(std::stod(row.at("activation_mean")), expected.at("activation"), 1e-3) << where;
      EXPECT_NEAR(std::stod(row.at("activation_mean_8")), expected.at("activation_of_8"), 1e-3) << where;
      const double gradient = expected.at("gradient"), of_8 = expected.at("gradient_of_8");
      EXPECT_NEAR(std::stod(row.at("gradient_mean")), gradient, 1e-3 * gradient) << where;
      EXPECT_NEAR(std::stod(row.at("gradient_mean_8")), of_8, 1e-3 * of_8) << where;
    }
    EXPECT_EQ(found, 1u) << where;
  }
}

TEST_P(ReferenceRuns, HaveTheUnitsAccuraciesAndCohortsOfTheReference) {
  const auto folder = trained();
  const auto metrics = lines_of(folder / "metrics.jsonl");
  std::vector<json> history;
  if (std::filesystem::exists(folder / "events.jsonl")) history = lines_of(folder / "events.jsonl");
  const auto& config = stored().at("config");
  std::size_t replica = 0;
  for (const auto& run : stored().at("runs")) {
    expect_same_units(run, history);
    expect_same_accuracies(run, replica++, metrics, tolerance(config));
    if (run.contains("diagnostics")) expect_same_cohorts(run, config, table_of(folder / "cohorts.csv"));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceRuns, testing::ValuesIn(names()), name_of_case);

}  // namespace
