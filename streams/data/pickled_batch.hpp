// Reader of pickled batches of CIFAR and of downsampled ImageNet: a Python dictionary with the pixels as a NumPy array
// and the labels as a list.
//
// A pickle is a program for a small stack machine. The reader knows the instructions that such a dictionary needs, and
// the two NumPy functions that make an array. It refuses every other instruction and function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"

namespace cambium {

// The key of the labels in the dictionary, and their range.
struct PickledLabels {
  std::string key = "labels";
  std::int32_t lowest = 0, classes = 0;
};

struct PickledBatch {
  std::vector<std::uint16_t> labels;     // (count), from 0
  const std::uint8_t* planes;            // (count, 3, 32, 32), in the file or in `transposed`
  std::vector<std::uint8_t> transposed;  // the row-major copy of a column-major array, else empty

  std::size_t count() const { return labels.size(); }
};

// The file must outlive the batch. Other entries of the dictionary are ignored.
PickledBatch read_pickled_batch(const DataFile& file, const PickledLabels& labels);

}  // namespace cambium
