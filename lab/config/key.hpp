// The schema of configuration keys. A key is declared once, in the *_keys.cpp file of its subject: name, type, range,
// default, condition, help and accessor. Flags, help, the TOML reader and writer, error messages and
// docs/configuration.md come from here.
//
// To add a key: one entry in a *_keys.cpp file, one example in tests/lab/config/config_test.cpp, and
// `cambium keys > docs/configuration.md`.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "lab/config/config.hpp"

namespace cambium {

// The default, as a flag would give it. It may depend on keys that come earlier.
struct KeyDefault {
  std::string words;  // in help and documentation
  std::function<std::string(const RunConfig&)> text;
};

// When a key has an effect. It may depend on keys that come earlier.
struct KeyCondition {
  std::string words = {};                            // completes "applies only ..."; empty: always
  std::function<bool(const RunConfig&)> holds = {};  // none: always
};

struct ConfigKey {
  std::string name;       // as in a TOML file; the flag has dashes for underscores
  std::string label;      // in table headings and on axes
  std::string unit = {};  // of the value; empty: none
  std::string help;       // what it does, without values, default and condition
  KeyDefault default_value;
  KeyCondition condition = {};
  // Checks the value against other keys once all keys have values. Throws InputError.
  std::function<void(const RunConfig&)> check = {};

  // The rest comes from the key's type (lab/config/key_types.hpp).
  std::string placeholder = {};  // in help: N, yes|no
  std::string values = {};       // type and range in words: "a whole number from 1 to 65536"
  bool yes_or_no = false;
  // Parses the text, checks the range and stores the value. Throws InputError that names the key.
  std::function<void(RunConfig&, const std::string& text)> set = {};
  std::function<nlohmann::ordered_json(const RunConfig&)> get = {};
  // A key that is a short form of others has no set and get; this function replaces it by the others.
  std::function<void(ConfigText& given)> replace = {};
  // The key depends on keys that come later, so it is read after all others.
  bool read_last = false;

  bool applies(const RunConfig& config) const { return !condition.holds || condition.holds(config); }
  std::string flag() const;  // "--lr-mode"
};

// All keys, in the order in which configurations are written.
std::span<const ConfigKey> config_keys();
// Null if there is no key of that name.
const ConfigKey* find_key(const std::string& name);
// Throws InputError for an unknown key, and names the nearest one; `where` says where the key stands.
void check_name(const std::string& key, const std::string& where);

// The keys as a page of documentation, docs/configuration.md.
std::string keys_as_markdown();

}  // namespace cambium
