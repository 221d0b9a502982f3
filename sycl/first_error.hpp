// The first exception of functions that a runtime calls, where no exception may leave them.
#pragma once

#include <exception>
#include <mutex>
#include <utility>

namespace cambium {

class FirstError {
 public:
  void store(std::exception_ptr error) noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  // Rethrows it, once.
  void rethrow() {
    const std::unique_lock lock(mutex_);
    if (const auto error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace cambium
