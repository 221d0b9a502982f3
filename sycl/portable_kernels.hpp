// The two kinds of kernels that Cambium has for some operations: matrix products, convolutions, reductions.
#pragma once

namespace cambium {

// For CPUs: one work-item per work-group with explicit vectors, or per row or column. For GPUs: work-groups that share
// tiles and sums in local memory. Each kind also works on the other kind of device and is tested there.
enum class PortableKernels { cpu, gpu };

}  // namespace cambium
