// Device memory: Buffer owns it, View (sycl/view.hpp) refers to it, and neither lets the host dereference it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sycl/view.hpp"

namespace cambium {

class Device;

// Access to the address of a View, for the few files that pass it to SYCL or to a vendor library.
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

// Bytes of device memory, freed with the object. Move-only. Most code uses Buffer<T> below.
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

  // Keeps only the first `count` elements; the memory is not freed.
  void shrink(std::size_t count) {
    expect(count <= count_, "a buffer of {} elements shrunk to {}", count_, count);
    count_ = count;
  }

 private:
  Allocation allocation_;
  std::size_t count_ = 0;
};

// Copies between the host and the memory of a view; both wait, as those of Buffer do.
void copy_to_device(Device& device, const void* source, void* target, std::size_t bytes);
void copy_to_host(Device& device, const void* source, void* target, std::size_t bytes);

// Copies inside the device, in the order of the queue.
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

// Memory for intermediate results that is kept between calls and only grows.
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
