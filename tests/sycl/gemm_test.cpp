#include "sycl/gemm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "selftest/conformance.hpp"
#include "sycl/gemm_blocks.hpp"
#include "sycl/handles.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

TEST(GemmBlocks, CoverTheMatrixOnce) {
  for (const std::int64_t m : {1, 16, 51, 256, 784, 4096})
    for (const std::int64_t n : {1, 10, 51, 256, 1000})
      for (const std::int64_t k : {1, 16, 784}) {
        const GemmBlocks blocks(m, n, k, /*transpose_b=*/k == 16);
        std::vector<int> covered(static_cast<std::size_t>(m * n));
        for (std::int64_t i = 0; i < blocks.count(); ++i) {
          const auto block = blocks[i];
          EXPECT_GT(block.rows, 0);
          EXPECT_GT(block.columns, 0);
          EXPECT_EQ(block.row % 16, 0);
          EXPECT_EQ(block.column % 16, 0);
          for (std::int64_t row = block.row; row < block.row + block.rows; ++row)
            for (std::int64_t column = block.column; column < block.column + block.columns; ++column)
              ++covered.at(static_cast<std::size_t>(row * n + column));
        }
        EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), m * n) << m << " " << n << " " << k;
      }
}

TEST(GemmBlocks, SmallProductsHaveOneBlock) {
  EXPECT_EQ(GemmBlocks(16, 51, 51, false).count(), 1);
  EXPECT_GT(GemmBlocks(256, 256, 784, false).count(), 1);
}

// More products than fit into one command, of every size, some large enough for several blocks and threads.
TEST(GemmGroup, ComputesTheSameBitsAsTheProductsOneByOne) {
  auto& device = shared_device();
  for (const auto& backend : device.info().gemm) {
    if (!backend.why_not.empty()) continue;
    device.use_gemm_backend(backend.name);
    struct Product {
      std::int64_t m, n, k;
      Buffer<float> a, b, together, alone;
    };
    std::vector<Product> products;
    for (int repeat = 0; repeat < 4; ++repeat)
      for (const auto& [m, n, k] :
           {std::array<std::int64_t, 3>{784, 51, 16}, {51, 51, 16}, {784, 256, 64}, {1, 10, 16}}) {
        const auto size = [](std::int64_t rows, std::int64_t columns) {
          return static_cast<std::size_t>(2 * rows * columns);
        };
        const auto seed = static_cast<std::uint32_t>(repeat);
        const auto start = conformance::random_values(size(m, n), seed, 3);
        products.push_back({m,
                            n,
                            k,
                            {device, conformance::random_values(size(k, m), seed, 1)},
                            {device, conformance::random_values(size(k, n), seed, 2)},
                            {device, start},
                            {device, start}});
      }
    GemmGroup group(device);
    for (auto& p : products) {
      const Matrices<float> a(p.a, 2, p.k, p.m), b(p.b, 2, p.k, p.n);
      group.add(Transpose::yes, Transpose::no, -0.5f, a, b, 1.0f, {p.together, 2, p.m, p.n});
      gemm(device, Transpose::yes, Transpose::no, -0.5f, a, b, 1.0f, {p.alone, 2, p.m, p.n});
    }
    group.run();
    for (auto& p : products)
      EXPECT_EQ(p.together.download(), p.alone.download()) << backend.name << " " << p.m << " " << p.n;
  }
  device.use_gemm_backend("");
}

TEST(NativeErrors, AreThrownByTheNextWaitOnce) {
  auto& device = shared_device();
  device.state().native_error.store(std::make_exception_ptr(std::runtime_error("first")));
  device.state().native_error.store(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_THAT([&] { device.wait(); }, testing::ThrowsMessage<std::runtime_error>("first"));
  EXPECT_NO_THROW(device.wait());
}

class GemmArguments : public testing::Test {
 protected:
  Buffer<float> a{shared_device(), 12}, b{shared_device(), 12}, c{shared_device(), 12};

  void multiply(Matrices<float> ma, Matrices<float> mb, Matrices<float> mc) {
    gemm(shared_device(), Transpose::no, Transpose::no, 1.0f, ma, mb, 0.0f, mc);
  }
};

TEST_F(GemmArguments, MustFitTogether) {
  EXPECT_NO_THROW(multiply({a, 1, 3, 4}, {b, 1, 4, 3}, {c, 1, 3, 3}));
  EXPECT_THROW(multiply({a, 1, 3, 4}, {b, 1, 3, 3}, {c, 1, 3, 3}), std::logic_error);
  EXPECT_THROW(multiply({a, 1, 3, 4}, {b, 1, 4, 3}, {c, 1, 3, 4}), std::logic_error);
  EXPECT_THROW(multiply({a, 2, 3, 2}, {b, 1, 2, 3}, {c, 2, 3, 2}), std::logic_error);
}

TEST_F(GemmArguments, MustFitTheirMemory) {
  EXPECT_THROW(multiply({a, 1, 3, 5}, {b, 1, 5, 2}, {c, 1, 3, 2}), std::logic_error);
  EXPECT_THROW(multiply({a, 1, 3, 4, 5, 15}, {b, 1, 4, 3}, {c, 1, 3, 3}), std::logic_error);
  EXPECT_THROW(multiply({a, 1, 3, 4, 3, 12}, {b, 1, 4, 3}, {c, 1, 3, 3}), std::logic_error);
}

TEST_F(GemmArguments, MustNotOverlapInTheResult) {
  EXPECT_THROW(multiply({a, 2, 2, 3}, {b, 2, 3, 2}, {c, 2, 2, 2, 2, 0}), std::logic_error);
}

}  // namespace
}  // namespace cambium
