// The kernel units of this folder.
#pragma once

#include "layers/kernel_units.hpp"

namespace cambium {

inline constexpr std::uint32_t newborns_per_item = 8;  // of a work-item that compares newborns with an incumbent
inline constexpr KernelUnit moment_transplant_unit{"plasticity/moment_transplant.sycl",
                                                   {{"NEWBORNS", newborns_per_item}}};
inline constexpr KernelUnit net2wider_unit{"plasticity/net2wider.sycl"};
inline constexpr KernelUnit newborns_unit{"plasticity/newborns.sycl"};
inline constexpr KernelUnit removed_units_unit{"plasticity/removed_units.sycl"};
inline constexpr KernelUnit signals_unit{"plasticity/signals.sycl"};
inline constexpr KernelUnit unit_sums_unit{"plasticity/unit_sums.sycl"};
// In the order of Activation::Kind.
inline constexpr KernelUnit score_units[] = {
    KernelUnit("plasticity/scores.sycl", {activation_definition(Activation::Kind::relu)}),
    KernelUnit("plasticity/scores.sycl", {activation_definition(Activation::Kind::smooth_leaky)}),
    KernelUnit("plasticity/scores.sycl", {activation_definition(Activation::Kind::rsl)})};

inline constexpr const KernelUnit* plasticity_kernel_units[] = {
    &moment_transplant_unit, &net2wider_unit, &newborns_unit,  &removed_units_unit, &signals_unit,
    &unit_sums_unit,         &score_units[0], &score_units[1], &score_units[2]};

}  // namespace cambium
