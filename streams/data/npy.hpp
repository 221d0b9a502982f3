// Reader of NumPy's .npy files: a magic number, a version, a header with type and shape as a Python dictionary, then
// the elements.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"

namespace cambium {

struct NpyArray {
  std::string type;  // in NumPy's notation: |u1, <f4 or <f8
  std::vector<std::size_t> shape;
  std::span<const std::uint8_t> bytes;  // of the file, which must outlive the array; row-major
};

// Refuses other types, column-major arrays, and files whose length differs from that in the header.
NpyArray read_npy(const DataFile& file);

// "(700, 3, 32, 32)"
std::string shape_text(std::span<const std::size_t> shape);

}  // namespace cambium
