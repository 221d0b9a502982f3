#include "base/toml_file.hpp"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

namespace cambium {
namespace {

TomlValue converted(const toml::node& node, const std::string& source) {
  using Kind = TomlValue::Kind;
  TomlValue value{.source = source, .line = static_cast<int>(node.source().begin.line)};
  if (const auto* table = node.as_table()) {
    for (const auto& [key, entry] : *table) value.entries.push_back({std::string(key.str()), converted(entry, source)});
  } else if (const auto* array = node.as_array()) {
    value.kind = Kind::array;
    for (const auto& item : *array) value.items.push_back(converted(item, source));
  } else if (const auto* text = node.as_string()) {
    value.kind = Kind::text, value.text = text->get();
  } else if (const auto* whole = node.as_integer()) {
    value.kind = Kind::number, value.text = fmt::format("{}", whole->get());
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = Kind::number, value.text = fmt::format("{}", real->get());
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = Kind::truth, value.text = truth->get() ? "yes" : "no";
  } else {
    value.kind = Kind::date;
  }
  return value;
}

}  // namespace

bool TomlValue::is_array_of_tables() const {
  return is_array() && !items.empty() &&
         std::all_of(items.begin(), items.end(), [](const TomlValue& item) { return item.is_table(); });
}

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string TomlValue::where() const { return fmt::format("{} line {}", source, line); }

const std::string& TomlValue::scalar(const std::string& name) const {
  if (kind == Kind::array || kind == Kind::table || kind == Kind::date)
    throw_input_error("{}: {} must be text, a number, true or false", where(), name);
  return text;
}

std::vector<std::string> TomlValue::scalars(const std::string& name) const {
  if (!is_array()) return {scalar(name)};
  std::vector<std::string> values;
  for (const auto& item : items) values.push_back(item.scalar(name));
  return values;
}

std::optional<double> TomlValue::number() const {
  double value = 0;
  if (kind != Kind::number || !parse_number(text, value)) return {};
  return value;
}

TomlValue parse_toml(const std::string& text, const std::string& source) {
  try {
    return converted(toml::parse(text, source), source);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw_input_error("{} line {}, column {}: {}", source, at.line, at.column, error.description());
  }
}

TomlValue read_toml(const std::filesystem::path& file) { return parse_toml(read_text_file(file), file.string()); }

}  // namespace cambium
