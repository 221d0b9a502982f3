#include "streams/data/npy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace cambium {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
// NumPy's own limit on dimensions; the limit on elements keeps products of sizes from overflow.
constexpr std::size_t most_dimensions = 32, most_elements = std::size_t{1} << 40;

const std::map<std::string, std::size_t, std::less<>> element_sizes{{"|u1", 1}, {"<f4", 4}, {"<f8", 8}};

// Parses the dictionary of the header: its three keys have a string, a boolean and a tuple of numbers as values.
class Header {
 public:
  Header(const DataFile& file, std::string_view text) : file_(file), rest_(text) { parse(); }

  std::string_view type;
  bool column_major = false;
  std::vector<std::size_t> shape;

 private:
  void parse() {
    bool has_type = false, has_order = false, has_shape = false;
    const auto once = [this](bool& has) {
      if (has) damaged();
      has = true;
    };
    need('{');
    while (!next('}')) {
      const auto key = text();
      need(':');
      if (key == "descr") {
        once(has_type);
        if (next('[')) file_.refuse("its elements have several fields; pixels must be single numbers");
        type = text();
      } else if (key == "fortran_order") {
        once(has_order);
        column_major = boolean();
      } else if (key == "shape") {
        once(has_shape);
        shape = sizes();
      } else {
        damaged();
      }
      if (next(',')) continue;
      need('}');
      break;
    }
    skip_space();
    if (!rest_.empty() || !has_type || !has_order || !has_shape) damaged();
  }

  [[noreturn]] void damaged() const { file_.refuse("its header is not a NumPy header; the file is damaged"); }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  // Consumes `character` if it comes next.
  bool next(char character) {
    skip_space();
    if (!rest_.starts_with(character)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void need(char character) {
    if (!next(character)) damaged();
  }

  std::string_view text() {
    const char quote = next('"') ? '"' : '\'';
    if (quote == '\'') need('\'');
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos) damaged();
    const auto result = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    damaged();
  }

  std::vector<std::size_t> sizes() {
    std::vector<std::size_t> result;
    need('(');
    while (!next(')')) {
      skip_space();
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || result.size() == most_dimensions) damaged();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      next('L');  // the suffix of Python 2's long integers
      result.push_back(size);
      if (next(',')) continue;
      need(')');
      break;
    }
    return result;
  }

  const DataFile& file_;
  std::string_view rest_;
};

// Returns the number of elements; refuses more than the limit.
std::size_t volume(const DataFile& file, std::span<const std::size_t> shape) {
  std::size_t result = 1;
  for (const auto size : shape) {
    if (size == 0) return 0;
    if (size > most_elements / result)
      file.refuse("its header has the shape {}, which is impossible; the file is damaged", shape_text(shape));
    result *= size;
  }
  return result;
}

}  // namespace

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyArray read_npy(const DataFile& file) {
  const std::string_view content(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  if (content.substr(0, magic.size()) != magic.substr(0, content.size())) file.refuse("not a NumPy file (.npy)");
  std::size_t place = magic.size();
  const auto take = [&](std::size_t count) {
    if (place > content.size() || count > content.size() - place)
      file.refuse("the file has {} bytes, but its header alone has more; it is cut short", grouped(content.size()));
    place += count;
    return content.substr(place - count, count);
  };
  const auto version = take(2);
  if (version[0] < 1 || version[0] > 3)
    file.refuse("the file has NumPy's format version {}; versions 1 to 3 are supported",
                static_cast<std::uint8_t>(version[0]));
  std::size_t length = 0;
  const auto digits = take(version[0] == 1 ? 2 : 4);
  for (std::size_t i = 0; i < digits.size(); ++i)
    length |= std::size_t{static_cast<std::uint8_t>(digits[i])} << (8 * i);
  const Header header(file, take(length));

  const auto element = element_sizes.find(header.type);
  if (element == element_sizes.end())
    file.refuse("its elements are of type {}; pixels must be bytes (|u1) or floating-point numbers (<f4, <f8)",
                header.type);
  if (header.column_major) file.refuse("its array is column-major, which is not supported");
  const std::size_t expected = place + volume(file, header.shape) * element->second;
  if (content.size() != expected)
    file.refuse("{} bytes expected from its header, {} found; the file {}", grouped(expected), grouped(content.size()),
                content.size() < expected ? "is cut short" : "has bytes after its end");
  return {.type = element->first, .shape = header.shape, .bytes = std::span(file.bytes).subspan(place)};
}

}  // namespace cambium
