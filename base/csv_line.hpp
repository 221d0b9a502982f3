// Reader of the CSV tables that a run writes: one header line, commas, no quotes; a missing number is an empty field.
// Anything else is an InputError that names file, line and column.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace cambium {

// Reads one line, field by field.
class CsvLine {
 public:
  // `table` describes the file in errors: "a table of cohorts". `table` and `file` must outlive the line.
  CsvLine(std::string_view text, const std::string& file, std::size_t number, const char* table)
      : text_(text), file_(file), number_(number), table_(table) {}

  std::string_view text(const char* column) {
    if (ended_) fail(fmt::format("the line ends before the column {}", column));
    const auto comma = text_.find(',');
    const auto field = text_.substr(0, comma);
    ended_ = comma == std::string_view::npos;
    text_ = ended_ ? std::string_view() : text_.substr(comma + 1);
    return field;
  }
  template <class T>
  T number(const char* column) {
    const auto field = text(column);
    T value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) refuse(column, field);
    return value;
  }
  // Returns NaN for an empty field.
  double number_or_missing(const char* column) {
    if (!ended_ && (text_.empty() || text_.front() == ',')) return text(column), NAN;
    return number<double>(column);
  }
  template <class T, std::size_t count>
  T one_of(const char* column, const T (&all)[count]) {
    const auto field = text(column);
    for (const T value : all)
      if (name_of(value) == field) return value;
    refuse(column, field);
  }
  void end() const {
    if (!ended_) fail(fmt::format("the line has '{}' after the last column", text_));
  }
  [[noreturn]] void refuse(const char* column, std::string_view field) const {
    fail(fmt::format("the column {} cannot be '{}'", column, field));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw_input_error("{}:{}: {}; the file is damaged, or is not {}", file_, number_, what, table_);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t number_;
  const char* table_;
  bool ended_ = false;
};

// Calls `take(CsvLine)` for every line after the first, which must be `header` (with its line break).
template <class Take>
void for_each_csv_line(std::string_view text, const std::string& header, const std::string& file, const char* table,
                       Take&& take) {
  if (!text.starts_with(header))
    throw_input_error("{}:1: these are not the columns of {}: {}", file, table, header.substr(0, header.size() - 1));
  text.remove_prefix(header.size());
  for (std::size_t number = 2; !text.empty(); ++number) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) throw_input_error("{}:{}: the line is cut short", file, number);
    take(CsvLine(text.substr(0, end), file, number, table));
    text.remove_prefix(end + 1);
  }
}

}  // namespace cambium
