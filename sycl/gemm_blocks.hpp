// The native backend's division of a product into blocks for threads: a function of the shape alone.
//
// C is divided into a grid of blocks of about 128 x 128: in smaller blocks oneMKL would spend its time packing the
// operands, which every block repeats. A transposed B costs more to pack, so its blocks are twice as wide. If the
// result is a single block, smaller blocks are used to get two. A product has at most 16 blocks, of at least a million
// floating-point operations (5-10 us) each. Blocks start at multiples of 16.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cambium {

struct GemmBlock {
  std::int64_t row, column, rows, columns;
};

class GemmBlocks {
 public:
  static constexpr double flops_per_block = 1.0e6;

  GemmBlocks(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_b) : m_(m), n_(n) {
    const double flops = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
    std::int64_t most = std::clamp<std::int64_t>(static_cast<std::int64_t>(flops / flops_per_block), 1, 16);
    std::int64_t down = 1, across = 1;
    for (const std::int64_t side : {128, 64, 32}) {
      down = std::max<std::int64_t>(1, m / side);
      across = std::max<std::int64_t>(1, n / (transpose_b ? 2 * side : side));
      if (down * across >= 2 || most == 1) break;
      most = 2;
    }
    while (down * across > most) {
      auto& more = down > across ? down : across;
      more = (more + 1) / 2;
    }
    rows_ = cut(m, down);
    columns_ = cut(n, across);
    across_ = (n + columns_ - 1) / columns_;
    count_ = across_ * ((m + rows_ - 1) / rows_);
    flops_ = flops / static_cast<double>(count_);
  }

  std::int64_t count() const { return count_; }
  double flops() const { return flops_; }  // of one block

  GemmBlock operator[](std::int64_t i) const {
    const std::int64_t row = i / across_ * rows_, column = i % across_ * columns_;
    return {row, column, std::min(rows_, m_ - row), std::min(columns_, n_ - column)};
  }

 private:
  // The length of each of `parts` parts, a multiple of 16.
  static std::int64_t cut(std::int64_t length, std::int64_t parts) {
    return ((length + parts - 1) / parts + 15) / 16 * 16;
  }

  std::int64_t m_, n_, rows_, columns_, across_, count_;
  double flops_;
};

}  // namespace cambium
