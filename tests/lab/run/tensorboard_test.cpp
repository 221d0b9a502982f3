// Event files, against bytes that TensorBoard's own writer makes.

#include "lab/run/tensorboard.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/streams/data/made_files.hpp"

using namespace cambium;

namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string whole(const std::filesystem::path& file) {
  const auto bytes = read_whole(file);
  return {bytes.begin(), bytes.end()};
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST(TensorBoard, RecordsAreThoseOfItsOwnWriter) {
  EXPECT_EQ(hex(tensorboard_version_record(1700000000.25)),
            "1800000000000000a37f4b220900001040fc54d9411a0d627261696e2e4576656e743a32338d2fe9");
  EXPECT_EQ(hex(tensorboard_record(1700000001.5, 470, "cycles/test_accuracy", 0.875f)),
            "2b00000000000000861bc34b0900006040fc54d94110d6032a1d0a1b0a146379636c65732f746573745f6163637572616379150000"
            "603f2a5ede16");
}

TEST(TensorBoard, EverySeedHasAFileWithWhatTheRunHasSoFarAndWhatComes) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "metrics.jsonl")
      << R"({"phase":"cycles","step":10,"lr":0.1,"test_accuracy":[0.5,0.25],"active_units":[[4,3],[4,3]]})"
      << "\n";
  {
    TensorBoard board(folder.path(), {1, 7});
    board.add(R"({"phase":"ticket","step":10,"lr":0.1,"test_accuracy":[0.5,null],"active_units":[[4,3],[4,3]]})");
  }
  const auto first = whole(folder.path() / "tensorboard/seed-1/events.out.tfevents.cambium"),
             second = whole(folder.path() / "tensorboard/seed-7/events.out.tfevents.cambium");
  EXPECT_EQ(count(first, "cycles/test_accuracy"), 1u);
  EXPECT_EQ(count(first, "cycles/active_2"), 1u);
  EXPECT_EQ(count(first, "ticket/test_accuracy"), 1u);
  EXPECT_EQ(count(second, "cycles/test_accuracy"), 1u);
  EXPECT_EQ(count(second, "ticket/test_accuracy"), 0u) << "what is no number has no point";
  // Once more, as when a run goes on: nothing is there twice.
  TensorBoard(folder.path(), {1, 7});
  EXPECT_EQ(count(whole(folder.path() / "tensorboard/seed-1/events.out.tfevents.cambium"), "test_accuracy"), 1u);
}
