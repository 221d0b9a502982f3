// View: device memory with its length, as the host passes it to kernels and vendor libraries.
//
// The host and the kernels compile this definition, so its layout is the same on both sides. In a kernel, a View can be
// indexed. On the host it knows its length only: a CPU device would let host code read device memory and a GPU would
// not, so the type forbids it. Host access is Buffer::upload and Buffer::download (sycl/memory.hpp).
//
// In debug builds (CAMBIUM_CHECKED) a View also carries the device's Fault record, and every index inside a kernel is
// checked against the length; Device::wait() reports the first violation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifndef __SYCL_DEVICE_ONLY__
#include "base/error.hpp"
#endif

namespace cambium {

struct RawAccess;

#ifdef CAMBIUM_CHECKED
// Written by the first kernel that indexes a View outside its length.
struct Fault {
  std::uint32_t raised = 0;
  std::uint32_t padding = 0;
  std::uint64_t index = 0;
  std::uint64_t length = 0;
  std::uint64_t scratch[2] = {};  // an out-of-range access is redirected to it
};
#endif

template <class T>
class View {
 public:
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

#ifdef __SYCL_DEVICE_ONLY__
  T* data() const { return data_; }

#ifdef CAMBIUM_CHECKED
  T& operator[](std::uint64_t index) const {
    if (index < count_) return data_[index];
    if (fault_->raised == 0) {
      fault_->raised = 1;
      fault_->index = index;
      fault_->length = count_;
    }
    return *reinterpret_cast<T*>(fault_->scratch);
  }
#else
  T& operator[](std::uint64_t index) const { return data_[index]; }
#endif

#else
  operator View<const T>() const requires(!std::is_const_v<T>) {
    View<const T> result;
    result.data_ = data_;
    result.count_ = count_;
#ifdef CAMBIUM_CHECKED
    result.fault_ = fault_;
#endif
    return result;
  }

  // The elements [offset, offset + count).
  View slice(std::size_t offset, std::size_t count) const {
    expect(offset <= count_ && count <= count_ - offset, "slice [{}, {}) of a view of {} elements", offset,
           offset + count, count_);
    View part = *this;
    part.data_ += offset;
    part.count_ = count;
    return part;
  }
#endif

 private:
  friend class View<std::remove_const_t<T>>;
  friend struct RawAccess;

  T* data_ = nullptr;
  std::uint64_t count_ = 0;
#ifdef CAMBIUM_CHECKED
  Fault* fault_ = nullptr;
#endif
};

#ifdef CAMBIUM_CHECKED
static_assert(sizeof(View<float>) == 24 && sizeof(Fault) == 40);
#else
static_assert(sizeof(View<float>) == 16);
#endif
static_assert(std::is_trivially_copyable_v<View<float>> && std::is_standard_layout_v<View<float>>);

}  // namespace cambium
