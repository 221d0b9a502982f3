#include "lab/config/key.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "lab/config/key_types.hpp"

namespace cambium {
namespace {

constexpr std::size_t line_width = 120;

// Breaks a paragraph into lines; lines after the first begin with `indent`.
std::string wrapped(const std::string& text, const std::string& indent = "") {
  std::string result;
  std::size_t column = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t space = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, space - start);
    if (column > 0 && column + 1 + word.size() > line_width) {
      result += "\n" + indent;
      column = indent.size();
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    start = space + 1;
  }
  return result + "\n";
}

}  // namespace

std::span<const ConfigKey> config_keys() {
  static const std::vector<ConfigKey> all = [] {
    std::vector<ConfigKey> keys;
    for (const auto& group :
         {network_keys(), edit_keys(), rewind_keys(), activation_keys(), optimizer_keys(), length_keys(), input_keys()})
      keys.insert(keys.end(), group.begin(), group.end());
    return keys;
  }();
  return all;
}

const ConfigKey* find_key(const std::string& name) {
  for (const auto& key : config_keys())
    if (key.name == name) return &key;
  return nullptr;
}

void check_name(const std::string& key, const std::string& where) {
  if (find_key(key) != nullptr) return;
  std::vector<std::string> names;
  for (const auto& each : config_keys()) names.push_back(each.name);
  const auto near = nearest(key, names);
  throw_input_error(
      "{}: unknown key '{}'. {}", where, key,
      near.empty() ? fmt::format("The keys are {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

std::string ConfigKey::flag() const {
  std::string text = "--" + name;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string keys_as_markdown() {
  std::string page = "# Configuration keys\n\n";
  page += wrapped(
      "Every key can stand in a TOML file (`lr = 0.1`) and is a flag of `cambium train` (`--lr 0.1`), with dashes for "
      "underscores. A key that would have no effect is an error. `cambium keys` prints this page.");
  for (const auto& key : config_keys()) {
    page += fmt::format("\n## {}\n\n", key.name);
    page += wrapped(key.help + ".") + "\n";
    page += wrapped(fmt::format("- value: {}{}", key.values, key.unit.empty() ? "" : " (" + key.unit + ")"), "  ");
    page += wrapped(fmt::format("- default: {}", key.default_value.words), "  ");
    if (!key.condition.words.empty()) page += wrapped(fmt::format("- applies only {}", key.condition.words), "  ");
  }
  return page;
}

double checked_number(const std::string& key, const std::string& text, double lowest, double highest) {
  double result = 0;
  if (!parse_number(text, result) || !(result >= lowest) || !(result <= highest))
    throw_input_error("{} = {}: the value must be a number from {} to {}", key, text, lowest, highest);
  return result;
}

std::int64_t checked_count(const std::string& key, const std::string& text, std::int64_t highest) {
  std::int64_t result = 0;
  if (!parse_number(text, result) || result < 1 || result > highest)
    throw_input_error("{} = {}: the value must be a whole number from 1 to {}", key, text, highest);
  return result;
}

bool checked_yes(const std::string& key, const std::string& text) {
  if (text == "yes" || text == "true") return true;
  if (text == "no" || text == "false") return false;
  throw_input_error("{} = {}: the value must be yes or no", key, text);
}

void check_choice(const std::string& key, const std::string& text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
  const auto near = nearest(text, choices);
  throw_input_error("{} = {}: {}the value must be one of {}", key, text,
                    near.empty() ? "" : fmt::format("did you mean {}? ", near), fmt::join(choices, ", "));
}

double decimal(float value) {
  double result = 0;
  parse_number(fmt::format("{}", value), result);
  return result;
}

}  // namespace cambium
