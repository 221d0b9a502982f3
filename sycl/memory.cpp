#include "sycl/memory.hpp"

#include <utility>

#include "sycl/handles.hpp"

namespace cambium {
namespace {

double gibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

}  // namespace

Allocation::Allocation(Device& device, std::size_t bytes) : device_(&device), bytes_(bytes) {
  if (bytes == 0) return;
  std::string reason = "the driver refused";
  try {
    address_ = sycl::malloc_device(bytes, device.state().queue_handle());
  } catch (const sycl::exception& error) {
    reason = error.what();
  }
  if (address_ == nullptr)
    throw_device_error(
        "{}: no room for {:.2f} GiB ({} bytes) of device memory: {}. The device has {:.2f} GiB, at most {:.2f} GiB in "
        "one piece; use fewer replicas or a smaller batch.",
        device.info().name, gibibytes(bytes), bytes, reason, gibibytes(device.info().memory_bytes),
        gibibytes(device.info().largest_allocation_bytes));
}

Allocation::~Allocation() {
  if (address_ == nullptr) return;
  try {
    device_->state().queue().wait();  // Kernels collected or in flight may still use it.
    sycl::free(address_, device_->state().queue());
  } catch (const sycl::exception&) {
    // The device is gone, and its memory with it.
  }
}

Allocation::Allocation(Allocation&& other) noexcept { *this = std::move(other); }

Allocation& Allocation::operator=(Allocation&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void Allocation::copy_from_host(std::size_t offset, const void* source, std::size_t bytes) {
  copy_to_device(*device_, source, static_cast<char*>(address_) + offset, bytes);
}

void Allocation::copy_to_host(std::size_t offset, void* target, std::size_t bytes) const {
  cambium::copy_to_host(*device_, static_cast<const char*>(address_) + offset, target, bytes);
}

void Allocation::clear() {
  if (bytes_ == 0) return;
  calling_sycl("clearing device memory", [&] { device_->state().queue().memset(address_, 0, bytes_); });
}

void* Allocation::fault() const {
#ifdef CAMBIUM_CHECKED
  return device_ == nullptr ? nullptr : device_->state().fault;
#else
  return nullptr;
#endif
}

void copy_to_device(Device& device, const void* source, void* target, std::size_t bytes) {
  if (bytes == 0) return;
  calling_sycl("copying to the device", [&] { device.state().queue().memcpy(target, source, bytes).wait_and_throw(); });
}

void copy_to_host(Device& device, const void* source, void* target, std::size_t bytes) {
  if (bytes == 0) return;
  device.wait();
  calling_sycl("copying from the device",
               [&] { device.state().queue().memcpy(target, source, bytes).wait_and_throw(); });
}

void copy(Device& device, View<const float> from, View<float> to) {
  expect(from.size() == to.size(), "copy of {} elements to {}", from.size(), to.size());
  if (from.empty()) return;
  calling_sycl("copying on the device", [&] {
    device.state().queue().memcpy(RawAccess::address(to), RawAccess::address(from), from.size() * sizeof(float));
  });
}

void clear(Device& device, View<float> values) {
  if (values.empty()) return;
  calling_sycl("clearing device memory",
               [&] { device.state().queue().memset(RawAccess::address(values), 0, values.size() * sizeof(float)); });
}

}  // namespace cambium
