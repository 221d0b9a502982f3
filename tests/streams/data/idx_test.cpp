// The IDX reader, with good and damaged files made by hand.

#include "streams/data/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refused(Bytes images, Bytes labels) {
  return refusal(
      [&] { read_idx(as_data_file(std::move(images), "images"), as_data_file(std::move(labels), "labels"), 10); });
}

const Bytes good_images = idx({2, 1, 3}, {1, 2, 3, 4, 5, 6});
const Bytes good_labels = idx({2}, {7, 9});

TEST(Idx, ImagesAndLabelsAreRead) {
  const auto images = read_idx(as_data_file(good_images), as_data_file(good_labels), 10);
  EXPECT_EQ(images.count, 2);
  EXPECT_EQ(images.height, 1);
  EXPECT_EQ(images.width, 3);
  EXPECT_EQ(images.channels, 1);
  EXPECT_THAT(images.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(images.labels, ElementsAre(7, 9));
}

TEST(Idx, AFileCutShortIsRefusedWithBothSizes) {
  auto images = good_images;
  images.pop_back();
  EXPECT_EQ(refused(images, good_labels),
            "images: 22 bytes expected from its header, 21 found; the file is cut short. "
            "Fetch it again: cambium data fetch mnist");
  for (std::size_t length = 0; length < 16; ++length) {
    images.resize(length);
    EXPECT_THAT(refused(images, good_labels), HasSubstr("cut short")) << length;
  }
}

TEST(Idx, BytesAfterTheEndAreRefused) {
  auto labels = good_labels;
  labels.push_back(0);
  EXPECT_THAT(refused(good_images, labels), HasSubstr("labels: 10 bytes expected from its header, 11 found"));
}

TEST(Idx, AnotherMagicNumberIsRefused) {
  EXPECT_THAT(refused(good_labels, good_labels), HasSubstr("images: "));
  EXPECT_THAT(refused(good_images, good_images), HasSubstr("not an IDX file of labels: it begins with "
                                                           "00000803 instead of 00000801"));
  auto floats = good_images;
  floats[2] = 0x0d;
  EXPECT_THAT(refused(floats, good_labels), HasSubstr("00000d03"));
}

TEST(Idx, ImpossibleSizesInTheHeaderAreRefused) {
  const std::uint32_t large = 0xffffffff;
  EXPECT_THAT(refused(idx({large, large, large}, {1}), good_labels), HasSubstr("4 294 967 295"));
  EXPECT_THAT(refused(idx({2, 65536, 65536}, {1}), good_labels), HasSubstr("65 536"));
  EXPECT_THAT(refused(idx({0, 28, 28}, {}), good_labels), HasSubstr("has the size 0"));
  EXPECT_THAT(refused(idx({100'000'000, 4096, 4096}, {1}), good_labels), HasSubstr("cut short"));
}

TEST(Idx, OtherNumbersOfLabelsThanOfImagesAreRefused) {
  EXPECT_THAT(refused(good_images, idx({3}, {1, 2, 3})),
              HasSubstr("labels: the file has 3 labels for the 2 images of images"));
}

TEST(Idx, LabelsAboveTheClassesAreRefused) {
  EXPECT_THAT(refused(good_images, idx({2}, {3, 10})), HasSubstr("label 10 of image 1 is above the highest, 9"));
}

}  // namespace
}  // namespace cambium
