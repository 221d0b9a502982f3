// Data sets are found in common layouts, and none is taken for another.

#include "streams/data/locate.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Sets an environment variable until the end of the test.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~EnvironmentVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class Locating : public testing::Test {
 protected:
  void put(const std::string& folder, const std::vector<std::string>& names) {
    for (const auto& name : names) write_file(base_ / folder / name, {1});
  }
  // Returns where the data set was found, or the remarks if it was not.
  std::string found(const std::string& name) {
    const auto search = search_data_set(catalogue_entry(name), {.searched = {base_}, .fetched_into = {}});
    if (!search.found) return fmt::format("{}", fmt::join(search.remarks, "; "));
    return search.found->place.lexically_relative(base_).string();
  }
  std::string refused(const std::string& name) {
    return refusal([&] { load_data_set(name, {.searched = {base_, "/nowhere"}, .fetched_into = {}}); });
  }

  TemporaryFolder folder_;
  std::filesystem::path base_ = folder_.path();
};

const std::vector<std::string> idx_names{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                         "t10k-labels-idx1-ubyte"};
const std::vector<std::string> cifar_10_names{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                              "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};

TEST_F(Locating, AnEmptyFolderHasNoDataSet) { EXPECT_EQ(found("mnist"), ""); }

TEST_F(Locating, TheNameOfAFolderDecidesBetweenDataSetsWithEqualFileNames) {
  for (const std::string folder : {"mnist", "MNIST/raw", "MNIST"}) {
    put(folder, idx_names);
    EXPECT_EQ(found("mnist"), folder);
    EXPECT_EQ(found("fashion-mnist"), "");
    std::filesystem::remove_all(base_ / folder);
  }
  for (const std::string folder : {"fashion-mnist", "FashionMNIST/raw", "FashionMNIST"}) {
    put(folder, idx_names);
    EXPECT_EQ(found("fashion-mnist"), folder);
    EXPECT_EQ(found("mnist"), "");
    std::filesystem::remove_all(base_ / folder);
  }
}

TEST_F(Locating, FilesMayBePackedAndHaveTheNamesOfMirrors) {
  put("mnist", {"train-images-idx3-ubyte.gz", "train-labels.idx1-ubyte", "t10k-images.idx3-ubyte.gz",
                "t10k-labels-idx1-ubyte.xz"});
  EXPECT_EQ(found("mnist"), "mnist");
}

TEST_F(Locating, AnUnnamedFolderOfUnknownContentIsRefused) {
  put("", idx_names);
  EXPECT_THAT(found("mnist"), HasSubstr("neither its own name nor their content"));
  EXPECT_THAT(found("fashion-mnist"), HasSubstr("neither its own name nor their content"));
}

TEST_F(Locating, AnUnnamedFolderIsRecognisedByItsFullPath) {
  put("FashionMNIST/raw", idx_names);
  base_ /= "FashionMNIST/raw/";
  EXPECT_EQ(found("fashion-mnist"), ".");
  EXPECT_THAT(found("mnist"), HasSubstr("neither"));
}

TEST_F(Locating, AnIncompleteFolderIsRefusedWithItsMissingFiles) {
  put("cifar-10", {"data_batch_1.bin.xz", "data_batch_3.bin", "data_batch_4.bin.gz", "data_batch_5.bin"});
  EXPECT_THAT(refused("cifar-10"),
              AllOf(HasSubstr((base_ / "cifar-10").string() + " lacks data_batch_2.bin, test_batch.bin"),
                    HasSubstr("/nowhere"), HasSubstr("cambium data fetch cifar-10")));
}

TEST_F(Locating, ACompleteFolderIsPreferredToAnIncompleteOneBeforeIt) {
  put("cifar-10-batches-bin", {"data_batch_1.bin"});
  put("cifar-10", cifar_10_names);
  EXPECT_EQ(found("cifar-10"), "cifar-10");
}

TEST_F(Locating, CifarIsFoundInFoldersAndArchives) {
  for (const std::string folder : {"cifar-10-batches-bin", "cifar-10", ""}) {
    put(folder, cifar_10_names);
    EXPECT_EQ(found("cifar-10"), folder.empty() ? "." : folder);
    for (const auto& name : cifar_10_names) std::filesystem::remove(base_ / folder / name);
  }
  put("cifar-100-binary", {"train.bin", "test.bin.gz"});
  EXPECT_EQ(found("cifar-100"), "cifar-100-binary");
  std::filesystem::remove_all(base_ / "cifar-100-binary");
  put("cifar-100-python", {"train", "test"});
  EXPECT_EQ(found("cifar-100"), "cifar-100-python");
  std::filesystem::remove_all(base_ / "cifar-100-python");
  put("", {"cifar-10-python.tar.gz"});
  EXPECT_EQ(found("cifar-10"), "cifar-10-python.tar.gz");
  put("", {"cifar-10-binary.tar.gz", "cifar-100-binary.tar.gz"});
  EXPECT_EQ(found("cifar-10"), "cifar-10-binary.tar.gz");
  EXPECT_EQ(found("cifar-100"), "cifar-100-binary.tar.gz");
}

TEST_F(Locating, AMissingDataSetNamesTheFoldersAndTheFetchCommand) {
  EXPECT_THAT(refused("mnist"), AllOf(HasSubstr(base_.string() + ", /nowhere"), HasSubstr("cambium data fetch mnist")));
}

TEST_F(Locating, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(refused("cifar100"), HasSubstr("Did you mean cifar-100?"));
  EXPECT_THAT(refused("svhn"), HasSubstr("mnist, fashion-mnist, cifar-10, cifar-100, imagenet-32"));
}

TEST_F(Locating, FilesOfTheWrongSizeAreRefused) {
  put("mnist", idx_names);
  EXPECT_THAT(refused("mnist"), AllOf(HasSubstr("mnist/train-images-idx3-ubyte"), HasSubstr("cut short")));
  put("cifar-100", {"train.bin", "test.bin"});
  EXPECT_THAT(refused("cifar-100"), AllOf(HasSubstr("train.bin"), HasSubstr("whole number of images")));
}

TEST_F(Locating, OtherImageCountsThanTheOfficialOnesAreRefused) {
  write_file(base_ / "mnist/train-images-idx3-ubyte", idx({1, 28, 28}, noise(784)));
  write_file(base_ / "mnist/train-labels-idx1-ubyte", idx({1}, {5}));
  write_file(base_ / "mnist/t10k-images-idx3-ubyte", idx({1, 28, 28}, noise(784)));
  write_file(base_ / "mnist/t10k-labels-idx1-ubyte", idx({1}, {5}));
  EXPECT_THAT(refused("mnist"), HasSubstr("mnist has 60 000 images for training, but the files have 1"));
}

TEST(DataFolders, TheOrderIsFlagVariableUserDebian) {
  const EnvironmentVariable data("CAMBIUM_DATA", "/one::/two:/one"), home("HOME", "/home/u"),
      xdg("XDG_DATA_HOME", nullptr);
  EXPECT_THAT(data_folders({"/flag"}).searched,
              ElementsAre("/flag", "/one", "/two", "/home/u/.local/share/cambium", "/usr/share/datasets"));
  EXPECT_EQ(data_folders({"/flag"}).fetched_into, "/flag");
  EXPECT_EQ(data_folders().fetched_into, "/one");
}

TEST(DataFolders, TheUserFolderFollowsXdg) {
  const EnvironmentVariable data("CAMBIUM_DATA", nullptr), home("HOME", "/home/u"), xdg("XDG_DATA_HOME", "/data");
  EXPECT_THAT(data_folders().searched, ElementsAre("/data/cambium", "/usr/share/datasets"));
  EXPECT_EQ(data_folders().fetched_into, "/data/cambium");
}

TEST(DataFolders, WithoutHomeFolderThereIsNoFolderToFetchInto) {
  const EnvironmentVariable data("CAMBIUM_DATA", nullptr), home("HOME", nullptr), xdg("XDG_DATA_HOME", nullptr);
  EXPECT_THAT(data_folders().searched, ElementsAre("/usr/share/datasets"));
  EXPECT_EQ(data_folders().fetched_into, "");
}

}  // namespace
}  // namespace cambium
