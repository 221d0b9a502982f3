// The work of each item on one tile of a matrix product: the elements that it loads, their places in local memory, and
// the elements that it reads from there. Kernels and the test that counts bank conflicts include this header.
//
// A step multiplies a (rows x depth) slice of A by a (depth x columns) slice of B. Both lie in local memory with the
// inner index outermost, so that an item reads its rows and columns as quads of four neighbouring floats. Slices come
// from memory in quads, too: along the inner index where the operand lies that way ("inner"), else across it.
//   outer quads  are stored as they are; rows of a slice are `extent` apart
//   inner quads  are transposed on the way, one float at a time; 4 more floats per row spread them over the banks
#pragma once

#include <cstdint>

template <std::uint32_t tile_rows, std::uint32_t tile_columns, std::uint32_t rows_per_item,
          std::uint32_t columns_per_item>
struct GemmTile {
  static constexpr std::uint32_t rows = tile_rows, columns = tile_columns;
  static constexpr std::uint32_t item_rows = rows_per_item, item_columns = columns_per_item;
  static constexpr std::uint32_t depth = 8;  // of one step
  static constexpr std::uint32_t items_across = columns / item_columns, items = rows / item_rows * items_across;
  static_assert(item_rows % 2 == 0 && item_columns % 4 == 0 && rows % 8 == 0 && columns % 8 == 0);

  // First row and first column of an item's part of the tile. Its columns come in quads that lie `quad_columns` apart:
  // neighbouring items read neighbouring quads.
  static constexpr std::uint32_t first_row(std::uint32_t item) { return item / items_across * item_rows; }
  static constexpr std::uint32_t first_column(std::uint32_t item) { return item % items_across * 4; }
  static constexpr std::uint32_t quad_columns = 4 * items_across;
};

// A slice of one operand: `extent` rows of A or columns of B.
template <std::uint32_t extent, bool inner>
struct GemmSlice {
  static constexpr std::uint32_t depth = 8, quads = extent * depth / 4;
  static constexpr std::uint32_t pitch = inner ? extent + 4 : extent, floats = depth * pitch;

  // The position along the extent, and the inner index, of the first float of a quad.
  static constexpr std::uint32_t position(std::uint32_t quad) {
    return inner ? quad / (depth / 4) : quad % (extent / 4) * 4;
  }
  static constexpr std::uint32_t inner_index(std::uint32_t quad) {
    return inner ? quad % (depth / 4) * 4 : quad / (extent / 4);
  }
  // The place of a float of the slice in local memory.
  static constexpr std::uint32_t place(std::uint32_t position, std::uint32_t inner_index) {
    return inner_index * pitch + position;
  }
};
