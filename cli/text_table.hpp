// Text in columns, for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cambium::cli {

// Right-aligned columns. All rows have as many fields as the first, the heading.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

// The heading and the items, separated by commas, in lines of at most `columns` characters. Continued lines are
// indented by the length of the heading.
std::string wrapped_list(const std::string& heading, const std::vector<std::string>& items, std::size_t columns);

}  // namespace cambium::cli
