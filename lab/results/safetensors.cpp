#include "lab/results/safetensors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/durable_file.hpp"
#include "base/file.hpp"

namespace cambium {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;

struct TypeEntry {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
constexpr TypeEntry types[] = {{TensorType::f32, "F32", 4}, {TensorType::f64, "F64", 8}, {TensorType::i32, "I32", 4},
                               {TensorType::i64, "I64", 8}, {TensorType::u8, "U8", 1},   {TensorType::u32, "U32", 4},
                               {TensorType::u64, "U64", 8}};

const TypeEntry& entry_of(TensorType type) {
  return *std::find_if(std::begin(types), std::end(types), [&](const TypeEntry& e) { return e.type == type; });
}

// The number of elements. Throws for negative axes and for products that overflow.
std::uint64_t checked_count(const std::vector<std::int64_t>& shape, const std::string& where) {
  std::uint64_t count = 1;
  for (const auto axis : shape) {
    if (axis < 0 || (axis > 0 && count > (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(axis)))
      throw_input_error("{}: impossible shape ({})", where, fmt::join(shape, ", "));
    count *= static_cast<std::uint64_t>(axis);
  }
  return count;
}

// Throws unless all values are integers; nlohmann would convert other numbers.
template <class T>
std::vector<T> whole_numbers(const nlohmann::json& array, const std::string& where) {
  for (const auto& value : array)
    if (!value.is_number_integer())
      throw_input_error("{}: the header has {} instead of a whole number", where, value.dump());
  return array.get<std::vector<T>>();
}

// A tensor and its byte range in the file.
struct PlacedTensor {
  std::string name;
  Tensor tensor;
  std::uint64_t begin = 0, end = 0;
};

PlacedTensor read_tensor(const std::string& name, const nlohmann::json& entry, const std::vector<std::byte>& data,
                         const std::string& where) {
  const auto type_name = entry.at("dtype").get<std::string>();
  const auto type =
      std::find_if(std::begin(types), std::end(types), [&](const TypeEntry& e) { return e.name == type_name; });
  if (type == std::end(types)) throw_input_error("{}: unknown type {}", where, type_name);
  Tensor tensor{type->type, whole_numbers<std::int64_t>(entry.at("shape"), where), {}};
  const auto offsets = whole_numbers<std::uint64_t>(entry.at("data_offsets"), where);
  const std::uint64_t size = checked_count(tensor.shape, where) * type->size;
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size())
    throw_input_error("{}: the byte range [{}] is outside the data of {} bytes; the file is cut short or damaged",
                      where, fmt::join(offsets, ", "), data.size());
  if (offsets[1] - offsets[0] != size)
    throw_input_error("{}: {} bytes for a {} tensor of shape ({}), which needs {}", where, offsets[1] - offsets[0],
                      type_name, fmt::join(tensor.shape, ", "), size);
  return {name, std::move(tensor), offsets[0], offsets[1]};
}

// Checks that the byte ranges cover the data without gaps and overlaps, which also bounds the memory that is allocated.
void check_that_all_is_used(std::vector<PlacedTensor>& placed, std::uint64_t size, const std::string& file) {
  std::sort(placed.begin(), placed.end(), [](const PlacedTensor& a, const PlacedTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t used = 0;
  for (const auto& tensor : placed) {
    if (tensor.begin != used)
      throw_input_error("{}: {}: the byte range begins at {}, but the one before it ends at {}; the file is damaged",
                        file, tensor.name, tensor.begin, used);
    used = tensor.end;
  }
  if (used != size) throw_input_error("{}: {} bytes follow the last tensor; the file is damaged", file, size - used);
}

// The order of the tensors in the file: wide elements first, so that every tensor is aligned to its element size.
std::vector<const std::pair<const std::string, Tensor>*> in_file_order(const std::map<std::string, Tensor>& tensors) {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& named : tensors) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return entry_of(a->second.type).size > entry_of(b->second.type).size;
  });
  return order;
}

}  // namespace

std::string_view name_of(TensorType type) { return entry_of(type).name; }

std::int64_t Tensor::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

TensorFile TensorFile::read(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) throw_input_error("{}: this is a folder. Name a file in it.", file);
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) throw_file_error(path, "read", errno);
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  stream.seekg(0);
  std::uint64_t header_size = 0;
  stream.read(reinterpret_cast<char*>(&header_size), sizeof header_size);
  if (!stream || size < sizeof header_size || header_size > size - sizeof header_size || header_size > longest_header)
    throw_input_error("{}: not a safetensors file, or cut short ({} bytes)", file, size);
  std::string header(header_size, '\0');
  std::vector<std::byte> data(size - sizeof header_size - header_size);
  stream.read(header.data(), static_cast<std::streamsize>(header.size()));
  stream.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!stream) throw_file_error(path, "read to its end", errno != 0 ? errno : EIO);

  TensorFile result;
  result.source_ = file;
  try {
    const auto parsed = nlohmann::json::parse(header);
    if (!parsed.is_object()) throw_input_error("{}: the header is not that of a safetensors file", file);
    std::vector<PlacedTensor> placed;
    for (const auto& [name, entry] : parsed.items()) {
      if (name == "__metadata__")
        result.metadata = entry.get<std::map<std::string, std::string>>();
      else
        placed.push_back(read_tensor(name, entry, data, fmt::format("{}: {}", file, name)));
    }
    check_that_all_is_used(placed, data.size(), file);
    for (auto& [name, tensor, begin, end] : placed) {
      tensor.bytes.assign(data.begin() + static_cast<std::ptrdiff_t>(begin),
                          data.begin() + static_cast<std::ptrdiff_t>(end));
      result.tensors.emplace(name, std::move(tensor));
    }
  } catch (const nlohmann::json::exception& error) {
    throw_input_error("{}: the header is not that of a safetensors file: {}", file, error.what());
  }
  return result;
}

void TensorFile::write(const std::filesystem::path& file) const {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  const auto order = in_file_order(tensors);
  for (const auto* named : order) {
    const auto& [name, tensor] = *named;
    header[name] = {{"dtype", name_of(tensor.type)},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data start at a multiple of 8
  const std::uint64_t header_size = text.size();
  DurableFile out(file);
  out.write(std::as_bytes(std::span(&header_size, 1)));
  out.write(std::as_bytes(std::span(text)));
  for (const auto* named : order) out.write(named->second.bytes);
  out.commit();
}

const std::string& TensorFile::text(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw_input_error("{}: the metadata have no {}", source_, key);
  return found->second;
}

const Tensor& TensorFile::checked(const std::string& name, TensorType type,
                                  const std::vector<std::int64_t>& shape) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw_input_error("{}: the file has no tensor {}", source_, name);
  const Tensor& tensor = found->second;
  const bool fits = tensor.shape.size() == shape.size() &&
                    std::equal(shape.begin(), shape.end(), tensor.shape.begin(),
                               [](std::int64_t wanted, std::int64_t is) { return wanted == -1 || wanted == is; });
  if (tensor.type != type || !fits)
    throw_input_error("{}: {} has type {} and shape ({}) instead of {} and ({})", source_, name, name_of(tensor.type),
                      fmt::join(tensor.shape, ", "), name_of(type), fmt::join(shape, ", "));
  return tensor;
}

}  // namespace cambium
