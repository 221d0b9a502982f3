// The terminal that the program writes to.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>

namespace cambium {

// Characters in a line of the terminal behind `descriptor`; `otherwise` if it is no terminal, or one of no useful
// width.
inline std::size_t terminal_width(int descriptor, std::size_t otherwise) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : otherwise;
}

}  // namespace cambium
