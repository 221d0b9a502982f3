#include "sycl/kernel_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace cambium {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("cambium-cache-" + std::to_string(getpid()));
  KernelCache cache{folder};
  std::vector<unsigned char> binary = std::vector<unsigned char>(1000, 42);

  void TearDown() override { fs::remove_all(folder); }
};

TEST_F(Cache, LoadsAStoredBinary) {
  EXPECT_FALSE(cache.load("key").has_value());
  cache.store("key", binary);
  EXPECT_EQ(cache.load("key"), binary);
  EXPECT_FALSE(cache.load("other").has_value());
}

TEST_F(Cache, IgnoresADamagedEntry) {
  cache.store("key", binary);
  const auto size = fs::file_size(cache.entry("key"));
  for (const std::uintmax_t length : {std::uintmax_t{0}, std::uintmax_t{5}, size / 2, size - 1}) {
    fs::resize_file(cache.entry("key"), length);
    EXPECT_FALSE(cache.load("key").has_value()) << length;
    cache.store("key", binary);
    EXPECT_EQ(cache.load("key"), binary);
  }
  std::fstream(cache.entry("key"), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<long>(size) - 3)
      .put('x');
  EXPECT_FALSE(cache.load("key").has_value());
}

TEST_F(Cache, LeavesNoUnfinishedFiles) {
  cache.store("key", binary);
  int files = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(Cache, StoresNothingInAFolderThatCannotBeCreated) {
  std::ofstream(folder) << "a file is in the way";
  EXPECT_NO_THROW(cache.store("key", binary));
  EXPECT_FALSE(cache.load("key").has_value());
}

TEST_F(Cache, RemovesOnlyItsOwnOldEntries) {
  cache.store("old", binary);
  cache.store("recent", binary);
  std::ofstream(folder / "letter.txt") << "not a kernel";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 100);
  fs::last_write_time(cache.entry("old"), long_ago);
  fs::last_write_time(folder / "letter.txt", long_ago);
  cache.store("new", binary);
  EXPECT_FALSE(fs::exists(cache.entry("old")));
  EXPECT_TRUE(fs::exists(cache.entry("recent")));
  EXPECT_TRUE(fs::exists(folder / "letter.txt"));
}

}  // namespace
}  // namespace cambium
