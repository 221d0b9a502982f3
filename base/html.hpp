// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace cambium {

// As text, or in a quoted attribute. Control characters, which have no place there, become spaces.
std::string escaped(std::string_view text);

// A path for the address of a link.
std::string address(std::string_view path);

}  // namespace cambium
