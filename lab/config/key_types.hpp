// The types of configuration keys. Each function completes a key with parsing, range check and access to its member:
//
//   number({.name = "tau", ...}, -1e6, 1e6, [](auto& config) -> auto& { return config.grow.tau; })
//
// The member function takes a RunConfig, const or not, and returns a reference to the value.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lab/config/key.hpp"

namespace cambium {

// The groups of keys, in the order of config_keys().
std::vector<ConfigKey> network_keys();
std::vector<ConfigKey> edit_keys();
std::vector<ConfigKey> rewind_keys();
std::vector<ConfigKey> activation_keys();
std::vector<ConfigKey> optimizer_keys();
std::vector<ConfigKey> length_keys();
std::vector<ConfigKey> input_keys();

// Defaults.
inline KeyDefault always(const std::string& text) {
  return {text, [text](const RunConfig&) { return text; }};
}
// `value` returns text or a number.
template <class Value>
KeyDefault depends(const std::string& words, Value value) {
  return {words, [value](const RunConfig& config) { return fmt::format("{}", value(config)); }};
}

// Throw InputError that names the key.
double checked_number(const std::string& key, const std::string& text, double lowest, double highest);
std::int64_t checked_count(const std::string& key, const std::string& text, std::int64_t highest);
bool checked_yes(const std::string& key, const std::string& text);
void check_choice(const std::string& key, const std::string& text, const std::vector<std::string>& choices);

// The shortest decimal number that is this float.
double decimal(float value);

// float or double
template <class Member>
ConfigKey number(ConfigKey key, double lowest, double highest, Member member) {
  if (key.placeholder.empty()) key.placeholder = "X";
  key.values = fmt::format("a number from {} to {}", lowest, highest);
  key.set = [name = key.name, lowest, highest, member](RunConfig& config, const std::string& text) {
    auto& value = member(config);
    value = static_cast<std::remove_reference_t<decltype(value)>>(checked_number(name, text, lowest, highest));
  };
  key.get = [member](const RunConfig& config) {
    const auto value = member(config);
    if constexpr (std::is_same_v<decltype(value), const float>)
      return nlohmann::ordered_json(decimal(value));
    else
      return nlohmann::ordered_json(value);
  };
  return key;
}

// The largest value of a count, which may depend on keys that come earlier.
struct Highest {
  Highest(std::int64_t number) : words(fmt::format("{}", number)), of([number](const RunConfig&) { return number; }) {}
  Highest(std::string said, std::function<std::int64_t(const RunConfig&)> function)
      : words(std::move(said)), of(std::move(function)) {}
  std::string words;
  std::function<std::int64_t(const RunConfig&)> of;
};

// Any integer type, from 1.
template <class Member>
ConfigKey count(ConfigKey key, const Highest& highest, Member member) {
  if (key.placeholder.empty()) key.placeholder = "N";
  key.values = fmt::format("a whole number from 1 to {}", highest.words);
  key.set = [name = key.name, highest, member](RunConfig& config, const std::string& text) {
    auto& value = member(config);
    value = static_cast<std::remove_reference_t<decltype(value)>>(checked_count(name, text, highest.of(config)));
  };
  key.get = [member](const RunConfig& config) { return nlohmann::ordered_json(member(config)); };
  return key;
}

template <class Member>
ConfigKey yes_or_no(ConfigKey key, Member member) {
  key.placeholder = "yes|no";
  key.values = "yes or no";
  key.yes_or_no = true;
  key.set = [name = key.name, member](RunConfig& config, const std::string& text) {
    member(config) = checked_yes(name, text);
  };
  key.get = [member](const RunConfig& config) { return nlohmann::ordered_json(member(config)); };
  return key;
}

// One of several names, each of which stands for a value.
template <class Value, class Member>
ConfigKey choice(ConfigKey key, const std::vector<std::pair<std::string, Value>>& choices, Member member) {
  std::vector<std::string> names;
  for (const auto& each : choices) names.push_back(each.first);
  if (key.placeholder.empty()) key.placeholder = fmt::format("{}", fmt::join(names, "|"));
  key.values = fmt::format("one of {}", fmt::join(names, ", "));
  key.set = [name = key.name, names, choices, member](RunConfig& config, const std::string& text) {
    check_choice(name, text, names);
    for (const auto& [each, value] : choices)
      if (each == text) member(config) = value;
  };
  key.get = [choices, member](const RunConfig& config) {
    for (const auto& [each, value] : choices)
      if (member(config) == value) return nlohmann::ordered_json(each);
    throw std::logic_error("a choice has a value without a name");
  };
  return key;
}

// One of several names, which are the value.
template <class Member>
ConfigKey choice(ConfigKey key, const std::vector<std::string>& names, Member member) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const auto& name : names) choices.emplace_back(name, name);
  return choice<std::string>(std::move(key), choices, member);
}

}  // namespace cambium
