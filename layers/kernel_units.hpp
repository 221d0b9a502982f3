// The kernel units of this folder.
#pragma once

#include "layers/activation.hpp"
#include "sycl/kernel_unit.hpp"

namespace cambium {

// The definition that selects the activation function of a kernel.
constexpr Definition activation_definition(Activation::Kind kind) { return {"ACTIVATION", name_of(kind)}; }

// In the order of Activation::Kind.
inline constexpr KernelUnit activation_units[] = {
    KernelUnit("layers/activation.sycl", {activation_definition(Activation::Kind::relu)}),
    KernelUnit("layers/activation.sycl", {activation_definition(Activation::Kind::smooth_leaky)}),
    KernelUnit("layers/activation.sycl", {activation_definition(Activation::Kind::rsl)})};

inline constexpr KernelUnit activation_pool_units[] = {
    KernelUnit("layers/activation_pool.sycl", {activation_definition(Activation::Kind::relu), {"IS_RELU", 1}}),
    KernelUnit("layers/activation_pool.sycl", {activation_definition(Activation::Kind::smooth_leaky), {"IS_RELU", 0}}),
    KernelUnit("layers/activation_pool.sycl", {activation_definition(Activation::Kind::rsl), {"IS_RELU", 0}})};

inline constexpr KernelUnit compaction_unit{"layers/compaction.sycl"};
inline constexpr KernelUnit softmax_cross_entropy_unit{"layers/softmax_cross_entropy.sycl"};

inline constexpr const KernelUnit* layer_kernel_units[] = {
    &activation_units[0],      &activation_units[1],      &activation_units[2], &activation_pool_units[0],
    &activation_pool_units[1], &activation_pool_units[2], &compaction_unit,     &softmax_cross_entropy_unit};

}  // namespace cambium
