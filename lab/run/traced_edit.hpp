// The data of an edit in a trace, in memory and in files:
//
//   mask.<event>.<layer>      U8 (R, units)   active units after it
//   scores.<event>.<layer>    F32 (R, units)  the scores of the units
//   <donor>.<event>.<layer>   I32 (R, units)  the donor of a newborn unit in an intervention; -1: none
#pragma once

#include <string>
#include <vector>

#include "lab/results/safetensors.hpp"
#include "plasticity/edit.hpp"

namespace cambium {

struct TracedEdit {
  std::uint32_t event = 0;
  Structure after;
  std::vector<std::vector<float>> scores;
  std::map<std::string, Donors> donors;
};

void add_edit(TensorFile& file, const std::string& prefix, const Architecture& architecture, const TracedEdit& edit);
TracedEdit read_edit(const TensorFile& file, const std::string& prefix, const Architecture& architecture,
                     std::int32_t replicas, std::uint32_t event);

}  // namespace cambium
