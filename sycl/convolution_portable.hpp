// The specialisations of the portable convolution backend's kernels.
#pragma once

#include <cstdint>

#include "sycl/tuning.hpp"

namespace cambium {

// The tiles of convolution.sycl.
inline constexpr TileSize convolution_tiles[] = {{64, 64}, {128, 32}, {32, 32}};

// The largest band of convolution_cpu.sycl: 48 KiB.
inline constexpr std::int32_t convolution_band_floats = 12288;

}  // namespace cambium
