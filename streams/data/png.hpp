// Writer of PNG images with eight bits per channel and no filter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium {

// pixels: (height, width, channels), with 1 channel (grey) or 3 (red, green, blue).
std::vector<std::uint8_t> png(std::span<const std::uint8_t> pixels, std::int32_t height, std::int32_t width,
                              std::int32_t channels);

}  // namespace cambium
