// Parameters and masks of networks in safetensors files:
//
//   <prefix>fc1.weight, <prefix>fc1.bias, ...   F32, PyTorch's layout, replicas on the first axis
//   <prefix>fc1, ...                            U8 (R, units): which units are active
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/results/safetensors.hpp"
#include "layers/compaction.hpp"

namespace cambium {

void add_parameters(TensorFile& file, const std::string& prefix, const ParameterLayout& full,
                    std::span<const float> values);
std::vector<float> read_parameters(const TensorFile& file, const std::string& prefix, const ParameterLayout& full);
void add_masks(TensorFile& file, const std::string& prefix, const Architecture& architecture,
               const Structure& structure);
// A file with the masks of one network is used for all replicas.
Structure read_masks(const TensorFile& file, const std::string& prefix, const Architecture& architecture,
                     std::int32_t replicas);

}  // namespace cambium
