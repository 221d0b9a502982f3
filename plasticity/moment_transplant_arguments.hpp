// Arguments of moment_transplant.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct SimilarityArguments {
  View<const float> weights;
  View<const std::int32_t> newborns, incumbents;
  View<float> products, squares;
  std::uint32_t inputs, units, newborn_slots, incumbent_slots;
};
ASSERT_LAYOUT(SimilarityArguments, weights, newborns, incumbents, products, squares, inputs, units, newborn_slots,
              incumbent_slots);

}  // namespace cambium

DECLARE_KERNEL(products, SimilarityArguments)
