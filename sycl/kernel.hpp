// Every .sycl file includes this header: it defines how a kernel is written.
//
// It is compiled by the runtime compiler only, together with one .sycl file. It includes only the few SYCL headers that
// compile in a fraction of a second.
//
// Rules for kernels: no double, no assumed sub-group size, any work-group size, at most 32 KiB of local memory, sums in
// an order that depends on the shape alone. Kernels that keep them also work on devices on which they were not tested.
#pragma once

#include <cstdint>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <type_traits>

#include "sycl/kernel_arguments.hpp"

using namespace cambium;
using std::int32_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// A kernel over a one- or three-dimensional range: KERNEL_1D(name, Arguments a) { ... }. The name and the type of its
// arguments must have been declared by DECLARE_KERNEL.
//
// The braces belong to an inlined function, which the kernel's entry point calls with the arguments. The entry point
// takes the struct by value or, with ARGUMENTS_IN_MEMORY, by its address in device memory: a recorded step is replayed
// with other arguments by writing them there (docs/kernels.md).
#define KERNEL_1D(name, arguments) CAMBIUM_KERNEL(, 1, name, arguments)
#define KERNEL_3D(name, arguments) CAMBIUM_KERNEL(, 3, name, arguments)
// A kernel whose work-groups have one item each.
#define KERNEL_OF_SINGLE_ITEMS(name, arguments)                                                                     \
  CAMBIUM_KERNEL(SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::work_group_size<1, 1, 1>)), 3, \
                 name, arguments)

#define CAMBIUM_KERNEL(properties, dimensions, name, arguments)                 \
  static_assert(is_declared<ArgumentsOf<void(arguments)>::Type>(kernels::name), \
                "DECLARE_KERNEL names other arguments");                        \
  inline void name##_body(arguments);                                           \
  extern "C" properties SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                      \
      (sycl::ext::oneapi::experimental::nd_range_kernel<dimensions>)) void      \
  name(CAMBIUM_ENTRY_PARAMETER(ArgumentsOf<void(arguments)>::Type) entry) {     \
    name##_body(CAMBIUM_ENTRY_ARGUMENTS(entry));                                \
  }                                                                             \
  inline void name##_body(arguments)

#if ARGUMENTS_IN_MEMORY
#define CAMBIUM_ENTRY_PARAMETER(...) const __VA_ARGS__*
#define CAMBIUM_ENTRY_ARGUMENTS(entry) *entry
#else
#define CAMBIUM_ENTRY_PARAMETER(...) __VA_ARGS__
#define CAMBIUM_ENTRY_ARGUMENTS(entry) entry
#endif

template <class Arguments, class Declared>
constexpr bool is_declared(KernelName<Declared>) {
  return std::is_same_v<Arguments, Declared>;
}

template <class Function>
struct ArgumentsOf;
template <class Arguments>
struct ArgumentsOf<void(Arguments)> {
  using Type = Arguments;
};

// The index of this work-item. The range is rounded up to whole work-groups: compare it with the number of items.
inline uint32_t item() {
  return static_cast<uint32_t>(sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_linear_id());
}

// The same in three dimensions, each of which is rounded up; `inner` runs along memory.
struct Item3 {
  uint32_t outer, middle, inner;
};
inline Item3 item3() {
  const auto here = sycl::ext::oneapi::this_work_item::get_nd_item<3>();
  return {static_cast<uint32_t>(here.get_global_id(0)), static_cast<uint32_t>(here.get_global_id(1)),
          static_cast<uint32_t>(here.get_global_id(2))};
}
