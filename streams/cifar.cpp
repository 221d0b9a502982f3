#include "streams/cifar.hpp"

namespace cambium {

Images read_cifar_binary(std::span<const DataFile> files, const CifarLabels& labels) {
  Images images;
  const std::size_t record = labels.size() + cifar_pixels;
  for (const auto& file : files) {
    if (file.bytes.empty() || file.bytes.size() % record != 0)
      file.refuse("{} bytes are not a number of whole images, of {} bytes each; the file is cut short or damaged",
                  grouped(file.bytes.size()), grouped(record));
    const std::size_t count = file.bytes.size() / record;
    std::vector<std::uint8_t> column(count);
    for (std::size_t kind = 0; kind < labels.size(); ++kind) {
      for (std::size_t i = 0; i < count; ++i) column[i] = file.bytes[i * record + kind];
      check_labels(file, column, labels[kind], kind + 1 == labels.size() ? "label" : "coarse label");
    }
    images.labels.insert(images.labels.end(), column.begin(), column.end());
    append_planar(images, file.bytes.data() + labels.size(), count, record);
  }
  return images;
}

void append_planar(Images& images, const std::uint8_t* planes, std::size_t count, std::size_t stride) {
  constexpr std::size_t plane = cifar_pixels / cifar_channels;
  images.height = images.width = cifar_side;
  images.channels = cifar_channels;
  images.count += static_cast<std::int32_t>(count);
  const std::size_t before = images.pixels.size();
  images.pixels.resize(before + count * cifar_pixels);
  std::uint8_t* pixel = images.pixels.data() + before;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* image = planes + i * stride;
    for (std::size_t place = 0; place < plane; ++place)
      for (std::size_t channel = 0; channel < cifar_channels; ++channel) *pixel++ = image[channel * plane + place];
  }
}

}  // namespace cambium
