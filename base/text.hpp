// Numbers and lists in text.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace cambium {

// Returns false, and leaves `value` undefined, unless the whole text is a number that T can hold.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

// The parts between commas, in order; empty parts are kept, so an empty text has one part.
std::vector<std::string> split(std::string_view text);

}  // namespace cambium
