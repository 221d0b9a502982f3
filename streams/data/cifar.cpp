#include "streams/data/cifar.hpp"

#include "streams/data/pickled_batch.hpp"

namespace cambium {

Images read_cifar_binary(std::span<const DataFile> files, const CifarLabels& labels) {
  Images images;
  const std::size_t record = labels.size() + cifar_pixels;
  for (const auto& file : files) {
    if (file.bytes.empty() || file.bytes.size() % record != 0)
      file.refuse("{} bytes are not a whole number of images of {} bytes; the file is cut short or damaged",
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

Images read_cifar_python(std::span<const DataFile> files, const std::string& labels, std::int32_t classes) {
  Images images;
  for (const auto& file : files) {
    const auto batch = read_pickled_batch(file, {.key = labels, .lowest = 0, .classes = classes});
    images.labels.insert(images.labels.end(), batch.labels.begin(), batch.labels.end());
    append_planar(images, batch.planes, batch.count(), cifar_pixels);
  }
  return images;
}

void append_planar(Images& images, const std::uint8_t* planes, std::size_t count, std::size_t stride) {
  images.height = images.width = cifar_side;
  images.channels = cifar_channels;
  images.count += static_cast<std::int32_t>(count);
  const std::size_t before = images.pixels.size();
  images.pixels.resize(before + count * cifar_pixels);
  for (std::size_t i = 0; i < count; ++i)
    interleave_planes(planes + i * stride, images.pixels.data() + before + i * cifar_pixels);
}

void interleave_planes(const std::uint8_t* planes, std::uint8_t* pixels) {
  constexpr std::size_t plane = cifar_pixels / cifar_channels;
  for (std::size_t place = 0; place < plane; ++place)
    for (std::size_t channel = 0; channel < cifar_channels; ++channel) *pixels++ = planes[channel * plane + place];
}

}  // namespace cambium
