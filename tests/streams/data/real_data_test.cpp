// The real data sets, if they are in the folder that CAMBIUM_TEST_DATA names, or else beside the sources. The reference
// numbers are those that the authors and other loaders publish.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "streams/data/archive.hpp"
#include "streams/data/cifar.hpp"
#include "streams/data/contents.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

DataFolders test_folders() {
  const char* named = std::getenv("CAMBIUM_TEST_DATA");
  return {.searched = {named == nullptr ? CAMBIUM_SOURCE_DIR "/../shared/data" : named, "/usr/share/datasets"},
          .fetched_into = {}};
}

bool is_here(const std::string& name) {
  return search_data_set(catalogue_entry(name), test_folders()).found.has_value();
}

#define LOAD_OR_SKIP(data, name)                                                                        \
  if (!is_here(name)) GTEST_SKIP() << name << " is not here; CAMBIUM_TEST_DATA names the folder of it"; \
  const auto data = load_data_set(name, test_folders())

std::vector<int> label_counts(std::int32_t classes, const Images& images) {
  std::vector<int> counts(static_cast<std::size_t>(classes));
  for (const auto label : images.labels) ++counts[label];
  return counts;
}

// Computes the mean and deviation of every channel.
void expect_moments(const Images& images, const std::vector<float>& mean, const std::vector<float>& deviation,
                    double tolerance) {
  const auto channels = static_cast<std::size_t>(images.channels);
  ASSERT_EQ(mean.size(), channels);
  ASSERT_EQ(deviation.size(), channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double sum = 0, squares = 0;
    const auto count = static_cast<double>(images.pixels.size() / channels);
    for (std::size_t i = channel; i < images.pixels.size(); i += channels) {
      const double value = images.pixels[i] / 255.0;
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(mean[channel], sum / count, tolerance);
    EXPECT_NEAR(deviation[channel], std::sqrt(squares / count - sum / count * (sum / count)), tolerance);
  }
}

TEST(RealData, Mnist) {
  LOAD_OR_SKIP(data, "mnist");
  EXPECT_EQ(label_counts(data.classes, data.train),
            (std::vector<int>{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
  EXPECT_EQ(label_counts(data.classes, data.test),
            (std::vector<int>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
  expect_moments(data.train, data.mean, data.deviation, 1e-4);
}

TEST(RealData, FashionMnist) {
  LOAD_OR_SKIP(data, "fashion-mnist");
  EXPECT_EQ(label_counts(data.classes, data.train), std::vector<int>(10, 6000));
  EXPECT_EQ(label_counts(data.classes, data.test), std::vector<int>(10, 1000));
  EXPECT_EQ(data.class_names[data.train.labels[0]], "Ankle boot");
  expect_moments(data.train, data.mean, data.deviation, 1e-4);
}

// Reads one file of a data set; the others may be missing, or slow to unpack.
DataFile one_file(const std::filesystem::path& file, const CatalogueFile& known, const std::string& name) {
  auto read = read_data_file(file, name, known.bytes);
  EXPECT_EQ(digest_like(known.checksum, read.bytes), known.checksum);
  return read;
}

TEST(RealData, Cifar100TestImages) {
  const auto file = test_folders().searched.front() / "cifar-100/test.bin.xz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here; CAMBIUM_TEST_DATA names its folder";
  const auto& entry = catalogue_entry("cifar-100");
  const std::vector<DataFile> files{one_file(file, entry.layouts.front().test.front(), entry.name)};
  const auto images = read_cifar_binary(files, {20, 100});
  EXPECT_EQ(label_counts(entry.classes, images), std::vector<int>(100, 100));
  EXPECT_EQ(entry.class_names[images.labels[0]], "mountain");
  expect_moments(images, entry.mean, entry.deviation, 0.01);  // of the training images
}

TEST(RealData, Cifar10FirstBatch) {
  const auto file = test_folders().searched.front() / "cifar-10/data_batch_1.bin.xz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here; CAMBIUM_TEST_DATA names its folder";
  const auto& entry = catalogue_entry("cifar-10");
  const std::vector<DataFile> files{one_file(file, entry.layouts.front().train.front(), entry.name)};
  const auto images = read_cifar_binary(files, {10});
  EXPECT_EQ(images.count, 10'000);
  EXPECT_EQ(entry.class_names[images.labels[0]], "frog");
  expect_moments(images, entry.mean, entry.deviation, 0.01);
}

TEST(RealData, ChecksumsAreThePublishedOnes) {
  bool any = false;
  for (const std::string name : {"mnist", "fashion-mnist"}) {
    if (!is_here(name)) continue;
    any = true;
    const auto checks = verify_contents(locate_data_set(catalogue_entry(name), test_folders()));
    EXPECT_EQ(checks.size(), 4u);
    for (const auto& check : checks) EXPECT_TRUE(check.good()) << check.file;
  }
  if (!any) GTEST_SKIP() << "no data are here; CAMBIUM_TEST_DATA names the folder of them";
}

// MNIST and Fashion-MNIST have the same file names; the content decides in a folder without either name.
TEST(RealData, AnUnnamedFolderIsRecognisedByItsContent) {
  if (!is_here("fashion-mnist")) GTEST_SKIP() << "fashion-mnist is not here";
  const auto fashion = locate_data_set(catalogue_entry("fashion-mnist"), test_folders());
  TemporaryFolder folder;
  for (const auto& file : fashion.files) std::filesystem::copy(file, folder.path() / file.filename());
  const DataFolders bare{.searched = {folder.path()}, .fetched_into = {}};
  EXPECT_EQ(locate_data_set(catalogue_entry("fashion-mnist"), bare).place, folder.path());
  EXPECT_NE(refusal([&] { locate_data_set(catalogue_entry("mnist"), bare); }).find("holds the files of fashion-mnist"),
            std::string::npos);
}

TEST(RealData, AFolderWithTheNameOfAnotherDataSetIsRefused) {
  if (!is_here("fashion-mnist")) GTEST_SKIP() << "fashion-mnist is not here";
  const auto fashion = locate_data_set(catalogue_entry("fashion-mnist"), test_folders());
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "mnist");
  for (const auto& file : fashion.files) std::filesystem::copy(file, folder.path() / "mnist" / file.filename());
  const DataFolders named{.searched = {folder.path()}, .fetched_into = {}};
  EXPECT_NE(refusal([&] { load_data_set("mnist", named); }).find("mnist holds the files of fashion-mnist"),
            std::string::npos);
}

}  // namespace
}  // namespace cambium
