// Arrays as NumPy saves them (.npy): a magic word, a version, a header that is a dictionary in Python's notation with
// the elements' type and the shape, then the elements.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"

namespace cambium {

struct NpyArray {
  std::string type;  // as NumPy writes it: |u1, <f4, <f8
  std::vector<std::size_t> shape;
  std::span<const std::uint8_t> bytes;  // inside the file, which must outlive the array; the last index runs fastest
};

// Refuses what is not of one of these three types, by columns, or of another length than the header says.
NpyArray read_npy(const DataFile& file);

// "(700, 3, 32, 32)"
std::string shape_text(std::span<const std::size_t> shape);

}  // namespace cambium
