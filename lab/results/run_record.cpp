#include "lab/results/run_record.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

namespace cambium {
namespace {

RunConfig read_folder_config(const std::filesystem::path& folder) {
  const auto file = folder / "config.toml";
  if (!std::filesystem::exists(file)) throw_input_error("{}: this folder has no run (no config.toml)", folder.string());
  const auto keys = read_config(file);
  try {
    return make_config(keys);
  } catch (const InputError& wrong) {
    throw_input_error("{}: not the configuration of a run: {}", file.string(), wrong.what());
  }
}

std::optional<FinalAccuracy> read_accuracy(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  std::ifstream stream(file);
  try {
    const auto result = nlohmann::json::parse(stream);
    const auto mean = [](const nlohmann::json& of) { return of.at("accuracy").at("mean").get<double>(); };
    FinalAccuracy accuracy{.cycles = mean(result)};
    if (result.contains("ticket")) accuracy.ticket = mean(result.at("ticket"));
    return accuracy;
  } catch (const nlohmann::json::exception&) {
    throw_input_error("{}: this is not the result of a run; the file is damaged", file.string());
  }
}

}  // namespace

std::int32_t RunRecord::periods_of_cycles() const {
  if (accuracy || (standing && standing->ticket)) return config.periods();
  // An unfinished run may have recorded edits after its last checkpoint.
  const std::int32_t known = standing ? standing->period : 0;
  return history.edits() == 0 ? known : std::max(known, history.line(history.edits() - 1, 0, 0).epoch);
}

std::size_t RunRecord::seed_index(std::uint32_t seed) const {
  const auto found = std::find(config.seeds.begin(), config.seeds.end(), seed);
  if (found == config.seeds.end())
    throw_input_error("--seed {}: this run has seeds {}", seed, to_json(config).at("seeds").get<std::string>());
  return static_cast<std::size_t>(found - config.seeds.begin());
}

std::pair<std::size_t, std::int32_t> RunRecord::layer_and_unit(const std::string& text) const {
  const std::size_t colon = text.find(':');
  std::int32_t unit = 0;
  const char* const end = text.data() + text.size();
  const bool parsed = colon != std::string::npos && [&] {
    const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, unit);
    return error == std::errc() && stopped == end;
  }();
  if (!parsed) throw_input_error("--unit {}: write layer and unit number, such as fc1:59", text);
  std::vector<std::string> layers;
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
    const auto name = architecture.hidden_name(layer);
    layers.push_back(fmt::format("{} has units 0 to {}", name, architecture.hidden[layer] - 1));
    if (name != text.substr(0, colon)) continue;
    if (unit < 0 || unit >= architecture.hidden[layer]) throw_input_error("--unit {}: {}", text, layers.back());
    return {layer, unit};
  }
  throw_input_error("--unit {}: unknown hidden layer {}; {}", text, text.substr(0, colon), fmt::join(layers, ", "));
}

RunRecord read_run(const std::filesystem::path& folder) {
  auto config = read_folder_config(folder);
  const auto architecture = architecture_of(config);
  // The history is read last, so that during a run it is not older than the checkpoint.
  std::optional<TensorFile> checkpoint;
  std::optional<ProgressSnapshot> standing;
  const auto accuracy = read_accuracy(folder / "result.json");
  if (const auto file = folder / "checkpoint.safetensors"; std::filesystem::exists(file)) {
    checkpoint = TensorFile::read(file);
    standing = read_progress_snapshot(*checkpoint, config);
  }
  auto history = History::read(folder / "events.jsonl", config, architecture);
  if (standing && history.edits() < standing->events)
    throw_input_error("{}: it has {} edits, but the checkpoint has {}; lines are missing",
                      (folder / "events.jsonl").string(), history.edits(), standing->events);
  return {std::move(config), architecture, std::move(checkpoint), standing, accuracy, std::move(history)};
}

}  // namespace cambium
