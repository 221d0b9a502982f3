// Files, durable files and journals, also on a disk that fails.

#include "base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/journal.hpp"
#include "tests/base/full_disk.hpp"
#include "tests/base/temporary_folder.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_files::FullDisk;
using testing_files::TemporaryFolder;
using testing_files::text_of;

TEST(File, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'x');
  write_file(folder / "a", text);
  EXPECT_EQ(read_all(open_file(folder / "a", O_RDONLY), folder / "a"), text);
  write_file(folder / "a", "short");
  EXPECT_EQ(text_of(folder / "a"), "short");
}

TEST(File, AFullDiskIsAnEnvironmentErrorWithFileCauseAndRemedy) {
  const auto full = open_file("/dev/full", O_WRONLY);
  EXPECT_THAT([&] { write_all(full, std::as_bytes(std::span("text")), "results.csv"); },
              ThrowsMessage<EnvironmentError>(
                  AllOf(HasSubstr("results.csv"), HasSubstr("No space left on device"), HasSubstr("Free space"))));
}

TEST(File, AMissingFolderIsAnInputError) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { open_file(folder / "no/such", O_WRONLY | O_CREAT); },
              ThrowsMessage<InputError>(AllOf(HasSubstr((folder / "no/such").string()), HasSubstr("No such file"))));
}

TEST(File, AFileThatCannotBeSyncedIsAnError) {
  const auto pipe = open_file("/dev/null", O_RDONLY);  // fsync fails with EINVAL
  EXPECT_THAT([&] { sync_file(pipe, "results.csv"); },
              ThrowsMessage<EnvironmentError>(HasSubstr("synced to the disk")));
}

TEST(Folder, IsMadeWithThoseAboveIt) {
  const TemporaryFolder folder;
  EXPECT_TRUE(make_folder(folder / "a/b/c"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  EXPECT_FALSE(make_folder(folder / "a/b/c"));
  EXPECT_FALSE(make_folder(folder / "a/b/"));
}

TEST(Folder, AFileInItsPlaceIsAnInputError) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  EXPECT_THROW(make_folder(folder / "file"), InputError);
  EXPECT_THROW(make_folder(folder / "file/below"), InputError);
}

TEST(DurableFile, ReplacesTheFileAsAWhole) {
  const TemporaryFolder folder;
  DurableFile::write(folder / "a", "old");
  {
    DurableFile file(folder / "a");
    file.write(std::as_bytes(std::span("new", 3)));
    EXPECT_EQ(text_of(folder / "a"), "old");
    file.commit();
  }
  EXPECT_EQ(text_of(folder / "a"), "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.part"));
}

TEST(DurableFile, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  DurableFile::write(folder / "a", "old");
  { DurableFile(folder / "a").write(std::as_bytes(std::span("new", 3))); }
  EXPECT_EQ(text_of(folder / "a"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.part"));
}

TEST(DurableFile, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  DurableFile::write(folder / "a", "old");
  {
    const FullDisk disk(1000);
    EXPECT_THAT([&] { DurableFile::write(folder / "a", std::string(2000, 'x')); },
                ThrowsMessage<EnvironmentError>(AllOf(HasSubstr((folder / "a").string()), HasSubstr("ulimit -f"))));
  }
  EXPECT_EQ(text_of(folder / "a"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.part"));
}

TEST(DurableFile, AFailedSyncLeavesTheOldFile) {
  const TemporaryFolder folder;
  DurableFile::write(folder / "a", "old");
  std::filesystem::create_symlink("/dev/null", folder / "a.part");  // takes every byte, and cannot be synced
  EXPECT_THROW(DurableFile::write(folder / "a", "new"), EnvironmentError);
  EXPECT_EQ(text_of(folder / "a"), "old");
}

TEST(Journal, BeginsWithItsHeader) {
  const TemporaryFolder folder;
  Journal journal(folder / "a.csv", "x,y\n");
  journal.rewind(0);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.csv"));
  journal.append("1,2\n");
  journal.append("3,4\n");
  journal.sync();
  EXPECT_EQ(text_of(folder / "a.csv"), "x,y\n1,2\n3,4\n");
  EXPECT_EQ(journal.bytes(), 12u);
}

TEST(Journal, AResumedRunCutsItBackToTheCheckpoint) {
  const TemporaryFolder folder;
  {
    Journal journal(folder / "a.csv", "x\n");
    journal.append("1\n");
    journal.append("2\n");
  }
  Journal journal(folder / "a.csv", "x\n");
  journal.rewind(4);
  journal.append("3\n");
  EXPECT_EQ(text_of(folder / "a.csv"), "x\n1\n3\n");
}

TEST(Journal, LostLinesAreAnInputError) {
  const TemporaryFolder folder;
  write_file(folder / "a.csv", "x\n");
  EXPECT_THAT([&] { Journal(folder / "a.csv").rewind(3); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("a.csv"), HasSubstr("lines were lost"))));
}

TEST(Journal, AFullDiskIsAnEnvironmentError) {
  const TemporaryFolder folder;
  Journal journal(folder / "a.csv", "x\n");
  journal.append("1\n");
  const FullDisk disk(4);
  EXPECT_THAT([&] { journal.append("2\n"); }, ThrowsMessage<EnvironmentError>(HasSubstr("a.csv")));
  EXPECT_EQ(journal.bytes(), 4u);
}

TEST(Journal, AFailedSyncIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/null", folder / "a.csv");
  Journal journal(folder / "a.csv");
  journal.append("1\n");
  EXPECT_THROW(journal.sync(), EnvironmentError);
}

}  // namespace
}  // namespace cambium
