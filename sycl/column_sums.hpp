// Sums over the rows of matrices: the gradient of a bias, among others.
#pragma once

#include "sycl/memory.hpp"

namespace cambium {

class Device;

// sums[r][j] := sum over i of x[r][i][j]; x is (R, rows, columns), sums (R, columns), overwritten.
// The order of the additions depends on the number of rows alone. Long columns are summed in two steps, through the
// workspace.
void column_sums(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
                 View<float> sums, Workspace& workspace);

}  // namespace cambium
