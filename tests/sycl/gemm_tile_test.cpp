// How the portable GEMM uses a GPU, computed from the index arithmetic that its kernels share with the host.

#include "sycl/gemm_tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "sycl/gemm_portable.hpp"

namespace cambium {
namespace {

// 32 banks of 4 bytes. A warp of 32 items accesses vectors of 16 bytes in four phases of 8 items, of 8 bytes in two of
// 16, and 4 bytes in one of 32.
// The largest number of distinct addresses that one bank has to serve in a phase.
int conflicts(const std::vector<std::uint32_t>& first_floats, std::uint32_t floats_each) {
  const std::size_t items_per_phase = 32 / floats_each;
  int worst = 0;
  for (std::size_t begin = 0; begin < first_floats.size(); begin += items_per_phase) {
    std::map<std::uint32_t, std::set<std::uint32_t>> addresses;
    for (std::size_t i = begin; i < std::min(begin + items_per_phase, first_floats.size()); ++i)
      for (std::uint32_t j = 0; j < floats_each; ++j) addresses[(first_floats[i] + j) % 32].insert(first_floats[i] + j);
    for (const auto& [bank, set] : addresses) worst = std::max(worst, static_cast<int>(set.size()));
  }
  return worst;
}

// Calls check(first floats of the 32 items of a warp) for every warp of `items` items.
template <class Place, class Check>
void for_each_warp(std::uint32_t items, Place&& place, Check&& check) {
  for (std::uint32_t begin = 0; begin < items; begin += 32) {
    std::vector<std::uint32_t> floats;
    for (std::uint32_t item = begin; item < std::min(begin + 32, items); ++item) floats.push_back(place(item));
    check(floats);
  }
}

template <class Slice, bool inner>
void expect_stores_without_conflicts(std::uint32_t items) {
  const std::uint32_t stores = inner ? 4 : 1;
  for (std::uint32_t first = 0; first < Slice::quads; first += items)
    for (std::uint32_t store = 0; store < stores; ++store)
      for_each_warp(
          std::min(items, Slice::quads - first),
          [&](std::uint32_t item) {
            const std::uint32_t quad = first + item;
            return Slice::place(Slice::position(quad), Slice::inner_index(quad) + store);
          },
          [&](const auto& floats) { EXPECT_EQ(conflicts(floats, inner ? 1 : 4), 1) << Slice::pitch; });
}

template <class Tile>
void expect_no_conflicts() {
  SCOPED_TRACE(testing::Message() << Tile::rows << " x " << Tile::columns);
  expect_stores_without_conflicts<GemmSlice<Tile::rows, true>, true>(Tile::items);
  expect_stores_without_conflicts<GemmSlice<Tile::rows, false>, false>(Tile::items);
  expect_stores_without_conflicts<GemmSlice<Tile::columns, true>, true>(Tile::items);
  expect_stores_without_conflicts<GemmSlice<Tile::columns, false>, false>(Tile::items);
  for (std::uint32_t inner = 0; inner < Tile::depth; ++inner) {
    for_each_warp(
        Tile::items,
        [&](std::uint32_t item) { return GemmSlice<Tile::rows, true>::place(Tile::first_row(item), inner); },
        [](const auto& floats) { EXPECT_EQ(conflicts(floats, std::min(Tile::item_rows, 4u)), 1); });
    for_each_warp(
        Tile::items,
        [&](std::uint32_t item) { return GemmSlice<Tile::columns, true>::place(Tile::first_column(item), inner); },
        [](const auto& floats) { EXPECT_EQ(conflicts(floats, 4), 1); });
  }
}

TEST(GemmTile, AccessesLocalMemoryWithoutBankConflicts) {
  expect_no_conflicts<GemmTile<128, 64, 4, 4>>();
  expect_no_conflicts<GemmTile<64, 64, 4, 4>>();
  expect_no_conflicts<GemmTile<32, 64, 4, 4>>();
  expect_no_conflicts<GemmTile<16, 64, 2, 4>>();
  expect_no_conflicts<GemmTile<128, 32, 4, 4>>();
  expect_no_conflicts<GemmTile<32, 32, 4, 4>>();
}

TEST(GemmTile, TheCountOfConflictsSeesThem) {
  std::vector<std::uint32_t> column;
  for (std::uint32_t i = 0; i < 32; ++i) column.push_back(64 * i);
  EXPECT_EQ(conflicts(column, 1), 32);
  EXPECT_EQ(conflicts(std::vector<std::uint32_t>(32, 5), 1), 1) << "one address is broadcast";
}

template <class Tile>
void expect_full_cover() {
  std::vector<int> covered(Tile::rows * Tile::columns);
  for (std::uint32_t item = 0; item < Tile::items; ++item)
    for (std::uint32_t i = 0; i < Tile::item_rows; ++i)
      for (std::uint32_t j = 0; j < Tile::item_columns; ++j) {
        const std::uint32_t column = Tile::first_column(item) + j / 4 * Tile::quad_columns + j % 4;
        ++covered.at((Tile::first_row(item) + i) * Tile::columns + column);
      }
  EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), static_cast<std::ptrdiff_t>(covered.size()));
}

TEST(GemmTile, ItemsCoverTheTileOnce) {
  expect_full_cover<GemmTile<128, 64, 4, 4>>();
  expect_full_cover<GemmTile<16, 64, 2, 4>>();
  expect_full_cover<GemmTile<128, 64, 8, 8>>();
}

TEST(GemmSplit, CoversTheInnerDimensionInWholeSteps) {
  for (const std::int64_t k : {1, 7, 8, 51, 784, 4096, 100000})
    for (const std::int64_t m : {1, 64, 784})
      for (const std::int64_t n : {1, 256}) {
        const auto split = gemm_split(m, n, k);
        EXPECT_EQ(split.depth % 8, 0);
        EXPECT_GE(split.splits * split.depth, k);
        EXPECT_LT((split.splits - 1) * split.depth, k);
      }
}

struct Product {
  std::int64_t m, n, k;
};

// The products of a step: forward, gradient of the input, gradient of the weights.
std::vector<Product> products(const std::vector<std::int64_t>& widths, std::int64_t batch, bool input_gradient) {
  std::vector<Product> all;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    all.push_back({batch, widths[i + 1], widths[i]});
    if (i > 0 || input_gradient) all.push_back({batch, widths[i], widths[i + 1]});
    all.push_back({widths[i], widths[i + 1], batch});
  }
  return all;
}

std::int64_t work_groups(const Product& p, std::int64_t replicas) {
  const auto split = gemm_split(p.m, p.n, p.k);
  const auto index = choose_gemm_tiling(p.m, p.n, replicas * split.splits, 108, 1024);
  const auto& tiling = gemm_tilings[static_cast<std::size_t>(index)];
  return (p.m + tiling.rows - 1) / tiling.rows * ((p.n + tiling.columns - 1) / tiling.columns) * replicas *
         split.splits;
}

// An A100 has 108 compute units. Products below 2 MFLOP per replica take a few microseconds on one of them.
TEST(GemmTilings, TenReplicasFillALargeGpu) {
  int products_seen = 0;
  for (const std::int64_t batch : {16, 64, 128, 256})
    for (const auto& all :
         {products({784, 256, 256, 10}, batch, false), products({784, 51, 51, 10}, batch, false),
          products({4096, 512, 512, 256, 100}, batch, true), products({4096, 102, 102, 51, 100}, batch, true)})
      for (const auto& p : all) {
        if (2 * p.m * p.n * p.k < 2'000'000) continue;
        EXPECT_GE(work_groups(p, 10), 108) << p.m << " x " << p.n << " x " << p.k;
        ++products_seen;
      }
  EXPECT_GT(products_seen, 50);
}

TEST(GemmTilings, SmallBatchesTakeLowTiles) {
  const auto rows = [](std::int64_t m) {
    return gemm_tilings[static_cast<std::size_t>(choose_gemm_tiling(m, 4096, 100, 108, 1024))].rows;
  };
  EXPECT_EQ(rows(16), 16);
  EXPECT_EQ(rows(32), 32);
  EXPECT_EQ(rows(64), 64);
  EXPECT_EQ(rows(256), 128);
}

TEST(GemmTilings, WorkGroupsStayWithinTheDevicesLimit) {
  EXPECT_LE(gemm_tilings[static_cast<std::size_t>(choose_gemm_tiling(4096, 4096, 100, 108, 256))].items(), 256);
}

}  // namespace
}  // namespace cambium
