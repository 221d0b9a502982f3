// Sums over the columns or rows of R matrices, which belong to units. See unit_sums.sycl for the order of the sums.
#pragma once

#include "sycl/gemm.hpp"

namespace cambium {

// sums (R, columns) := scale * sum over the rows of |x|.
void absolute_columns(Device& device, const Matrices<const float>& x, float scale, View<float> sums);
// sums (R, columns), or (R, rows), += scale * sum of x^2.
void add_squared_columns(Device& device, const Matrices<const float>& x, float scale, View<float> sums);
void add_squared_rows(Device& device, const Matrices<const float>& x, float scale, View<float> sums);
void square_roots(Device& device, View<float> values);  // in place

}  // namespace cambium
