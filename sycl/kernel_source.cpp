#include "sycl/kernel_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <stdexcept>

namespace cambium {

std::string Definition::text() const {
  return word.empty() ? fmt::format("{}={}", name, number) : fmt::format("{}={}", name, word);
}

std::vector<std::string> KernelUnit::definitions() const {
  std::vector<std::string> texts;
  for (const auto& definition : definitions_)
    if (!definition.name.empty()) texts.push_back(definition.text());
  return texts;
}

std::string KernelUnit::source() const { return inlined_source(file_, text_.empty() ? embedded_text(file_) : text_); }

std::string KernelUnit::name() const {
  const auto texts = definitions();
  return texts.empty() ? std::string(file_) : fmt::format("{} [{}]", file_, fmt::join(texts, " "));
}

std::string_view embedded_text(std::string_view path) {
  for (const auto& file : embedded_files())
    if (file.path == path) return file.text;
  throw std::logic_error(fmt::format("{} is not embedded in the program", path));
}

std::vector<EmbeddedFile> embedded_headers() {
  std::vector<EmbeddedFile> headers;
  for (const auto& file : embedded_files())
    if (file.path.ends_with(".hpp")) headers.push_back(file);
  return headers;
}

std::vector<std::string> compiler_options(const KernelUnit& unit, ArgumentPlace place) {
  // Embedded headers include each other by their path from the root, which is their name here.
  std::vector<std::string> options{"-iquote.", "-Wall", "-Wextra", "-Werror"};
#ifdef CAMBIUM_CHECKED
  options.push_back("-DCAMBIUM_CHECKED");
#endif
  if (place == ArgumentPlace::memory) options.push_back("-DARGUMENTS_IN_MEMORY=1");
  for (const auto& definition : unit.definitions()) options.push_back("-D" + definition);
  return options;
}

// A GPU's compiler should see one function per kernel: a function that stays a call costs registers, puts the arguments
// on a stack and turns local and global addresses into generic ones. The runtime compiler has no option for it. The
// line directive is for the excerpts in its messages; the places that they name do not follow it.
std::string inlined_source(std::string_view file, std::string_view text) {
  return fmt::format(
      "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n"
      "#line 1 \"{}\"\n{}\n#pragma clang attribute pop\n",
      file, text);
}

std::string located_messages(const std::string& messages, const std::string& compiled_name, std::string_view file) {
  constexpr int lines_before = 2;  // in inlined_source()
  const std::regex place(compiled_name + ":([0-9]+)");
  std::string located;
  auto end = messages.begin();
  for (std::sregex_iterator match(messages.begin(), messages.end(), place), none; match != none; ++match) {
    located.append(end, messages.begin() + match->position());
    located += fmt::format("{}:{}", file, std::stol(match->str(1)) - lines_before);
    end = messages.begin() + match->position() + match->length();
  }
  return located.append(end, messages.end());
}

}  // namespace cambium
