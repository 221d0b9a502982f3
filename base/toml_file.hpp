// TOML files as a tree of plain values. Every value knows its file and line, so that error messages can name them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cambium {

struct TomlEntry;

struct TomlValue {
  enum class Kind { text, number, truth, date, array, table };

  Kind kind = Kind::table;
  std::string source;              // the file
  int line = 0;                    // of the value, from 1
  std::string text;                // of text, a number or a truth value ("yes", "no"), as a flag would give it
  std::vector<TomlValue> items;    // of an array
  std::vector<TomlEntry> entries;  // of a table, sorted by key

  bool is_table() const { return kind == Kind::table; }
  bool is_array() const { return kind == Kind::array; }
  bool is_array_of_tables() const;  // false for an empty array

  // The value of a key of this table; null if the table has no such key.
  const TomlValue* find(std::string_view key) const;

  std::string where() const;  // "FILE line N"

  // The text of a scalar. Throws InputError for an array, a table or a date; `name` is the key that the message names.
  const std::string& scalar(const std::string& name) const;
  // The scalars of an array, or the one scalar that stands in its place.
  std::vector<std::string> scalars(const std::string& name) const;
  // Nothing unless the value is a number.
  std::optional<double> number() const;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

// Returns the table of the whole file. Throws InputError with line and column for text that is not TOML.
TomlValue parse_toml(const std::string& text, const std::string& source);
TomlValue read_toml(const std::filesystem::path& file);

}  // namespace cambium
