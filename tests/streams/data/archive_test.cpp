// Unpacking returns the packed bytes, and refuses files that are damaged, cut short or too large.

#include "streams/data/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Unpacking : public testing::Test {
 protected:
  std::filesystem::path file(const Bytes& bytes) {
    write_file(folder_.path() / "file", bytes);
    return folder_.path() / "file";
  }
  Bytes read(const Bytes& bytes, std::size_t limit) { return read_data_file(file(bytes), "mnist", limit).bytes; }

  TemporaryFolder folder_;
};

TEST_F(Unpacking, ReturnsThePackedBytesForEveryPacking) {
  const auto bytes = noise(300'000);
  for (const auto packing : {Packing::none, Packing::gzip, Packing::xz})
    EXPECT_EQ(read(packed(bytes, packing), bytes.size()), bytes) << static_cast<int>(packing);
}

TEST_F(Unpacking, AnEmptyFileGivesNoBytes) { EXPECT_TRUE(read({}, 10).empty()); }

TEST_F(Unpacking, AFileCutShortAtAnyPlaceIsRefused) {
  const auto bytes = noise(5'000);
  for (const auto packing : {Packing::gzip, Packing::xz}) {
    const auto whole = packed(bytes, packing);
    for (std::size_t length = 30; length < whole.size(); length += 97) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_THAT(refusal([&] { read(cut, bytes.size()); }),
                  AllOf(HasSubstr("cut short"), HasSubstr("cambium data fetch mnist")))
          << length;
    }
    EXPECT_THAT(refusal([&] { read({whole.begin(), whole.end() - 1}, bytes.size()); }), HasSubstr("cut short"));
  }
}

TEST_F(Unpacking, ADamagedByteAtAnyPlaceIsRefused) {
  const auto bytes = noise(5'000);
  for (const auto packing : {Packing::gzip, Packing::xz}) {
    const auto whole = packed(bytes, packing);
    for (std::size_t place = 30; place < whole.size(); place += 97) {
      auto damaged = whole;
      damaged[place] ^= 0x10;
      EXPECT_THAT(refusal([&] { read(damaged, bytes.size()); }), HasSubstr("Fetch it again")) << place;
    }
  }
}

TEST_F(Unpacking, AFileLargerThanTheLimitIsRefused) {
  const Bytes zeros(50'000'000);  // 50 kB when packed
  for (const auto packing : {Packing::none, Packing::gzip, Packing::xz})
    EXPECT_THAT(refusal([&] { read(packed(zeros, packing), 9'999); }), HasSubstr("more than the 9 999 bytes"));
}

TEST_F(Unpacking, FoldersAndMissingFilesAreRefused) {
  EXPECT_THAT(refusal([&] { read_data_file(folder_.path(), "mnist", 10); }), HasSubstr("not a file"));
  EXPECT_THAT(refusal([&] { read_data_file(folder_.path() / "none", "mnist", 10); }), HasSubstr("not a file"));
}

TEST_F(Unpacking, MembersHaveTheOrderOfTheRequest) {
  const auto one = noise(40'000, 1), two = noise(70'000, 2);
  for (const auto packing : {Packing::none, Packing::gzip, Packing::xz}) {
    const auto archive = file(tar({{"folder/readme", {1}}, {"folder/one.bin", one}, {"folder/two.bin", two}}, packing));
    const auto members = read_members(archive, "cifar-10", {{"two.bin", 70'000}, {"one.bin", 40'000}});
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].bytes, two);
    EXPECT_EQ(members[1].bytes, one);
    EXPECT_THAT(members[1].shown, HasSubstr("(folder/one.bin)"));
  }
}

TEST_F(Unpacking, WrongAndDamagedArchivesAreRefused) {
  const auto members = [&](const Bytes& bytes) {
    return refusal([&] { read_members(file(bytes), "cifar-10", {{"one.bin", 1'000}}); });
  };
  const auto good = tar({{"one.bin", noise(1'000)}}, Packing::gzip);
  EXPECT_EQ(members(good), "(nothing was refused)");
  EXPECT_THAT(members(tar({{"two.bin", noise(10)}}, Packing::gzip)), HasSubstr("lacks one.bin"));
  EXPECT_THAT(members(tar({{"one.bin", {1}}, {"b/one.bin", {2}}}, Packing::gzip)), HasSubstr("twice"));
  EXPECT_THAT(members(tar({{"one.bin", noise(1'001)}}, Packing::gzip)), HasSubstr("more than the 1 000 bytes"));
  EXPECT_THAT(members({good.begin(), good.end() - 9}), HasSubstr("cut short"));
  EXPECT_THAT(members(packed(noise(5'000), Packing::gzip)), HasSubstr("damaged"));
  EXPECT_THAT(members({}), HasSubstr("cambium data fetch cifar-10"));
  auto wrong_checksum = good;
  wrong_checksum[good.size() - 6] ^= 1;  // in the checksum of gzip, so only comparing it can find the damage
  EXPECT_THAT(members(wrong_checksum), HasSubstr("damaged"));
}

}  // namespace
}  // namespace cambium
