// Generates result.json of cells: seeds with a given mean and 95 % interval of every measure.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "lab/experiment/sweep_folder.hpp"
#include "lab/results/statistics.hpp"

namespace cambium {

struct MadeEstimate {
  double mean = 0, half_width = 0;  // in the unit of the file
};
// By the names of result.json, with the prefixes ticket. and gain. for its parts and parity. for its diagnostics.
using MadeMeasures = std::map<std::string, MadeEstimate>;

inline std::vector<double> made_values(const MadeEstimate& wanted, std::size_t seeds) {
  std::vector<double> values;
  for (std::size_t i = 0; i < seeds; ++i)
    values.push_back(static_cast<double>(i) - 0.5 * static_cast<double>(seeds - 1));
  const double unscaled = estimate(values).half_width;
  for (auto& value : values) value = wanted.mean + value * wanted.half_width / unscaled;
  return values;
}

inline void make_result(const SweepFolder& folder, const std::string& name, const RunConfig& config,
                        const MadeMeasures& measures) {
  nlohmann::ordered_json json{{"config", to_json(config)}}, diagnostics;
  const std::size_t seeds = config.seeds.size();
  for (const auto seed : config.seeds) diagnostics.push_back({{"seed", seed}, {"batches", 1}});
  for (const auto& [measure, wanted] : measures) {
    const auto values = made_values(wanted, seeds);
    const auto dot = measure.find('.');
    const auto part = measure.substr(0, dot), rest = measure.substr(dot + 1);
    const nlohmann::ordered_json entry{{"mean", wanted.mean}, {"seeds", values}};
    if (dot == std::string::npos)
      json[measure] = entry;
    else if (part == "ticket")
      json["ticket"][rest] = entry;
    else if (part == "gain")
      json["ticket_minus_cycles"][rest] = entry;
    else
      for (std::size_t i = 0; i < seeds; ++i) diagnostics[i][rest] = values[i];
  }
  json["diagnostics"] = diagnostics;
  std::filesystem::create_directories(folder.cell(name));
  std::ofstream(folder.cell(name) / "result.json") << json;
}

// A sweep's folder that is deleted after the test.
class MadeFolder : public testing::Test {
 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      fmt::format("cambium-{}-{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());

 protected:
  ~MadeFolder() override { std::filesystem::remove_all(path_); }

  const SweepFolder folder{path_};
};

}  // namespace cambium
