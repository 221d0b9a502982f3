// A tile of a matrix product inside a kernel: the loop over the inner dimension that GEMM and convolutions share.
//
// Slices of both operands are loaded into registers while the previous ones are multiplied, then stored into the other
// half of local memory: one barrier per step. Every sum is one chain of fused multiply-adds in ascending order of the
// inner index, so that its bits do not depend on the tile.
#pragma once

#include "sycl/gemm_epilogue.hpp"
#include "sycl/gemm_tile.hpp"
#include "sycl/local_memory.hpp"
#include "sycl/work_item.hpp"

using Quad = float __attribute__((ext_vector_type(4)));

// Four neighbours from x[index] on; those after the first `count` do not exist and are 0. `aligned`: the address
// is a multiple of 16 bytes.
inline Quad load_quad(const View<const float>& x, uint64_t index, uint32_t count, bool aligned) {
#ifndef CAMBIUM_CHECKED
  if (aligned && count >= 4) return *reinterpret_cast<const Quad*>(x.data() + index);
#else
  (void)aligned;
#endif
  Quad result = {0.0f, 0.0f, 0.0f, 0.0f};
  if (count > 0) result.x = x[index];
  if (count > 1) result.y = x[index + 1];
  if (count > 2) result.z = x[index + 2];
  if (count > 3) result.w = x[index + 3];
  return result;
}

// R matrices in memory, as one operand of a product. `outer` is the index that belongs to C, `inner` the one that is
// summed over.
template <bool inner_runs_along_memory>
struct MatrixOperand {
  static constexpr bool inner = inner_runs_along_memory;
  View<const float> values;
  uint64_t start, leading;
  uint32_t outer_count, inner_count;
  bool aligned;

  // The position of an item in one of its quads.
  struct Cursor {
    uint64_t index;
    uint32_t outer_left, inner_left;  // elements from here to the end of the matrix; 0 beyond it
  };
  Cursor cursor(uint32_t outer, uint32_t inner_index) const {
    return {start + (inner ? outer * leading + inner_index : inner_index * leading + outer),
            outer < outer_count ? outer_count - outer : 0, inner_index < inner_count ? inner_count - inner_index : 0};
  }
  // The quad at the cursor, which moves on by `depth` inner indices.
  Quad load(Cursor& at, uint32_t depth) const {
    const uint32_t count = inner ? (at.outer_left == 0 ? 0 : at.inner_left) : (at.inner_left == 0 ? 0 : at.outer_left);
    const Quad quad = load_quad(values, at.index, count, aligned);
    at.index += inner ? depth : depth * leading;
    at.inner_left = at.inner_left > depth ? at.inner_left - depth : 0;
    return quad;
  }
};

template <class Slice, uint32_t items>
inline constexpr uint32_t quads_per_item = (Slice::quads + items - 1) / items;

// sums[i][j] := sum over the inner indices first .. last - 1 of A times B, for this item's part of the tile.
template <class Tile, class Left, class Right>
struct TileProduct {
  using SliceA = GemmSlice<Tile::rows, Left::inner>;
  using SliceB = GemmSlice<Tile::columns, Right::inner>;
  static constexpr uint32_t floats = 2 * (SliceA::floats + SliceB::floats);
  static constexpr uint32_t quads_a = quads_per_item<SliceA, Tile::items>,
                            quads_b = quads_per_item<SliceB, Tile::items>;
  static constexpr uint32_t column_quads = Tile::item_columns / 4;
  // An item's rows are read four or, where it has only two, two at a time.
  static constexpr uint32_t row_step = Tile::item_rows % 4 == 0 ? 4 : 2;
  using Rows = float __attribute__((ext_vector_type(row_step)));

  float sums[Tile::item_rows][Tile::item_columns];

  template <class Slice, uint32_t count, class Operand>
  static void load(Quad (&quads)[count], typename Operand::Cursor (&cursors)[count], const Operand& operand,
                   uint32_t item) {
#pragma unroll
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t quad = item + i * Tile::items;
      if (Slice::quads % Tile::items == 0 || quad < Slice::quads) quads[i] = operand.load(cursors[i], Tile::depth);
    }
  }

  template <class Slice, bool inner, uint32_t count>
  static void store(float* slice, const Quad (&quads)[count], uint32_t item) {
#pragma unroll
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t quad = item + i * Tile::items;
      if (Slice::quads % Tile::items != 0 && quad >= Slice::quads) continue;
      float* to = slice + Slice::place(Slice::position(quad), Slice::inner_index(quad));
      if constexpr (inner) {
        to[0] = quads[i].x;
        to[Slice::pitch] = quads[i].y;
        to[2 * Slice::pitch] = quads[i].z;
        to[3 * Slice::pitch] = quads[i].w;
      } else {
        *reinterpret_cast<Quad*>(to) = quads[i];
      }
    }
  }

  void multiply(const float* slice_a, const float* slice_b, uint32_t item) {
#pragma unroll
    for (uint32_t inner = 0; inner < Tile::depth; ++inner) {
      Rows left[Tile::item_rows / row_step];
      Quad right[column_quads];
#pragma unroll
      for (uint32_t i = 0; i < Tile::item_rows; i += row_step)
        left[i / row_step] = *reinterpret_cast<const Rows*>(slice_a + SliceA::place(Tile::first_row(item) + i, inner));
#pragma unroll
      for (uint32_t j = 0; j < column_quads; ++j)
        right[j] = *reinterpret_cast<const Quad*>(
            slice_b + SliceB::place(Tile::first_column(item) + j * Tile::quad_columns, inner));
#pragma unroll
      for (uint32_t i = 0; i < Tile::item_rows; ++i)
#pragma unroll
        for (uint32_t j = 0; j < Tile::item_columns; ++j)
          sums[i][j] = __builtin_fmaf(left[i / row_step][i % row_step], right[j / 4][j % 4], sums[i][j]);
    }
  }

  // `local` has room for `floats`.
  void run(float* local, const Left& a, const Right& b, uint32_t first_row, uint32_t first_column, uint32_t first,
           uint32_t last) {
    const uint32_t item = local_index<2>();
    typename Left::Cursor cursors_a[quads_a];
    typename Right::Cursor cursors_b[quads_b];
#pragma unroll
    for (uint32_t i = 0; i < quads_a; ++i) {
      const uint32_t quad = item + i * Tile::items;
      cursors_a[i] = a.cursor(first_row + SliceA::position(quad), first + SliceA::inner_index(quad));
    }
#pragma unroll
    for (uint32_t i = 0; i < quads_b; ++i) {
      const uint32_t quad = item + i * Tile::items;
      cursors_b[i] = b.cursor(first_column + SliceB::position(quad), first + SliceB::inner_index(quad));
    }
#pragma unroll
    for (uint32_t i = 0; i < Tile::item_rows; ++i)
#pragma unroll
      for (uint32_t j = 0; j < Tile::item_columns; ++j) sums[i][j] = 0.0f;

    Quad next_a[quads_a], next_b[quads_b];
    load<SliceA>(next_a, cursors_a, a, item);
    load<SliceB>(next_b, cursors_b, b, item);
    uint32_t half = 0;
    for (uint32_t inner = first; inner < last; inner += Tile::depth) {
      float* slice_a = local + half * (floats / 2);
      float* slice_b = slice_a + SliceA::floats;
      store<SliceA, Left::inner>(slice_a, next_a, item);
      store<SliceB, Right::inner>(slice_b, next_b, item);
      barrier();
      if (inner + Tile::depth < last) {
        load<SliceA>(next_a, cursors_a, a, item);
        load<SliceB>(next_b, cursors_b, b, item);
      }
      multiply(slice_a, slice_b, item);
      half ^= 1;
    }
  }
};

// C[start + column] and its three neighbours := the epilogue of four sums, for columns below n.
inline void store_quad(const EpilogueArguments& e, const View<float>& c, uint64_t start, uint32_t replica,
                       uint32_t column, uint32_t n, bool aligned, const float* sums) {
  const uint64_t index = start + column, unit = replica * e.stride + column;
#ifndef CAMBIUM_CHECKED
  if (aligned && column + 3 < n) {
    Quad* to = reinterpret_cast<Quad*>(c.data() + index);
    Quad old = {0.0f, 0.0f, 0.0f, 0.0f}, bias = old, mask = old;
    if (e.beta != 0.0f) old = *to;
    if (!e.bias.empty()) bias = Quad{e.bias[unit], e.bias[unit + 1], e.bias[unit + 2], e.bias[unit + 3]};
    if (!e.mask.empty()) mask = Quad{e.mask[unit], e.mask[unit + 1], e.mask[unit + 2], e.mask[unit + 3]};
    *to = Quad{finish(e, sums[0], old.x, bias.x, mask.x), finish(e, sums[1], old.y, bias.y, mask.y),
               finish(e, sums[2], old.z, bias.z, mask.z), finish(e, sums[3], old.w, bias.w, mask.w)};
    return;
  }
#else
  (void)aligned;
#endif
#pragma unroll
  for (uint32_t i = 0; i < 4; ++i)
    if (column + i < n) store_sum(e, c, index + i, unit + i, sums[i]);
}
