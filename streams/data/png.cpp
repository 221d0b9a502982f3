#include "streams/data/png.hpp"

#include <zlib.h>

#include <string_view>

#include "base/error.hpp"

namespace cambium {
namespace {

using Bytes = std::vector<std::uint8_t>;

void add_number(Bytes& to, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::uint8_t>(number >> shift));
}

// A chunk is the length, the type, the content, and the CRC of the last two.
void add_chunk(Bytes& to, std::string_view type, const Bytes& content) {
  add_number(to, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = to.size();
  to.insert(to.end(), type.begin(), type.end());
  to.insert(to.end(), content.begin(), content.end());
  add_number(to, static_cast<std::uint32_t>(crc32(0, to.data() + begin, static_cast<uInt>(to.size() - begin))));
}

Bytes compressed(const Bytes& content) {
  uLongf size = compressBound(static_cast<uLong>(content.size()));
  Bytes result(size);
  expect(
      compress2(result.data(), &size, content.data(), static_cast<uLong>(content.size()), Z_BEST_COMPRESSION) == Z_OK,
      "zlib could not compress {} bytes", content.size());
  result.resize(size);
  return result;
}

}  // namespace

Bytes png(std::span<const std::uint8_t> pixels, std::int32_t height, std::int32_t width, std::int32_t channels) {
  const auto row = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  expect(channels == 1 || channels == 3, "a PNG of {} channels", channels);
  expect(pixels.size() == static_cast<std::size_t>(height) * row, "there are {} bytes for an image of {} x {} x {}",
         pixels.size(), height, width, channels);
  Bytes header;
  add_number(header, static_cast<std::uint32_t>(width));
  add_number(header, static_cast<std::uint32_t>(height));
  const std::uint8_t grey = 0, colour = 2;
  // Bits per channel, colour type, compression, filter, interlacing.
  header.insert(header.end(), {8, channels == 1 ? grey : colour, 0, 0, 0});
  Bytes lines;
  for (std::size_t begin = 0; begin < pixels.size(); begin += row) {
    lines.push_back(0);  // filter type: none
    lines.insert(lines.end(), pixels.begin() + static_cast<std::ptrdiff_t>(begin),
                 pixels.begin() + static_cast<std::ptrdiff_t>(begin + row));
  }
  Bytes result{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  add_chunk(result, "IHDR", header);
  add_chunk(result, "IDAT", compressed(lines));
  add_chunk(result, "IEND", {});
  return result;
}

}  // namespace cambium
