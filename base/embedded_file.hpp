// A file of the source tree whose text is compiled into the program (cmake/EmbedFiles.cmake).
#pragma once

#include <string_view>

namespace cambium {

struct EmbeddedFile {
  std::string_view path, text;  // "layers/activation_pool.sycl", "experiments/table-1.toml"
};

}  // namespace cambium
