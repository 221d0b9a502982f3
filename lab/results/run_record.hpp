// What the folder of a run tells: its configuration, where it stands, its result and its structural history.
//
// Read without taking the folder, so also while the run goes on. Nothing in it is trusted: whatever does not fit is an
// InputError that names the file.
#pragma once

#include <filesystem>
#include <optional>

#include "lab/config/config.hpp"
#include "lab/results/history.hpp"
#include "lab/results/progress_snapshot.hpp"

namespace cambium {

// Means over the seeds.
struct FinalAccuracy {
  double cycles = 0;
  std::optional<double> ticket;
};

struct RunRecord {
  RunConfig config;
  Architecture architecture;
  std::optional<TensorFile> checkpoint;
  std::optional<ProgressSnapshot> standing;  // that of the checkpoint
  std::optional<FinalAccuracy> accuracy;     // when the run is done
  History history;

  // Periods of the cycles that are known to be done.
  std::int32_t periods_of_cycles() const;
  // Numbers for what a user names; an InputError names what there is.
  std::size_t seed_index(std::uint32_t seed) const;
  std::pair<std::size_t, std::int32_t> layer_and_unit(const std::string& text) const;  // "fc1:59"
};

RunRecord read_run(const std::filesystem::path& folder);

}  // namespace cambium
