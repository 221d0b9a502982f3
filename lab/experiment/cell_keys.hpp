// What cells are called by: the keys of their configurations as text, and `variant`, the method with all that is
// special.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/experiment.hpp"

namespace cambium {

// Keys that have an effect; as a TOML file has them.
using CellKeys = std::map<std::string, std::string>;
CellKeys keys_of(const RunConfig& config);

// The value of one key; nothing where it has no effect. `json`: the configuration as that.
std::optional<std::string> value_of(const RunConfig& config, const nlohmann::ordered_json& json,
                                    const std::string& key);

// Keys whose values tell cells of an experiment apart: stream, variant, compactness, and what else its file gives.
std::vector<std::string> telling_keys(const Experiment& experiment, const std::vector<CellKeys>& cells);

}  // namespace cambium
