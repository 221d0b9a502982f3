// TensorBoard event files: the curves of metrics.jsonl, one folder per seed.
//
//   RUN/tensorboard/seed-1/events.out.tfevents.cambium      cycles/test_accuracy, ticket/train_loss, cycles/active_1,
//   ...
//
// They are written from metrics.jsonl when a run starts or resumes, then extended at every period.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/epoch_table.hpp"

namespace cambium {

// A record of an event file. The first record contains the version of the format, all others one value each.
std::string tensorboard_version_record(double wall_time);
std::string tensorboard_record(double wall_time, std::int64_t step, std::string_view tag, float value);

class TensorBoard {
 public:
  // `run`: the folder of a run. Throws EnvironmentError if a file cannot be written.
  TensorBoard(const std::filesystem::path& run, const std::vector<std::uint32_t>& seeds);

  // Adds a point for every value that is finite.
  void add(const EpochRecord& record);

 private:
  struct File {
    std::filesystem::path name;
    std::ofstream stream;
  };
  std::vector<File> files_;  // one per seed
};

}  // namespace cambium
