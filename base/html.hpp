// Escapes text for HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace cambium {

// For text and for quoted attributes. Control characters, which are not allowed there, become spaces.
std::string escaped(std::string_view text);

// Percent-encodes a path for a link.
std::string address(std::string_view path);

}  // namespace cambium
