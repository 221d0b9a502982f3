// The index of a work-item in its work-group, and of the group in the launch. Dimension 2 is the innermost.
//
// For NVIDIA and AMD GPUs, the runtime compiler does not inline DPC++'s own functions for these: each would be a call.
// The registers are read directly instead. A launch never has an offset.
#pragma once

#include <cstdint>

#if defined(__NVPTX__)

template <int dimension>
inline std::uint32_t local_index() {
  if constexpr (dimension == 2) return __nvvm_read_ptx_sreg_tid_x();
  if constexpr (dimension == 1) return __nvvm_read_ptx_sreg_tid_y();
  return __nvvm_read_ptx_sreg_tid_z();
}
template <int dimension>
inline std::uint32_t group_index() {
  if constexpr (dimension == 2) return __nvvm_read_ptx_sreg_ctaid_x();
  if constexpr (dimension == 1) return __nvvm_read_ptx_sreg_ctaid_y();
  return __nvvm_read_ptx_sreg_ctaid_z();
}
template <int dimension>
inline std::uint32_t group_size() {
  if constexpr (dimension == 2) return __nvvm_read_ptx_sreg_ntid_x();
  if constexpr (dimension == 1) return __nvvm_read_ptx_sreg_ntid_y();
  return __nvvm_read_ptx_sreg_ntid_z();
}
// Waits until all items of the group are here and their writes to local memory are visible.
inline void barrier() { __syncthreads(); }

#elif defined(__AMDGCN__)

template <int dimension>
inline std::uint32_t local_index() {
  if constexpr (dimension == 2) return __builtin_amdgcn_workitem_id_x();
  if constexpr (dimension == 1) return __builtin_amdgcn_workitem_id_y();
  return __builtin_amdgcn_workitem_id_z();
}
template <int dimension>
inline std::uint32_t group_index() {
  if constexpr (dimension == 2) return __builtin_amdgcn_workgroup_id_x();
  if constexpr (dimension == 1) return __builtin_amdgcn_workgroup_id_y();
  return __builtin_amdgcn_workgroup_id_z();
}
template <int dimension>
inline std::uint32_t group_size() {
  if constexpr (dimension == 2) return __builtin_amdgcn_workgroup_size_x();
  if constexpr (dimension == 1) return __builtin_amdgcn_workgroup_size_y();
  return __builtin_amdgcn_workgroup_size_z();
}
inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#else

#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/group_barrier.hpp>

template <int dimension>
inline std::uint32_t local_index() {
  return static_cast<std::uint32_t>(sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_local_id(dimension));
}
template <int dimension>
inline std::uint32_t group_index() {
  return static_cast<std::uint32_t>(sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_group(dimension));
}
template <int dimension>
inline std::uint32_t group_size() {
  return static_cast<std::uint32_t>(sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_local_range(dimension));
}
inline void barrier() { sycl::group_barrier(sycl::ext::oneapi::this_work_item::get_work_group<3>()); }

#endif
