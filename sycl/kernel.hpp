// What every .sycl file starts from: how a kernel is declared, and the types its arguments have.
//
// This header is compiled by the runtime compiler only, together with one .sycl file; host code includes
// sycl/memory.hpp and friends instead. It is kept to the few SYCL headers that compile in a fraction of a second.
//
// Rules for kernels (they run on devices that nobody here has): no double, no assumed sub-group size, any work-group
// size, at most 32 KiB of local memory, sums in an order that depends on the shape alone.
#pragma once

#include <cstdint>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

using std::int32_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// A kernel over a one- or three-dimensional range, visible by its plain name.
#define CAMBIUM_KERNEL(dimensions) \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<dimensions>)) void
#define KERNEL_1D CAMBIUM_KERNEL(1)
#define KERNEL_3D CAMBIUM_KERNEL(3)

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

#ifdef CAMBIUM_CHECKED
struct Fault {
  uint32_t raised;
  uint32_t padding;
  uint64_t index;
  uint64_t length;
  uint64_t scratch[2];
};
#endif

// Device memory with its length; cambium::View on the host. Debug builds check every index.
template <class T>
struct View {
  T* data;
  uint64_t count;
#ifdef CAMBIUM_CHECKED
  Fault* fault;

  T& operator[](uint64_t index) const {
    if (index < count) return data[index];
    if (fault->raised == 0) {
      fault->raised = 1;
      fault->index = index;
      fault->length = count;
    }
    return *reinterpret_cast<T*>(fault->scratch);
  }
#else
  T& operator[](uint64_t index) const { return data[index]; }
#endif
  bool empty() const { return count == 0; }
};
