// Device memory: Buffer owns it, View refers to it, and neither lets the host dereference it.
//
// A View is what kernels and vendor libraries receive. On the host it only knows its length; inside a kernel the type
// of the same name in sycl/kernel.hpp, with the same layout, can be indexed. A CPU device would let host code read
// device memory and a GPU would not, so the type forbids it: host access is Buffer::upload and Buffer::download.
//
// In debug builds (CAMBIUM_CHECKED) a View also carries the device's Fault record, and every index inside a kernel is
// checked against the length; Device::wait() reports the first violation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace cambium {

class Device;
struct RawAccess;

#ifdef CAMBIUM_CHECKED
// Written by the first kernel that indexes a View outside its length. Same layout in sycl/kernel.hpp.
struct Fault {
  std::uint32_t raised = 0;
  std::uint32_t padding = 0;
  std::uint64_t index = 0;
  std::uint64_t length = 0;
  std::uint64_t scratch[2] = {};  // what an out-of-range access is redirected to
};
#endif

template <class T>
class View {
 public:
  operator View<const T>() const requires(!std::is_const_v<T>) {
    View<const T> result;
    result.data_ = data_;
    result.count_ = count_;
#ifdef CAMBIUM_CHECKED
    result.fault_ = fault_;
#endif
    return result;
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  // The elements [offset, offset + count).
  View slice(std::size_t offset, std::size_t count) const {
    expect(offset <= count_ && count <= count_ - offset, "slice [{}, {}) of a view of {} elements", offset,
           offset + count, count_);
    View part = *this;
    part.data_ += offset;
    part.count_ = count;
    return part;
  }

 private:
  friend class View<std::remove_const_t<T>>;
  friend struct RawAccess;

  T* data_ = nullptr;
  std::uint64_t count_ = 0;
#ifdef CAMBIUM_CHECKED
  Fault* fault_ = nullptr;
#endif
};

// The one door to the address, for the few files that hand it to SYCL or to a vendor library.
struct RawAccess {
  template <class T>
  static T* address(const View<T>& view) {
    return view.data_;
  }
  template <class T>
  static View<T> view(T* data, std::size_t count, [[maybe_unused]] void* fault) {
    View<T> result;
    result.data_ = data;
    result.count_ = count;
#ifdef CAMBIUM_CHECKED
    result.fault_ = static_cast<Fault*>(fault);
#endif
    return result;
  }
};

// Bytes of device memory, freed with the object. Move-only. Buffer<T> below is what is normally used.
class Allocation {
 public:
  Allocation() = default;
  Allocation(Device& device, std::size_t bytes);  // throws DeviceError with the size asked for when there is no room
  ~Allocation();
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&& other) noexcept;

  void* address() const { return address_; }

  void copy_from_host(std::size_t offset, const void* source, std::size_t bytes);
  void copy_to_host(std::size_t offset, void* target, std::size_t bytes) const;
  void clear();  // all bytes zero
  void* fault() const;

 private:
  Device* device_ = nullptr;
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t count) : allocation_(device, count * sizeof(T)), count_(count) {}
  Buffer(Device& device, std::span<const T> values) : Buffer(device, values.size()) { upload(values); }
  Buffer(Device& device, const std::vector<T>& values) : Buffer(device, std::span<const T>(values)) {}
  Buffer(Buffer&& other) noexcept : allocation_(std::move(other.allocation_)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    allocation_ = std::move(other.allocation_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }

  std::size_t size() const { return count_; }

  View<T> view() { return RawAccess::view(static_cast<T*>(allocation_.address()), count_, allocation_.fault()); }
  View<const T> view() const {
    return RawAccess::view(static_cast<const T*>(allocation_.address()), count_, allocation_.fault());
  }
  operator View<T>() { return view(); }
  operator View<const T>() const { return view(); }

  // Copies wait for everything enqueued before them; when they return, the host memory may be reused.
  void upload(std::span<const T> values) {
    expect(values.size() == count_, "upload of {} elements into a buffer of {}", values.size(), count_);
    allocation_.copy_from_host(0, values.data(), values.size_bytes());
  }
  void download(std::span<T> values) const {
    expect(values.size() == count_, "download of {} elements from a buffer of {}", values.size(), count_);
    allocation_.copy_to_host(0, values.data(), values.size_bytes());
  }
  // Part of it, from element `offset` on.
  void download(std::size_t offset, std::span<T> values) const {
    expect(offset <= count_ && values.size() <= count_ - offset, "download of [{}, {}) from a buffer of {}", offset,
           offset + values.size(), count_);
    allocation_.copy_to_host(offset * sizeof(T), values.data(), values.size_bytes());
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    download(values);
    return values;
  }
  void clear() { allocation_.clear(); }

  // Only the first `count` elements from now on; the memory stays.
  void shrink(std::size_t count) {
    expect(count <= count_, "a buffer of {} elements shrunk to {}", count_, count);
    count_ = count;
  }

 private:
  Allocation allocation_;
  std::size_t count_ = 0;
};

// Copies between the host and memory that is known by a view; both wait, as those of Buffer do.
void copy_to_device(Device& device, const void* source, void* target, std::size_t bytes);
void copy_to_host(Device& device, const void* source, void* target, std::size_t bytes);

// Inside the device, in the order of what is enqueued.
void copy(Device& device, View<const float> from, View<float> to);
void clear(Device& device, View<float> values);  // all zero

template <class T>
void upload(Device& device, const std::vector<T>& values, View<T> view) {
  expect(values.size() == view.size(), "upload of {} elements into a view of {}", values.size(), view.size());
  copy_to_device(device, values.data(), RawAccess::address(view), values.size() * sizeof(T));
}
template <class T>
std::vector<std::remove_const_t<T>> download(Device& device, View<T> view) {
  std::vector<std::remove_const_t<T>> values(view.size());
  copy_to_host(device, RawAccess::address(view), values.data(), values.size() * sizeof(T));
  return values;
}

// Room for intermediate results that is kept between calls and only ever grows.
class Workspace {
 public:
  View<float> get(Device& device, std::size_t count) {
    if (buffer_.size() < count) buffer_ = Buffer<float>(device, count);
    return buffer_.view().slice(0, count);
  }

 private:
  Buffer<float> buffer_;
};

}  // namespace cambium
