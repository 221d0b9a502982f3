#include "streams/data/idx.hpp"

#include <array>
#include <span>

namespace cambium {
namespace {

// Above the sizes of all such data sets, and small enough that their product does not overflow.
constexpr std::uint64_t largest_count = 100'000'000, largest_side = 4096;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// Checks the header and the length, and returns the sizes. Sets `values` to the bytes after the header.
template <std::size_t Dimensions>
std::array<std::int32_t, Dimensions> parse(const DataFile& file, const char* content,
                                           std::span<const std::uint8_t>& values) {
  constexpr std::size_t header = 4 + 4 * Dimensions;
  if (file.bytes.size() < header)
    file.refuse("the file has {} bytes, but the header alone has {}; it is cut short", file.bytes.size(), header);
  constexpr std::uint32_t magic = 0x0800 + Dimensions;  // unsigned bytes, in this many dimensions
  const std::uint32_t found = big_endian(file.bytes.data());
  if (found != magic)
    file.refuse("not an IDX file of {}: it begins with {:08x} instead of {:08x}", content, found, magic);
  std::array<std::int32_t, Dimensions> sizes{};
  std::uint64_t expected = header, volume = 1;
  for (std::size_t i = 0; i < Dimensions; ++i) {
    const std::uint32_t size = big_endian(file.bytes.data() + 4 + 4 * i);
    if (size == 0 || size > (i == 0 ? largest_count : largest_side))
      file.refuse("the header has the size {}, which is impossible; the file is damaged", grouped(size));
    sizes[i] = static_cast<std::int32_t>(size);
    volume *= size;
  }
  expected += volume;
  if (file.bytes.size() != expected)
    file.refuse("{} bytes expected from its header, {} found; the file {}", grouped(expected),
                grouped(file.bytes.size()), file.bytes.size() < expected ? "is cut short" : "has bytes after its end");
  values = std::span(file.bytes).subspan(header);
  return sizes;
}

}  // namespace

Images read_idx(const DataFile& images, const DataFile& labels, std::int32_t classes) {
  std::span<const std::uint8_t> pixels, classes_of_images;
  const auto [count, height, width] = parse<3>(images, "images", pixels);
  const auto [label_count] = parse<1>(labels, "labels", classes_of_images);
  if (label_count != count)
    labels.refuse("the file has {} labels for the {} images of {}", grouped(label_count), grouped(count), images.shown);
  check_labels(labels, classes_of_images, classes);
  return {.count = count,
          .height = height,
          .width = width,
          .channels = 1,
          .pixels = {pixels.begin(), pixels.end()},
          .labels = {classes_of_images.begin(), classes_of_images.end()}};
}

}  // namespace cambium
