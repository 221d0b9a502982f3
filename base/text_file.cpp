#include "base/text_file.hpp"

#include <fcntl.h>

#include "base/error.hpp"
#include "base/file.hpp"

namespace cambium {

std::string read_text_file(const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) throw_input_error("{}: it is a folder, not a file", file.string());
  return read_all(open_file(file, O_RDONLY), file);
}

}  // namespace cambium
