// SVG files of gnuplot as elements of a page.
#pragma once

#include <string>

namespace cambium {

// Returns the <svg> element: without fixed black and white, without redundant groups and spaces, with ids that start
// with `name`, and with `title` as its accessible title.
std::string tidy_svg(std::string svg, const std::string& name, const std::string& title);

}  // namespace cambium
