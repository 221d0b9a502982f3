// Downsampled ImageNet in both layouts, with small files: the readers, and loading from a folder.

#include "streams/data/imagenet.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "streams/data/contents.hpp"
#include "streams/data/fetch.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t image_bytes = 3072;

// Converts planes of several images to channels last.
Bytes channels_last(const Bytes& planes) {
  Bytes pixels;
  for (std::size_t image = 0; image < planes.size(); image += image_bytes)
    for (std::size_t place = 0; place < 1024; ++place)
      for (std::size_t channel = 0; channel < 3; ++channel) pixels.push_back(planes[image + channel * 1024 + place]);
  return pixels;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes first_images(const Bytes& planes, std::size_t count) {
  return {planes.begin(), planes.begin() + static_cast<std::ptrdiff_t>(count * image_bytes)};
}

Bytes class_file(const Bytes& planes) { return npy({planes.size() / image_bytes, 3, 32, 32}, planes); }

// pixel / 255 minus a mean for every pixel and colour, as numbers of type Number.
template <class Number>
Bytes number_file(const Bytes& planes) {
  Bytes bytes;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const double mean = 0.37 + 0.22 * static_cast<double>(i % image_bytes) / image_bytes;
    const auto number = static_cast<Number>(planes[i] / 255.0 - mean);
    std::uint8_t parts[sizeof number];
    std::memcpy(parts, &number, sizeof number);
    bytes.insert(bytes.end(), parts, parts + sizeof number);
  }
  return npy({planes.size() / image_bytes, 3, 32, 32}, bytes, sizeof(Number) == 4 ? "<f4" : "<f8");
}

DataFile data_file(Bytes bytes, const std::string& name = "0.npy") {
  return as_data_file(std::move(bytes), name, "imagenet-32");
}

// Reads the files of some classes.
Images read_classes(const std::vector<Bytes>& files, std::int32_t images_per_class) {
  ImagenetReader reader(static_cast<std::int32_t>(files.size()), images_per_class);
  for (std::size_t i = 0; i < files.size(); ++i) reader.add_class(data_file(files[i], fmt::format("{}.npy", i)));
  return reader.finish(data_file({}, "classes"));
}

std::string refused(const std::vector<Bytes>& files, std::int32_t images_per_class) {
  return refusal([&] { read_classes(files, images_per_class); });
}

MadeBatch batch_of(const std::vector<std::uint16_t>& labels, std::uint32_t seed) {
  return {.labels = labels,
          .pixels = noise(labels.size() * image_bytes, seed),
          .count = static_cast<std::uint32_t>(labels.size()),
          .mean = true};
}

TEST(ImagenetClasses, ReadsTheFirstImagesOfEveryClassChannelsLast) {
  const auto zero = noise(4 * image_bytes, 1), one = noise(3 * image_bytes, 2);
  const auto images = read_classes({class_file(zero), class_file(one)}, 2);
  EXPECT_EQ(images.count, 4);
  EXPECT_EQ(images.height, 32);
  EXPECT_EQ(images.width, 32);
  EXPECT_EQ(images.channels, 3);
  EXPECT_THAT(images.labels, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(images.pixels, channels_last(first_images(zero, 2) + first_images(one, 2)));
}

TEST(ImagenetClasses, RecoversBytesFromNumbersMinusTheirMean) {
  // Black and white occur, but not in the first image or class.
  Bytes zero = noise(3 * image_bytes, 1), one = noise(3 * image_bytes, 2);
  for (auto& pixel : zero) pixel = static_cast<std::uint8_t>(std::clamp<int>(pixel, 20, 230));
  std::fill_n(one.begin(), image_bytes, 0);
  std::fill_n(one.begin() + image_bytes, image_bytes, 255);
  const auto expected = channels_last(zero + one);
  EXPECT_EQ(read_classes({number_file<float>(zero), number_file<float>(one)}, 3).pixels, expected);
  EXPECT_EQ(read_classes({number_file<double>(zero), number_file<double>(one)}, 3).pixels, expected);
}

TEST(ImagenetClasses, WithoutBlackTheDarkestNumberIsTakenAsBlack) {
  Bytes planes(2 * image_bytes, 10);
  std::fill_n(planes.begin() + image_bytes, image_bytes, 17);
  const auto pixels = read_classes({number_file<float>(planes)}, 2).pixels;
  EXPECT_THAT(Bytes(pixels.begin(), pixels.begin() + image_bytes), Each(0));
  EXPECT_THAT(Bytes(pixels.begin() + image_bytes, pixels.end()), Each(7));
}

TEST(ImagenetClasses, NumbersThatCannotBePixelsAreRefused) {
  const auto with = [](float number) {
    auto file = number_file<float>(noise(2 * image_bytes));
    std::memcpy(file.data() + file.size() - sizeof number, &number, sizeof number);
    return file;
  };
  EXPECT_EQ(refused({with(0)}, 2), "(nothing was refused)");
  for (const float number :
       {100.0f, -3.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    EXPECT_THAT(refused({with(number)}, 2), AllOf(HasSubstr("0.npy: image 1 has the value"), HasSubstr("pixel / 255")));
}

TEST(ImagenetClasses, NumbersWithARangeAboveOneAreRefused) {
  const auto plain = [](float number) {
    Bytes bytes;
    for (std::size_t i = 0; i < image_bytes; ++i) {
      std::uint8_t parts[sizeof number];
      std::memcpy(parts, &number, sizeof number);
      bytes.insert(bytes.end(), parts, parts + sizeof number);
    }
    return bytes;
  };
  EXPECT_THAT(refused({npy({3, 3, 32, 32}, plain(0.0f) + plain(-0.8f) + plain(0.8f), "<f4")}, 3),
              HasSubstr("image 2 has the value 0.8"));
}

TEST(ImagenetClasses, ATruncatedFileIsRefused) {
  auto file = class_file(noise(2 * image_bytes));
  file.pop_back();
  EXPECT_THAT(refused({file}, 2), AllOf(HasSubstr("0.npy: 6 272 bytes expected"), HasSubstr("cut short")));
}

TEST(ImagenetClasses, AnotherTypeIsRefused) {
  EXPECT_THAT(refused({npy({2, 3, 32, 32}, noise(2 * image_bytes * 4), "<i4")}, 2),
              HasSubstr("0.npy: its elements are of type <i4"));
}

TEST(ImagenetClasses, TypesMustNotChangeFromClassToClass) {
  const auto planes = noise(image_bytes);
  EXPECT_THAT(refused({class_file(planes), number_file<float>(planes)}, 1),
              HasSubstr("1.npy: its elements are of type <f4, but those of the other classes are of type |u1"));
}

TEST(ImagenetClasses, AnotherShapeIsRefused) {
  const auto planes = noise(2 * image_bytes);
  EXPECT_THAT(
      refused({npy({2, 32, 32, 3}, planes)}, 2),
      HasSubstr("0.npy: the array has shape (2, 32, 32, 3), but a class needs at least 2 images: (2, 3, 32, 32)"));
  EXPECT_THAT(refused({npy({2, 3072}, planes)}, 2), HasSubstr("the array has shape (2, 3072)"));
  EXPECT_THAT(refused({npy({2 * image_bytes}, planes)}, 2), HasSubstr("the array has shape (6144,)"));
}

TEST(ImagenetClasses, TooFewImagesAreRefused) {
  EXPECT_THAT(refused({class_file(noise(2 * image_bytes))}, 3), HasSubstr("(2, 3, 32, 32)"));
}

TEST(ImagenetClasses, ADamagedFileIsRefusedWithAdviceToReplaceAndNotToFetchIt) {
  EXPECT_THAT(refused({noise(100)}, 1), AllOf(HasSubstr("Replace the file"), Not(HasSubstr("Fetch it again"))));
}

TEST(ImagenetBatches, ReadsTheFirstImagesOfEveryClassInTheOrderOfAllBatches) {
  const auto one = batch_of({2, 1, 2, 3}, 1), two = batch_of({1, 2, 1000, 1}, 2);
  ImagenetReader reader(2, 2);
  reader.add_batch(data_file(one.bytes()));
  reader.add_batch(data_file(two.bytes()));
  const auto images = reader.finish(data_file({}));
  const auto image = [](const MadeBatch& batch, std::size_t number) {
    const auto first = batch.pixels.begin() + static_cast<std::ptrdiff_t>(number * image_bytes);
    return Bytes(first, first + image_bytes);
  };
  EXPECT_EQ(images.count, 4);
  EXPECT_THAT(images.labels, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(images.pixels, channels_last(image(one, 1) + image(two, 0) + image(one, 0) + image(one, 2)));
}

TEST(ImagenetBatches, AClassWithTooFewImagesIsRefused) {
  ImagenetReader reader(2, 2);
  reader.add_batch(data_file(batch_of({1, 1, 2}, 1).bytes()));
  EXPECT_THAT(refusal([&] { reader.finish(data_file({}, "/data/Imagenet32_train")); }),
              HasSubstr("/data/Imagenet32_train: class 1 has 1 images, but 2 are needed"));
}

TEST(ImagenetBatches, LabelsGoFromOneToAThousand) {
  for (const std::uint16_t label : {0, 1001}) {
    ImagenetReader reader(2, 1);
    const auto file = data_file(batch_of({1, label}, 1).bytes(), "train_data_batch_1");
    EXPECT_THAT(refusal([&] { reader.add_batch(file); }),
                HasSubstr(fmt::format("train_data_batch_1: label {} of image 1", label)));
  }
}

// Loads a data set with two classes of two images from a folder.
class ImagenetFolder : public testing::Test {
 protected:
  ImagenetFolder() {
    entry_ = catalogue_entry("imagenet-32");
    entry_.images_per_class = 2;
    entry_.classes = 2;
    entry_.train_images = 4;
    for (auto& layout : entry_.layouts) layout.train.resize(2);
  }

  void put_classes(const std::string& folder) {
    for (std::uint32_t i = 0; i < 2; ++i)
      write_file(base() / folder / fmt::format("{}.npy", i), class_file(noise(3 * image_bytes, i)));
  }
  void put_batches(const std::string& folder) {
    for (std::uint32_t i = 1; i <= 2; ++i)
      write_file(base() / folder / fmt::format("train_data_batch_{}", i), batch_of({1, 2}, i).bytes());
  }
  std::filesystem::path found() { return locate_data_set(entry_, where_).place; }
  std::string load_refused() {
    return refusal([&] { load_data_set(entry_, where_); });
  }
  const std::filesystem::path& base() const { return folder_.path(); }

  TemporaryFolder folder_;
  DataFolders where_{.searched = {folder_.path()}, .fetched_into = folder_.path()};
  CatalogueEntry entry_;
};

TEST_F(ImagenetFolder, FilesOfClassesAreFound) {
  for (const std::string name : {"classes", "imagenet-32/classes", "imagenet-32", "imagenet/classes", ""}) {
    put_classes(name);
    EXPECT_EQ(found(), name.empty() ? base() : base() / name);
    std::filesystem::remove_all(base());
  }
}

TEST_F(ImagenetFolder, BatchesAreFound) {
  for (const std::string name : {"Imagenet32_train", "imagenet-32/Imagenet32_train", "imagenet-32", ""}) {
    put_batches(name);
    EXPECT_EQ(found(), name.empty() ? base() : base() / name);
    std::filesystem::remove_all(base());
  }
}

TEST_F(ImagenetFolder, BothFormsAreLoaded) {
  put_batches("Imagenet32_train");
  const auto from_batches = load_data_set(entry_, where_);
  put_classes("classes");
  const auto from_classes = load_data_set(entry_, where_);
  for (const auto* data : {&from_batches, &from_classes}) {
    EXPECT_EQ(data->name, "imagenet-32");
    EXPECT_EQ(data->classes, 2);
    EXPECT_EQ(data->train.count, 4);
    EXPECT_THAT(data->train.labels, ElementsAre(0, 0, 1, 1));
    EXPECT_EQ(data->test.count, 0);
    EXPECT_THAT(data->mean, ElementsAre(0.485f, 0.456f, 0.406f));
    EXPECT_THAT(data->deviation, ElementsAre(0.229f, 0.224f, 0.225f));
  }
  EXPECT_EQ(from_classes.train.pixels,
            channels_last(first_images(noise(2 * image_bytes, 0), 2) + first_images(noise(2 * image_bytes, 1), 2)));
}

TEST_F(ImagenetFolder, FilesMayBePacked) {
  put_classes("classes");
  const auto plain = load_data_set(entry_, where_);
  write_file(base() / "classes/1.npy.xz", packed(read_whole(base() / "classes/1.npy"), Packing::xz));
  std::filesystem::remove(base() / "classes/1.npy");
  EXPECT_EQ(load_data_set(entry_, where_).train.pixels, plain.train.pixels);
}

TEST_F(ImagenetFolder, AMissingDataSetIsRefusedWithAdviceToGetAndNotToFetchIt) {
  EXPECT_THAT(load_refused(),
              AllOf(HasSubstr("imagenet-32: no complete copy in " + base().string()), HasSubstr("cannot be fetched"),
                    HasSubstr("image-net.org"), HasSubstr("0.npy"), Not(HasSubstr("cambium data fetch"))));
}

TEST_F(ImagenetFolder, AMissingClassIsNamed) {
  put_classes("classes");
  std::filesystem::remove(base() / "classes/1.npy");
  EXPECT_THAT(load_refused(), AllOf(HasSubstr((base() / "classes").string() + " lacks 1.npy"), HasSubstr("cannot be")));
}

TEST_F(ImagenetFolder, OfManyMissingClassesOnlyTheFirstAreNamed) {
  put_classes("classes");
  entry_ = catalogue_entry("imagenet-32");
  EXPECT_THAT(load_refused(), AllOf(HasSubstr("lacks 2.npy, 3.npy"), HasSubstr(" 11.npy and 988 more. It cannot be")));
}

TEST_F(ImagenetFolder, ADamagedFileIsNamed) {
  put_classes("classes");
  write_file(base() / "classes/1.npy", noise(500));
  EXPECT_THAT(load_refused(), HasSubstr((base() / "classes/1.npy").string() + ": not a NumPy file"));
}

TEST_F(ImagenetFolder, VerifyingReadsEveryFileAndReportsNoChecksums) {
  put_classes("classes");
  const auto checks = verify_contents(locate_data_set(entry_, where_));
  ASSERT_EQ(checks.size(), 2u);
  for (const auto& check : checks) {
    EXPECT_TRUE(check.good());
    EXPECT_FALSE(check.compared());
    EXPECT_EQ(check.bytes, 128 + 3 * image_bytes);
  }
  EXPECT_EQ(checks[1].file, (base() / "classes/1.npy").string());
}

TEST_F(ImagenetFolder, FetchingIsRefusedWithAdvice) {
  EXPECT_THAT(refusal([&] { fetch_data_set(entry_, where_, {}); }),
              AllOf(HasSubstr("imagenet-32 cannot be fetched"), HasSubstr("image-net.org"), HasSubstr("classes")));
}

TEST_F(ImagenetFolder, FetchingDoesNothingIfThereIsAnUndamagedCopy) {
  put_classes("classes");
  EXPECT_EQ(fetch_data_set(entry_, where_, {}).place, base() / "classes");
}

}  // namespace
}  // namespace cambium
