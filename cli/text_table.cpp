#include "cli/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cambium::cli {

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{}{:>{}}", i > 0 ? "  " : "", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string wrapped_list(const std::string& heading, const std::vector<std::string>& items, std::size_t columns) {
  std::string text, line = heading;
  bool begun = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto item = items[i] + (i + 1 < items.size() ? "," : "");
    if (begun && line.size() + 1 + item.size() > columns) {
      text += line + "\n";
      line.assign(heading.size(), ' ');
    }
    line += " " + item;
    begun = true;
  }
  return text + line + "\n";
}

}  // namespace cambium::cli
