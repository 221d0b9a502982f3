#include "base/text_file.hpp"

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace cambium {

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) throw_input_error("{}: it is a folder, not a file", file.string());
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) throw_input_error("{}: cannot be read", file.string());
  return text.str();
}

}  // namespace cambium
