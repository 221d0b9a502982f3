// The reader of CIFAR's binary format, with records made by hand.

#include "streams/data/cifar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Bytes record(std::initializer_list<std::uint8_t> labels, std::uint32_t seed) {
  Bytes bytes(labels);
  const auto pixels = noise(3072, seed);
  bytes.insert(bytes.end(), pixels.begin(), pixels.end());
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string refused(Bytes bytes, const CifarLabels& labels) {
  const std::vector<DataFile> files{as_data_file(std::move(bytes), "batch")};
  return refusal([&] { read_cifar_binary(files, labels); });
}

TEST(CifarBinary, ImagesOfAllFilesAreReadChannelsLast) {
  const std::vector<DataFile> files{as_data_file(record({3}, 1) + record({9}, 2)), as_data_file(record({0}, 3))};
  const auto images = read_cifar_binary(files, {10});
  EXPECT_EQ(images.count, 3);
  EXPECT_EQ(images.height, 32);
  EXPECT_EQ(images.width, 32);
  EXPECT_EQ(images.channels, 3);
  EXPECT_THAT(images.labels, ElementsAre(3, 9, 0));
  ASSERT_EQ(images.pixels.size(), 3u * 3072);
  for (std::size_t image = 0; image < 3; ++image) {
    const auto planes = noise(3072, static_cast<std::uint32_t>(image + 1));
    for (std::size_t row = 0; row < 32; ++row)
      for (std::size_t column = 0; column < 32; ++column)
        for (std::size_t channel = 0; channel < 3; ++channel)
          ASSERT_EQ(images.pixels[((image * 32 + row) * 32 + column) * 3 + channel],
                    planes[channel * 1024 + row * 32 + column]);
  }
}

TEST(CifarBinary, OfTwoLabelsTheFineOneIsUsed) {
  const std::vector<DataFile> files{as_data_file(record({19, 99}, 1))};
  EXPECT_THAT(read_cifar_binary(files, {20, 100}).labels, ElementsAre(99));
}

TEST(CifarBinary, APartOfARecordIsRefused) {
  auto bytes = record({3}, 1);
  bytes.pop_back();
  EXPECT_THAT(refused(bytes, {10}), HasSubstr("batch: 3 072 bytes are not a whole number of images of 3 073 bytes"));
  EXPECT_THAT(refused(record({3}, 1) + Bytes{1}, {10}), HasSubstr("3 074 bytes"));
  EXPECT_THAT(refused({}, {10}), HasSubstr("0 bytes"));
}

TEST(CifarBinary, LabelsAboveTheClassesAreRefused) {
  EXPECT_THAT(refused(record({3}, 1) + record({10}, 2), {10}), HasSubstr("label 10 of image 1"));
  EXPECT_THAT(refused(record({20, 5}, 1), {20, 100}), HasSubstr("coarse label 20 of image 0"));
  EXPECT_THAT(refused(record({2, 100}, 1), {20, 100}), HasSubstr("label 100 of image 0"));
}

}  // namespace
}  // namespace cambium
