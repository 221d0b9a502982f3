// The contents of a run folder: configuration, progress, result and structural history.
//
// Reading needs no lock on the folder, so it also works during the run. All files are checked; an InputError names the
// file that is damaged.
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
  std::optional<ProgressSnapshot> standing;  // of the checkpoint
  std::optional<FinalAccuracy> accuracy;     // of a finished run
  History history;

  // Finished periods of the cycles.
  std::int32_t periods_of_cycles() const;
  // The indices of what a user names. Throw InputError with the existing names.
  std::size_t seed_index(std::uint32_t seed) const;
  std::pair<std::size_t, std::int32_t> layer_and_unit(const std::string& text) const;  // "fc1:59"
};

RunRecord read_run(const std::filesystem::path& folder);

}  // namespace cambium
