#include "lab/report/svg.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <string_view>

#include "base/html.hpp"

namespace cambium {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  std::size_t begin = 0;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    result.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = result.append(text, begin);
}

// Removes every range from `begin` to the next `end`, both included.
void remove_all(std::string& text, std::string_view begin, std::string_view end) {
  for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const auto last = text.find(end, at);
    if (last == std::string::npos) return;
    text.erase(at, last + end.size() - at);
  }
}

// Removes indentation and repeated spaces.
void collapse_spaces(std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (space && (result.empty() || result.back() == ' ' || result.back() == '\n')) {
      if (c == '\n' && !result.empty()) result.back() = '\n';
      continue;
    }
    result += c == '\t' ? ' ' : c;
  }
  text = result;
}

// Writes rgb( 31, 127, 196) as #1f7fc4.
void shorten_colours(std::string& text) {
  std::string result;
  std::size_t begin = 0;
  for (auto at = text.find("rgb("); at != std::string::npos; at = text.find("rgb(", begin)) {
    int red = 0, green = 0, blue = 0;
    const auto end = text.find(')', at);
    if (end == std::string::npos || std::sscanf(text.c_str() + at, "rgb(%d,%d,%d)", &red, &green, &blue) != 3) break;
    result.append(text, begin, at - begin).append(fmt::format("#{:02x}{:02x}{:02x}", red, green, blue));
    begin = end + 1;
  }
  text = result.append(text, begin);
}

}  // namespace

std::string tidy_svg(std::string svg, const std::string& name, const std::string& title) {
  svg.erase(0, svg.find("<svg"));
  // gnuplot opens the same group for almost every element; consecutive ones are merged.
  const std::string group =
      "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
      "stroke-linejoin=\"miter\">\n";
  replace_all(svg, "\n</g>\n" + group, "\n");
  remove_all(svg, "<title>", "</title>");
  remove_all(svg, "<desc>", "</desc>");
  remove_all(svg, "<filter", "</filter>");
  replace_all(svg, "<tspan font-family=\"sans-serif\" >", "");
  replace_all(svg, "</tspan>", "");
  replace_all(svg, "font-family=\"sans-serif\"", "");
  // The scripts draw text and axes in this grey; here it becomes the colour of the surrounding text.
  for (const auto* grey : {"rgb(115, 120, 128)", "rgb(115,120,128)"}) replace_all(svg, grey, "currentColor");
  replace_all(svg, "color=\"black\"", "");
  for (const std::string what : {"fill", "stroke"}) replace_all(svg, what + "=\"black\"", what + "=\"currentColor\"");
  replace_all(svg, "stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", "");
  collapse_spaces(svg);
  shorten_colours(svg);
  // A page may have several figures, so that ids must differ.
  std::string prefix;
  for (const char c : name) prefix += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  for (const auto* before : {"id='", "id=\"", "href='#"})
    replace_all(svg, before, fmt::format("{}{}-", before, prefix));
  const auto root = svg.find('>');
  svg.insert(root + 1, fmt::format("<title>{}</title>", escaped(title)));
  svg.insert(4, " class=\"figure\" role=\"img\" font-family=\"system-ui,sans-serif\"");
  return svg;
}

}  // namespace cambium
