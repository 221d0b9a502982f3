// The streams of each file, in the order of streams().
#pragma once

#include "streams/stream.hpp"

namespace cambium {

std::vector<StreamEntry> iid_streams();
std::vector<StreamEntry> split_streams();
std::vector<StreamEntry> permuted_streams();
std::vector<StreamEntry> random_label_streams();
std::vector<StreamEntry> five_plus_one_streams();
std::vector<StreamEntry> continual_imagenet_streams();

}  // namespace cambium
