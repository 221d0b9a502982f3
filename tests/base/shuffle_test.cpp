#include "base/shuffle.hpp"

#include <gtest/gtest.h>

namespace cambium {
namespace {

// Every number comes first, and last, about equally often: 103 numbers in 20 600 orders, 200 times each.
TEST(Shuffle, NoNumberIsPreferred) {
  constexpr std::uint32_t count = 103;
  std::vector<int> first(count), last(count);
  for (std::uint32_t sequence = 0; sequence < 200 * count; ++sequence) {
    const auto order = shuffled(count, {{1, philox::data_order}}, sequence);
    ++first[static_cast<std::size_t>(order.front())];
    ++last[static_cast<std::size_t>(order.back())];
  }
  for (const auto& counts : {first, last}) {
    double chi_square = 0;
    for (const int times : counts) chi_square += (times - 200.0) * (times - 200.0) / 200.0;
    EXPECT_LT(chi_square, 160);  // 102 degrees of freedom: exceeded once in 5000
    EXPECT_GT(chi_square, 58);   // nor too even
  }
}

}  // namespace
}  // namespace cambium
