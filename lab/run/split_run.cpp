#include "lab/run/split_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "lab/results/safetensors.hpp"
#include "lab/run/merged_run.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

constexpr std::string_view prefix = "parts-";

// The number of parts that the run was begun in; 0 when it was not.
std::size_t parts_begun(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    std::size_t count = 0;
    if (entry.is_directory() && name.starts_with(prefix) && parse_number(name.substr(prefix.size()), count) &&
        count > 0)
      return count;
  }
  return 0;
}

std::filesystem::path parts_folder(const RunFolder& folder, std::size_t count) {
  return folder.path() / fmt::format("{}{}", prefix, count);
}

// Shares of the seeds that differ by at most one.
std::vector<RunPart> divide(const RunConfig& config, const std::filesystem::path& folder, std::size_t count) {
  std::vector<RunPart> parts;
  const std::size_t seeds = config.seeds.size();
  for (std::size_t i = 0; i < count; ++i) {
    RunPart part{folder / std::to_string(i), config};
    part.config.seeds.assign(config.seeds.begin() + static_cast<std::ptrdiff_t>(i * seeds / count),
                             config.seeds.begin() + static_cast<std::ptrdiff_t>((i + 1) * seeds / count));
    parts.push_back(std::move(part));
  }
  return parts;
}

// A file of masks with one network per seed has no place for a share of them.
void check_masks(const RunConfig& config) {
  if (config.edits() || config.masks == "all" || config.masks == "random") return;
  const auto file = TensorFile::read(config.masks);
  for (const auto& [name, tensor] : file.tensors)
    if (name.starts_with("mask.") && !tensor.shape.empty() && tensor.shape[0] != 1)
      throw_input_error("{}: it has masks of {} networks, one per seed; such a run needs one device", config.masks,
                        tensor.shape[0]);
}

}  // namespace

bool has_parts(const RunFolder& folder) { return parts_begun(folder.path()) > 0; }

void remove_parts(const RunFolder& folder) {
  if (const auto count = parts_begun(folder.path()); count > 0)
    std::filesystem::remove_all(parts_folder(folder, count));
}

RunEnd train_in_parts(const std::vector<std::unique_ptr<Device>>& devices, const RunConfig& config, const DataSet& data,
                      RunFolder& folder, const RunOptions& options) {
  check_masks(config);
  const std::size_t begun = parts_begun(folder.path());
  const std::size_t count = begun > 0 ? begun : std::min(devices.size(), config.seeds.size());
  const std::size_t threads = std::min(devices.size(), count);
  if (threads < devices.size())
    spdlog::info("{} devices are not used: the seeds are divided into {} parts", devices.size() - threads, count);
  folder.begin(config);
  make_folder(parts_folder(folder, count));
  const auto parts = divide(config, parts_folder(folder, count), count);

  const InterruptWatch watch;
  std::vector<std::exception_ptr> errors(threads);
  std::vector<RunEnd> ends(threads, RunEnd::done);
  const auto work = [&](std::size_t thread) {
    auto own_options = options;
    own_options.quiet = options.quiet || thread > 0;  // One progress bar, of the first device.
    own_options.tensorboard = false;
    try {
      for (std::size_t i = thread; i < count && ends[thread] == RunEnd::done; i += threads) {
        RunFolder part(parts[i].folder, parts[i].config);
        if (!std::filesystem::exists(part.result()))
          ends[thread] = train(*devices[thread], parts[i].config, data, part, own_options);
      }
    } catch (...) {
      errors[thread] = std::current_exception();
      InterruptWatch::interrupt();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (auto& other : others) other.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
  if (std::find(ends.begin(), ends.end(), RunEnd::interrupted) != ends.end()) return RunEnd::interrupted;
  merge_parts(folder, config, parts);
  remove_parts(folder);
  return RunEnd::done;
}

}  // namespace cambium
