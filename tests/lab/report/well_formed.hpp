// A check that the elements, quotes and brackets of HTML or SVG are closed in order.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace cambium {

// Empty if the text is well-formed; otherwise the error with the surrounding text.
inline std::string not_well_formed(const std::string& text) {
  static const std::set<std::string> alone{"meta", "link", "br", "hr", "img", "!doctype", "?xml"};
  std::vector<std::string> open;
  std::size_t at = 0;
  const auto around = [&] { return text.substr(at < 40 ? 0 : at - 40, 100); };
  while ((at = text.find('<', at)) != std::string::npos) {
    const auto end = text.find('>', at);
    if (end == std::string::npos) return "an element does not end: " + around();
    const bool closing = text[at + 1] == '/', empty = text[end - 1] == '/';
    auto name = text.substr(at + (closing ? 2 : 1), end - at - (closing ? 2 : 1));
    std::size_t quotes = 0, apostrophes = 0;
    for (const char c : name) {
      if (c == '<') return "an element within an element: " + around();
      if (c == '"' && apostrophes % 2 == 0) ++quotes;
      if (c == '\'' && quotes % 2 == 0) ++apostrophes;
    }
    if (quotes % 2 == 1 || apostrophes % 2 == 1) return "a quote does not end: " + around();
    name = name.substr(0, name.find_first_of(" \n/"));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing: " + around();
      open.pop_back();
    } else if (!empty && !alone.contains(name)) {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

// The visible text, without elements and styles.
inline std::string seen_text(const std::string& html) {
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    if (html.compare(at, 6, "<style") == 0) {
      at = html.find("</style>", at);
      continue;
    }
    if (html[at] == '<') {
      at = html.find('>', at) + 1;
      text += ' ';
    } else {
      text += html[at++];
    }
  }
  return text;
}

}  // namespace cambium
