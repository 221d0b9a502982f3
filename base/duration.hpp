// Durations as text.
#pragma once

#include <string>

namespace cambium {

// "1:02:03", "4:05" or "12 s".
std::string duration_text(double seconds);

}  // namespace cambium
