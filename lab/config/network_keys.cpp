// Keys of the stream, the network and the method.

#include "base/text.hpp"
#include "lab/config/key_types.hpp"
#include "lab/config/study_presets.hpp"
#include "layers/architecture.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> whole_data_sets() {
  std::vector<std::string> names;
  for (const auto& entry : streams())
    if (entry.kind == StreamEntry::Kind::iid) names.push_back(entry.name);
  return names;
}

void replace_data(ConfigText& given) {
  if (given.contains("stream"))
    throw_input_error("stream and data are both given; data is a stream of one task. Leave one of them out");
  check_choice("data", given.at("data"), whole_data_sets());
  given["stream"] = given.at("data");
  given.erase("data");
}

ConfigKey stream_key() {
  ConfigKey key{.name = "stream",
                .label = "stream",
                .help = "What to learn. `cambium streams` describes each stream",
                .default_value = {"none; the key is required", [](const RunConfig&) -> std::string {
                                    throw_input_error("stream is missing: give --stream with one of {}",
                                                      fmt::join(stream_names(), ", "));
                                  }}};
  key.placeholder = "NAME";
  key.values = fmt::format("one of {}", fmt::join(stream_names(), ", "));
  key.set = [](RunConfig& config, const std::string& text) {
    check_choice("stream", text, stream_names());
    config.curriculum.stream = text;
    config.curriculum.task_images = config.stream().task_images;
  };
  key.get = [](const RunConfig& config) { return Json(config.curriculum.stream); };
  return key;
}

ConfigKey data_key() {
  ConfigKey key{.name = "data",
                .label = "data set",
                .help = "A whole data set as the stream; the same as stream with that name",
                .default_value = {"none", {}}};
  key.placeholder = "NAME";
  key.values = fmt::format("one of {}", fmt::join(whole_data_sets(), ", "));
  key.replace = replace_data;
  return key;
}

ConfigKey hidden_key() {
  ConfigKey key{.name = "hidden",
                .label = "hidden widths",
                .unit = "units",
                .help = "Widths of the hidden layers: one for all layers, or one for each",
                .default_value = depends("256 (mlp); 512,512,256 (convnet)", [](const RunConfig& config) {
                  const auto widths = make_architecture(config.network, {32, 32, 3}, 10).hidden;
                  return fmt::format("{}", fmt::join(widths, ","));
                })};
  key.placeholder = "N[,N...]";
  key.values = "whole numbers from 1 to 65536, separated by commas";
  key.set = [](RunConfig& config, const std::string& text) {
    std::vector<std::int32_t> widths;
    for (const auto& part : split(text))
      if (!parse_number(part, widths.emplace_back()))
        throw_input_error("hidden = {}: write one width, or one for each hidden layer: 512,512,256", text);
    // The check of the widths does not depend on the image.
    config.hidden = make_architecture(config.network, {32, 32, 3}, 10, widths).hidden;
  };
  key.get = [](const RunConfig& config) { return Json(config.hidden); };
  return key;
}

// An edit is due after the first cycle at the earliest, unless the first edit comes before it.
void check_edit_count(const RunConfig& config) {
  if (!config.edits() || config.events().count() > 0) return;
  throw_input_error(
      "method = {}: a run of one cycle has no edit. Use two or more cycles, or first_edit = before_first_cycle",
      name_of(config.method));
}

ConfigKey masks_key() {
  ConfigKey key{.name = "masks",
                .label = "masks",
                .help =
                    "Active hidden units: all; a random subset whose size follows from compactness; or those of a "
                    "checkpoint",
                .default_value = always("all"),
                .condition = {"with method = dense", [](const RunConfig& config) { return !config.edits(); }}};
  key.placeholder = "all|random|FILE";
  key.values = "all, random or the name of a file";
  key.set = [](RunConfig& config, const std::string& text) {
    try {
      static_cast<void>(Json(text).dump());
    } catch (const nlohmann::json::type_error&) {
      throw_input_error("masks = {}: the name of a file must be valid UTF-8", text);
    }
    if (text.find('\x7f') != std::string::npos)
      throw_input_error("masks = {}: the name of a file must not contain the control character 0x7f", text);
    config.masks = text;
  };
  key.get = [](const RunConfig& config) { return Json(config.masks); };
  return key;
}

}  // namespace

std::vector<ConfigKey> network_keys() {
  return {data_key(),
          stream_key(),
          choice(
              {.name = "network",
               .label = "network",
               .help = "Network architecture",
               .default_value =
                   depends("mlp for streams of MNIST and Fashion-MNIST, else convnet",
                           [](const RunConfig& config) { return study_preset(config.curriculum.stream).network; })},
              network_names(), [](auto& config) -> auto& { return config.network; }),
          hidden_key(),
          choice<Method>(
              {.name = "method",
               .label = "method",
               .help = "How the structure changes between cycles: dense keeps it, grow adds units, prune "
                       "removes units",
               .default_value = always("dense"),
               .check = check_edit_count},
              {{"dense", Method::dense}, {"grow", Method::grow}, {"prune", Method::prune}},
              [](auto& config) -> auto& { return config.method; }),
          masks_key()};
}

}  // namespace cambium
