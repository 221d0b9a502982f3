// The reader of pickled batches, with pickles made instruction by instruction, as Python 2 wrote the official ones.

#include "streams/data/pickled_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "streams/data/cifar.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Images read(const std::string& text, const std::string& labels = "labels") {
  const std::vector<DataFile> files{as_data_file(Bytes(text.begin(), text.end()), "batch")};
  return read_cifar_python(files, labels, 10);
}

std::string refused(const std::string& text) {
  return refusal([&] { read(text); });
}

TEST(PickledBatch, ABatchIsRead) {
  const MadeBatch batch;
  const auto images = read(batch.text());
  EXPECT_EQ(images.count, 2);
  EXPECT_EQ(images.channels, 3);
  EXPECT_THAT(images.labels, ElementsAre(3, 9));
  for (std::size_t image = 0; image < 2; ++image)
    for (std::size_t place = 0; place < 1024; ++place)
      for (std::size_t channel = 0; channel < 3; ++channel)
        ASSERT_EQ(images.pixels[image * 3072 + place * 3 + channel],
                  batch.pixels[image * 3072 + channel * 1024 + place]);
}

TEST(PickledBatch, AColumnMajorArrayGivesTheSameImages) {
  MadeBatch batch;
  const auto expected = read(batch.text()).pixels;
  const auto rows = batch.pixels;
  for (std::size_t image = 0; image < 2; ++image)
    for (std::size_t place = 0; place < 3072; ++place) batch.pixels[place * 2 + image] = rows[image * 3072 + place];
  batch.by_columns = "\x88";
  EXPECT_EQ(read(batch.text()).pixels, expected);
}

TEST(PickledBatch, TheLabelsOfTheGivenKeyAreRead) {
  const MadeBatch batch{.key = "fine_labels"};
  EXPECT_THAT(read(batch.text(), "fine_labels").labels, ElementsAre(3, 9));
  EXPECT_THAT(refused(batch.text()), HasSubstr("it has no labels"));
}

TEST(PickledBatch, AFileCutShortAtAnyPlaceIsRefused) {
  const auto text = MadeBatch{.labels = {1}, .pixels = noise(3072), .count = 1}.text();
  EXPECT_EQ(read(text).count, 1);
  for (std::size_t length = 0; length < text.size(); length += length < 300 ? 1 : 111)
    EXPECT_THAT(refused(text.substr(0, length)), HasSubstr("batch: ")) << length;
  EXPECT_THAT(refused(text + "."), HasSubstr("after its end"));
}

TEST(PickledBatch, DamagedFilesAreReadOrRefused) {
  const auto text = MadeBatch{.labels = {1}, .pixels = noise(3072), .count = 1}.text();
  int refusals = 0;
  for (std::size_t place = 0; place < 300; ++place)
    for (int value = 0; value < 256; value += 5) {
      auto damaged = text;
      damaged[place] = static_cast<char>(value);
      refusals += refused(damaged) != "(nothing was refused)";
    }
  EXPECT_GT(refusals, 1000);
}

TEST(PickledBatch, OtherFunctionsAreRefusedAndNotRun) {
  EXPECT_THAT(refused(MadeBatch{.function = "cos\nsystem\n"}.text()), HasSubstr("which was not run"));
  EXPECT_THAT(refused("\x80\x02"
                      "cposix\nsystem\nU\x04true\x85R."),
              HasSubstr("which was not run"));
  EXPECT_THAT(refused("\x80\x04\x95"), HasSubstr("version 4"));
  EXPECT_THAT(refused("\x80\x02i"), HasSubstr("instruction 0x69"));
}

TEST(PickledBatch, ArraysOfOtherShapesAndTypesAreRefused) {
  EXPECT_THAT(refused(MadeBatch{.count = 3}.text()), HasSubstr("3 072 bytes for every image"));
  EXPECT_THAT(refused(MadeBatch{.width = 3071}.text()), HasSubstr("3 072 bytes for every image"));
  EXPECT_THAT(refused(MadeBatch{.pixels = noise(6143)}.text()), HasSubstr("3 072 bytes for every image"));
  EXPECT_THAT(refused(MadeBatch{.element = "f4"}.text()), HasSubstr("are not bytes"));
}

TEST(PickledBatch, LabelsAboveTheClassesOrOfAnotherNumberAreRefused) {
  EXPECT_THAT(refused(MadeBatch{.labels = {3, 10}}.text()), HasSubstr("label 10 of image 1"));
  EXPECT_THAT(refused(MadeBatch{.labels = {3}}.text()), HasSubstr("1 labels for 2 images"));
}

TEST(PickledBatch, AListThatContainsItselfIsRefusedNormally) {
  EXPECT_THAT(refused("\x80\x02]q\x01h\x01"
                      "a."),
              HasSubstr("it has no data"));
}

TEST(PickledBatch, OtherArraysMayHaveAnyType) {
  const MadeBatch batch{.mean = true};
  EXPECT_EQ(read(batch.text()).pixels, read(MadeBatch{}.text()).pixels);
}

TEST(PickledBatch, LabelsMayBeginWithOneAsInImagenet) {
  const auto file = as_data_file(MadeBatch{.labels = {1, 1000}}.bytes(), "batch");
  EXPECT_THAT(read_pickled_batch(file, {.lowest = 1, .classes = 1000}).labels, ElementsAre(0, 999));
  EXPECT_THAT(refusal([&] { read_pickled_batch(file, {.lowest = 2, .classes = 999}); }),
              HasSubstr("label 1 of image 0 is not between 2 and 1000"));
  EXPECT_THAT(refusal([&] { read_pickled_batch(file, {.lowest = 1, .classes = 999}); }),
              HasSubstr("label 1000 of image 1 is not between 1 and 999"));
}

TEST(PickledBatch, TheLimitOnValuesAllowsABatchOfImagenet) {
  const MadeBatch batch{.labels = std::vector<std::uint16_t>(128'123, 9)};
  EXPECT_THAT(refused(batch.text()), HasSubstr("128 123 labels for 2 images"));
}

TEST(PickledBatch, MoreValuesThanTheLimitAreRefused) {
  EXPECT_THAT(refused("\x80\x02" + std::string(2'000'000, 'N') + "."), HasSubstr("more values"));
}

}  // namespace
}  // namespace cambium
