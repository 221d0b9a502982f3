#include "base/html.hpp"

#include <fmt/format.h>

#include <cctype>

namespace cambium {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 32 && c != '\n' ? ' ' : c;
    }
  }
  return result;
}

std::string address(std::string_view path) {
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        (byte < 128 && std::isalnum(byte)) || std::string_view("-._~/").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  // Colons are encoded too: one in the first part would make it a scheme.
  return result;
}

}  // namespace cambium
