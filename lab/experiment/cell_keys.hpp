// Names of cells for people and filters: the keys of their configurations as text, and `variant`, the method with its
// interventions.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/experiment.hpp"

namespace cambium {

// `variant` and the keys that have an effect, with values as in a TOML file.
using CellKeys = std::map<std::string, std::string>;
CellKeys keys_of(const RunConfig& config);

// The value of a key; none if the key has no effect. `data` is another name of `stream`.
std::optional<std::string> value_of(const CellKeys& keys, const std::string& key);

// The keys in which the cells of an experiment differ: stream, variant, compactness, then the others of its file.
std::vector<std::string> distinguishing_keys(const Experiment& experiment, const std::vector<CellKeys>& cells);

}  // namespace cambium
