// Event files that TensorBoard reads: what metrics.jsonl has, as curves, a folder per seed.
//
//   RUN/tensorboard/seed-1/events.out.tfevents.cambium      cycles/test_accuracy, ticket/train_loss, cycles/active_1,
//   ...
//
// They are made of metrics.jsonl: what it has when a run starts or goes on, then every new line.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace cambium {

// One record of such a file: the first of all names its version, the others hold one value each.
std::string tensorboard_version_record(double wall_time);
std::string tensorboard_record(double wall_time, std::int64_t step, std::string_view tag, float value);

class TensorBoard {
 public:
  // In the folder of a run. Throws EnvironmentError if the files cannot be written.
  TensorBoard(const std::filesystem::path& run, const std::vector<std::uint32_t>& seeds);

  // A line of metrics.jsonl. What is no number there has no point.
  void add(const std::string& line);

 private:
  struct File {
    std::filesystem::path name;
    std::ofstream stream;
  };
  std::vector<File> files_;  // one per seed
};

}  // namespace cambium
