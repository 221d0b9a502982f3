// Pictures as PNG, the plainest kind: eight bits, no filter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium {

// pixels (height, width, channels): grey with one channel, red, green and blue with three.
std::vector<std::uint8_t> png(std::span<const std::uint8_t> pixels, std::int32_t height, std::int32_t width,
                              std::int32_t channels);

}  // namespace cambium
