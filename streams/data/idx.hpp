// Reader of the IDX format of MNIST and Fashion-MNIST: a magic number, a big-endian size per dimension, then bytes.
#pragma once

#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"

namespace cambium {

// Returns grey images. `images` has the shape (count, height, width), `labels` the shape (count) and values below
// `classes`.
Images read_idx(const DataFile& images, const DataFile& labels, std::int32_t classes);

}  // namespace cambium
