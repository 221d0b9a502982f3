// The IDX format of MNIST and Fashion-MNIST: a magic word, one big-endian size per dimension, then bytes.
#pragma once

#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"

namespace cambium {

// Grey images from a file of images (count, height, width) and a file of labels (count), each label below `classes`.
Images read_idx(const DataFile& images, const DataFile& labels, std::int32_t classes);

}  // namespace cambium
