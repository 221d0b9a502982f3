// What a trace tells about an edit, in a run's memory and in files:
//
//   mask.<event>.<layer>      U8 (R, units)   active units after it
//   scores.<event>.<layer>    F32 (R, units)  what units were chosen by
//   <donor>.<event>.<layer>   I32 (R, units)  from whom an intervention took something for a newborn unit, -1: no one
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
