// The kernel units of this folder.
#pragma once

#include "sycl/kernel_unit.hpp"

namespace cambium {

constexpr KernelUnit batch_unit(int channels, bool augment, bool permute) {
  return KernelUnit("streams/batch.sycl", {{"CHANNELS", channels}, {"AUGMENT", augment}, {"PERMUTE", permute}});
}
// By the number of channels (1, 3), augmentation (no, yes) and permutation of the pixels (no, yes).
inline constexpr KernelUnit batch_units[2][2][2] = {{{batch_unit(1, false, false), batch_unit(1, false, true)},
                                                     {batch_unit(1, true, false), batch_unit(1, true, true)}},
                                                    {{batch_unit(3, false, false), batch_unit(3, false, true)},
                                                     {batch_unit(3, true, false), batch_unit(3, true, true)}}};

inline constexpr const KernelUnit* stream_kernel_units[] = {
    &batch_units[0][0][0], &batch_units[0][0][1], &batch_units[0][1][0], &batch_units[0][1][1],
    &batch_units[1][0][0], &batch_units[1][0][1], &batch_units[1][1][0], &batch_units[1][1][1]};

}  // namespace cambium
