// Files of named tensors in the safetensors format, which Python libraries read.
//
// A file has a length, a JSON header with the names, types, shapes and byte ranges of all tensors and a dictionary of
// strings, and then the bytes. The reader checks everything and throws InputError with the file and the tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace cambium {

enum class TensorType { f32, f64, i32, i64, u8, u32, u64 };

std::string_view name_of(TensorType type);  // F32, U8, ...

template <class T>
constexpr TensorType tensor_type();
template <>
constexpr TensorType tensor_type<float>() {
  return TensorType::f32;
}
template <>
constexpr TensorType tensor_type<double>() {
  return TensorType::f64;
}
template <>
constexpr TensorType tensor_type<std::int32_t>() {
  return TensorType::i32;
}
template <>
constexpr TensorType tensor_type<std::int64_t>() {
  return TensorType::i64;
}
template <>
constexpr TensorType tensor_type<std::uint8_t>() {
  return TensorType::u8;
}
template <>
constexpr TensorType tensor_type<std::uint32_t>() {
  return TensorType::u32;
}
template <>
constexpr TensorType tensor_type<std::uint64_t>() {
  return TensorType::u64;
}

struct Tensor {
  TensorType type = TensorType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::int64_t count() const;

  template <class T>
  static Tensor of(std::vector<std::int64_t> shape, std::span<const T> values) {
    Tensor tensor{tensor_type<T>(), std::move(shape), {}};
    expect(tensor.count() == static_cast<std::int64_t>(values.size()), "{} values for a tensor of {}", values.size(),
           tensor.count());
    const auto bytes = std::as_bytes(values);
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return tensor;
  }
  template <class T>
  static Tensor of(std::vector<std::int64_t> shape, const std::vector<T>& values) {
    return of(std::move(shape), std::span<const T>(values));
  }
};

class TensorFile {
 public:
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;

  // Throws InputError if the file cannot be read or is damaged.
  static TensorFile read(const std::filesystem::path& file);
  // Atomic and durable: writes a temporary file, syncs it, and renames it.
  void write(const std::filesystem::path& file) const;

  // The values of a tensor. Throws InputError if it is missing or has another type or shape; an axis of -1 may have any
  // length.
  template <class T>
  std::vector<T> values(const std::string& name, const std::vector<std::int64_t>& shape) const {
    const Tensor& tensor = checked(name, tensor_type<T>(), shape);
    std::vector<T> result(static_cast<std::size_t>(tensor.count()));
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), std::as_writable_bytes(std::span(result)).begin());
    return result;
  }
  const std::string& text(const std::string& key) const;  // from the metadata
  const std::string& source() const { return source_; }   // the file that was read, for messages
  bool contains(const std::string& name) const { return tensors.contains(name); }

 private:
  const Tensor& checked(const std::string& name, TensorType type, const std::vector<std::int64_t>& shape) const;

  std::string source_ = "tensors";
};

}  // namespace cambium
