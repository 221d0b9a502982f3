// The reader of pickled batches against pickles written instruction by instruction, as Python 2 wrote the official
// ones.

#include "streams/cifar_pickle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/made_files.hpp"

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string number(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string short_text(const std::string& text) {
  return "U" + number(static_cast<std::uint32_t>(text.size()), 1) + text;
}

std::string list(const std::vector<std::uint8_t>& values) {
  std::string text = "](";
  for (const auto value : values) text += std::string("K") + static_cast<char>(value);
  return text + "e";
}

struct Batch {
  std::vector<std::uint8_t> labels{3, 9};
  std::string key = "labels";
  Bytes pixels = noise(2 * 3072);
  std::uint32_t count = 2, width = 3072;
  std::string element = "u1", by_columns = "\x89", function = "cnumpy.core.multiarray\n_reconstruct\n";

  std::string text() const {
    const std::string null(1, '\0');
    std::string array = function + "q\x06" + "cnumpy\nndarray\nq\x07K" + null + "\x85q\x08U\x01" + "b\x87q\x09Rq\x0a";
    array += "(K\x01M" + number(count, 2) + "M" + number(width, 2) + "\x86";
    array += "cnumpy\ndtype\n" + short_text(element) + "K" + null + "K\x01\x87Rq\x0b(K\x03" + short_text("|") + "NNN";
    array += "J" + number(0xffffffff, 4) + "J" + number(0xffffffff, 4) + "K" + null + "tb";
    array += by_columns + "T" + number(static_cast<std::uint32_t>(pixels.size()), 4) +
             std::string(pixels.begin(), pixels.end()) + "tb";
    return "\x80\x02}q\x01(" + short_text("batch_label") + "q\x02" + short_text("training batch 1 of 5") + "q\x03" +
           short_text(key) + "q\x04" + list(labels) + short_text("data") + array + short_text("filenames") + "](" +
           short_text("a.png") + "h\x03" + "eu.";
  }
};

Images read(const std::string& text, const std::string& labels = "labels") {
  const std::vector<DataFile> files{as_data_file(Bytes(text.begin(), text.end()), "batch")};
  return read_cifar_python(files, labels, 10);
}

std::string refused(const std::string& text) {
  return refusal([&] { read(text); });
}

TEST(CifarPickle, ABatchIsRead) {
  const Batch batch;
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

TEST(CifarPickle, AnArrayByColumnsGivesTheSameImages) {
  Batch batch;
  const auto expected = read(batch.text()).pixels;
  const auto rows = batch.pixels;
  for (std::size_t image = 0; image < 2; ++image)
    for (std::size_t place = 0; place < 3072; ++place) batch.pixels[place * 2 + image] = rows[image * 3072 + place];
  batch.by_columns = "\x88";
  EXPECT_EQ(read(batch.text()).pixels, expected);
}

TEST(CifarPickle, TheLabelsAskedForAreTaken) {
  const Batch batch{.key = "fine_labels"};
  EXPECT_THAT(read(batch.text(), "fine_labels").labels, ElementsAre(3, 9));
  EXPECT_THAT(refused(batch.text()), HasSubstr("it has no labels"));
}

TEST(CifarPickle, AFileCutShortAnywhereIsRefused) {
  const auto text = Batch{.labels = {1}, .pixels = noise(3072), .count = 1}.text();
  EXPECT_EQ(read(text).count, 1);
  for (std::size_t length = 0; length < text.size(); length += length < 300 ? 1 : 111)
    EXPECT_THAT(refused(text.substr(0, length)), HasSubstr("batch: ")) << length;
  EXPECT_THAT(refused(text + "."), HasSubstr("after its end"));
}

TEST(CifarPickle, DamagedBytesNeverDoHarm) {
  const auto text = Batch{.labels = {1}, .pixels = noise(3072), .count = 1}.text();
  int refusals = 0;
  for (std::size_t place = 0; place < 300; ++place)
    for (int value = 0; value < 256; value += 5) {
      auto damaged = text;
      damaged[place] = static_cast<char>(value);
      refusals += refused(damaged) != "(nothing was refused)";
    }
  EXPECT_GT(refusals, 1000);
}

TEST(CifarPickle, FunctionsOfNoUseToABatchAreNotRun) {
  EXPECT_THAT(refused(Batch{.function = "cos\nsystem\n"}.text()), HasSubstr("it was not run"));
  EXPECT_THAT(refused("\x80\x02"
                      "cposix\nsystem\nU\x04true\x85R."),
              HasSubstr("it was not run"));
  EXPECT_THAT(refused("\x80\x04\x95"), HasSubstr("version 4"));
  EXPECT_THAT(refused("\x80\x02i"), HasSubstr("instruction 0x69"));
}

TEST(CifarPickle, ArraysOfOtherShapesAndTypesAreRefused) {
  EXPECT_THAT(refused(Batch{.count = 3}.text()), HasSubstr("3 072 bytes for every image"));
  EXPECT_THAT(refused(Batch{.width = 3071}.text()), HasSubstr("3 072 bytes for every image"));
  EXPECT_THAT(refused(Batch{.pixels = noise(6143)}.text()), HasSubstr("3 072 bytes for every image"));
  EXPECT_THAT(refused(Batch{.element = "f4"}.text()), HasSubstr("does not consist of bytes"));
}

TEST(CifarPickle, LabelsMustBeClassesAndAsManyAsImages) {
  EXPECT_THAT(refused(Batch{.labels = {3, 10}}.text()), HasSubstr("label 10 of image 1"));
  EXPECT_THAT(refused(Batch{.labels = {3}}.text()), HasSubstr("1 labels for 2 images"));
}

TEST(CifarPickle, AListThatHoldsItselfIsNoTrouble) {
  EXPECT_THAT(refused("\x80\x02]q\x01h\x01"
                      "a."),
              HasSubstr("it has no data"));
}

TEST(CifarPickle, AFloodOfValuesIsRefused) {
  EXPECT_THAT(refused("\x80\x02" + std::string(2'000'000, 'N') + "."), HasSubstr("more values"));
}

}  // namespace
}  // namespace cambium
