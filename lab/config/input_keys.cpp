// Keys of the input of the networks, and of the seeds.

#include <algorithm>

#include "lab/config/key_types.hpp"
#include "lab/config/study_presets.hpp"

namespace cambium {
namespace {

// A range if the seeds are consecutive.
std::string to_text(const std::vector<std::uint32_t>& seeds) {
  const bool consecutive = seeds.size() > 1 && seeds.back() - seeds.front() == seeds.size() - 1 &&
                           std::is_sorted(seeds.begin(), seeds.end());
  return consecutive ? fmt::format("{}..{}", seeds.front(), seeds.back()) : fmt::format("{}", fmt::join(seeds, ","));
}

ConfigKey seeds_key() {
  ConfigKey key{.name = "seeds",
                .label = "seeds",
                .help = "Seeds: one network each, trained side by side",
                .default_value = always("1..10")};
  key.placeholder = "A..B|A,B,...";
  key.values = "whole numbers and ranges, separated by commas";
  key.set = [](RunConfig& config, const std::string& text) { config.seeds = parse_seeds(text); };
  key.get = [](const RunConfig& config) { return nlohmann::ordered_json(to_text(config.seeds)); };
  return key;
}

}  // namespace

std::vector<ConfigKey> input_keys() {
  return {choice<bool>(
              {.name = "pixels",
               .label = "pixels",
               .help = "Scale of the pixels: unit is [0, 1]; standardised is (x - mean) / std of each channel",
               .default_value = depends("standardised for photographs, else unit",
                                        [](const RunConfig& config) {
                                          return study_preset(config.curriculum.stream).standardised ? "standardised"
                                                                                                     : "unit";
                                        })},
              {{"unit", false}, {"standardised", true}}, [](auto& config) -> auto& { return config.standardised; }),
          yes_or_no(
              {.name = "augment",
               .label = "augmentation",
               .help = "Crop and flip training images at random",
               .default_value = depends("yes for cifar-10 and cifar-100, else no",
                                        [](const RunConfig& config) {
                                          return study_preset(config.curriculum.stream).augment ? "yes" : "no";
                                        })},
              [](auto& config) -> auto& { return config.augment; }),
          seeds_key()};
}

}  // namespace cambium
