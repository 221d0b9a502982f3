// A batch of images as Python keeps it: a pickled dictionary with the pixels as an array of NumPy and the labels as a
// list. CIFAR comes like this, and down-sampled ImageNet.
//
// A pickle is a program for a small stack machine. This one knows the instructions that such a dictionary needs, and
// the two functions of NumPy that stand for an array; it runs nothing else and refuses everything else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"

namespace cambium {

// The key of the labels, and what they are called in the file.
struct PickledLabels {
  std::string key = "labels";
  std::int32_t lowest = 0, classes = 0;
};

struct PickledBatch {
  std::vector<std::uint16_t> labels;  // (count), the lowest made 0
  const std::uint8_t* planes;         // (count, 3, 32, 32), inside the file or in `turned`
  std::vector<std::uint8_t> turned;   // what the file has by columns

  std::size_t count() const { return labels.size(); }
};

// The file must outlive the batch. Entries of the dictionary that are neither pixels nor labels are passed over.
PickledBatch read_pickled_batch(const DataFile& file, const PickledLabels& labels);

}  // namespace cambium
