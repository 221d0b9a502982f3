#include "base/toml_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace cambium {

std::string whole_text(const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) throw_input_error("{}: it is a folder, not a file", file.string());
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) throw_input_error("{}: cannot be read", file.string());
  return text.str();
}

toml::table read_toml(const std::filesystem::path& file) { return parse_toml(whole_text(file), file.string()); }

toml::table parse_toml(const std::string& text, const std::string& source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw_input_error("{} line {}, column {}: {}", source, at.line, at.column, error.description());
  }
}

std::string where(const std::string& source, const toml::node& node) {
  return fmt::format("{} line {}", source, node.source().begin.line);
}

std::string text_of(const toml::node& value, const std::string& source, const std::string& name) {
  if (value.is_string()) return value.as_string()->get();
  if (value.is_integer()) return fmt::format("{}", value.as_integer()->get());
  if (value.is_floating_point()) return fmt::format("{}", value.as_floating_point()->get());
  if (value.is_boolean()) return value.as_boolean()->get() ? "yes" : "no";
  throw_input_error("{}: {} is neither text nor a number", where(source, value), name);
}

}  // namespace cambium
