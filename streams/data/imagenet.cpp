#include "streams/data/imagenet.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "streams/data/pickled_batch.hpp"

namespace cambium {
namespace {

constexpr std::int32_t official_classes = 1'000;

}  // namespace

ImagenetReader::ImagenetReader(std::int32_t classes, std::int32_t images_per_class)
    : classes_(static_cast<std::size_t>(classes)),
      images_per_class_(static_cast<std::size_t>(images_per_class)),
      counts_(classes_) {
  images_ = {
      .count = classes * images_per_class, .height = cifar_side, .width = cifar_side, .channels = cifar_channels};
  images_.pixels.resize(classes_ * images_per_class_ * cifar_pixels);
  images_.labels.reserve(classes_ * images_per_class_);
  for (std::size_t i = 0; i < classes_; ++i)
    images_.labels.insert(images_.labels.end(), images_per_class_, static_cast<std::uint16_t>(i));
}

void ImagenetReader::add_class(const DataFile& file) {
  expect(next_class_ < classes_, "the file of class {} was added, but there are {} classes", next_class_, classes_);
  const auto array = read_npy(file);
  const auto& shape = array.shape;
  if (shape.size() != 4 || shape[0] < images_per_class_ || shape[1] != cifar_channels || shape[2] != cifar_side ||
      shape[3] != cifar_side)
    file.refuse("the array has shape {}, but a class needs at least {} images: ({}, 3, 32, 32)", shape_text(shape),
                images_per_class_, images_per_class_);
  if (type_.empty()) type_ = array.type;
  if (array.type != type_)
    file.refuse("its elements are of type {}, but those of the other classes are of type {}", array.type, type_);
  if (type_ == "<f4")
    add_numbers<float>(file, array);
  else if (type_ == "<f8")
    add_numbers<double>(file, array);
  else
    for (std::size_t i = 0; i < images_per_class_; ++i)
      interleave_planes(array.bytes.data() + i * cifar_pixels, next_image(next_class_));
  ++next_class_;
}

void ImagenetReader::add_batch(const DataFile& file) {
  const auto batch = read_pickled_batch(file, {.key = "labels", .lowest = 1, .classes = official_classes});
  for (std::size_t i = 0; i < batch.count(); ++i)
    if (batch.labels[i] < classes_ && counts_[batch.labels[i]] < images_per_class_)
      interleave_planes(batch.planes + i * cifar_pixels, next_image(batch.labels[i]));
}

Images ImagenetReader::finish(const DataFile& whole) {
  for (std::size_t i = 0; i < classes_; ++i)
    if (counts_[i] < images_per_class_)
      whole.refuse("class {} has {} images, but {} are needed", i, counts_[i], images_per_class_);
  if (!type_.empty() && type_ != "|u1") shift_levels_to_black(whole.data_set);
  return std::move(images_);
}

std::uint8_t* ImagenetReader::next_image(std::size_t image_class) {
  return images_.pixels.data() + (image_class * images_per_class_ + counts_[image_class]++) * cifar_pixels;
}

// The level of black is known only after the last file. Until then a pixel holds its level relative to the first
// image, modulo 256, which loses no information.
template <class Number>
void ImagenetReader::add_numbers(const DataFile& file, const NpyArray& array) {
  std::array<Number, cifar_pixels> numbers;
  std::array<std::uint8_t, cifar_pixels> planes;
  for (std::size_t i = 0; i < images_per_class_; ++i) {
    std::memcpy(numbers.data(), array.bytes.data() + i * sizeof numbers, sizeof numbers);
    const bool first = next_class_ == 0 && i == 0;
    for (std::size_t place = 0; place < cifar_pixels; ++place) {
      auto& levels = levels_[place];
      if (first) levels.start = numbers[place];
      const double level = 255 * (numbers[place] - levels.start);
      const bool possible = std::abs(level) < 255.5;  // false for NaN
      if (possible) {
        const auto whole_level = static_cast<std::int32_t>(level + 256.5) - 256;  // rounds to nearest, also below 0
        levels.darkest = std::min(levels.darkest, whole_level);
        levels.brightest = std::max(levels.brightest, whole_level);
        planes[place] = static_cast<std::uint8_t>(whole_level);
      }
      if (!possible || levels.brightest - levels.darkest > 255)
        file.refuse(
            "image {} has the value {}, which differs by more than 1 from another value of the same pixel; expected "
            "pixel / 255 - mean",
            i, numbers[place]);
    }
    interleave_planes(planes.data(), next_image(next_class_));
  }
}

void ImagenetReader::shift_levels_to_black(const std::string& data_set) {
  std::array<std::uint8_t, cifar_pixels> planes, darkest;
  std::size_t ambiguous = 0;
  std::int32_t largest_error = 0;
  for (std::size_t place = 0; place < cifar_pixels; ++place) {
    const auto& levels = levels_[place];
    planes[place] = static_cast<std::uint8_t>(levels.darkest);
    const auto missing = 255 - (levels.brightest - levels.darkest);
    ambiguous += missing > 0;
    largest_error = std::max(largest_error, missing);
  }
  interleave_planes(planes.data(), darkest.data());
  for (auto image = images_.pixels.begin(); image != images_.pixels.end(); image += cifar_pixels)
    std::transform(darkest.begin(), darkest.end(), image, image,
                   [](std::uint8_t black, std::uint8_t level) { return static_cast<std::uint8_t>(level - black); });
  if (ambiguous > 0)
    spdlog::warn(
        "{}: {} of {} pixels and colours are not both black and white in any two images; they may be up to {} of 255 "
        "levels too dark",
        data_set, ambiguous, cifar_pixels, largest_error);
}

}  // namespace cambium
