// How the native backend cuts a product into blocks that threads can share: a function of the shape alone.
//
// The longer side of C is cut, into blocks of about a million floating-point operations (5-10 us), at most 16 of them,
// each at least 32 wide and starting at a multiple of 16: narrower or unaligned ones make oneMKL choose other kernels.
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

  GemmBlocks(std::int64_t m, std::int64_t n, std::int64_t k) : m_(m), n_(n), cut_rows_(m > n) {
    const std::int64_t side = std::max(m, n);
    const auto wanted =
        static_cast<std::int64_t>(2.0 * static_cast<double>(m * n) * static_cast<double>(k) / flops_per_block);
    const std::int64_t most = std::clamp<std::int64_t>(wanted, 1, std::clamp<std::int64_t>(side / 32, 1, 16));
    width_ = ((side + most - 1) / most + 15) / 16 * 16;
    count_ = std::max<std::int64_t>(1, (side + width_ - 1) / width_);
    flops_ = 2.0 * static_cast<double>(m * n) * static_cast<double>(k) / static_cast<double>(count_);
  }

  std::int64_t count() const { return count_; }
  double flops() const { return flops_; }  // of one block

  GemmBlock operator[](std::int64_t i) const {
    const std::int64_t start = i * width_;
    return cut_rows_ ? GemmBlock{start, 0, std::min(width_, m_ - start), n_}
                     : GemmBlock{0, start, m_, std::min(width_, n_ - start)};
  }

 private:
  std::int64_t m_, n_, width_, count_;
  double flops_;
  bool cut_rows_;
};

}  // namespace cambium
