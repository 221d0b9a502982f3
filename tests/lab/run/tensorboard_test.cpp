// Event files, against bytes that TensorBoard's own writer makes.

#include "lab/run/tensorboard.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

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

TEST(TensorBoard, RecordsEqualThoseOfTensorBoardsWriter) {
  EXPECT_EQ(hex(tensorboard_version_record(1700000000.25)),
            "1800000000000000a37f4b220900001040fc54d9411a0d627261696e2e4576656e743a32338d2fe9");
  EXPECT_EQ(hex(tensorboard_record(1700000001.5, 470, "cycles/test_accuracy", 0.875f)),
            "2b00000000000000861bc34b0900006040fc54d94110d6032a1d0a1b0a146379636c65732f746573745f6163637572616379150000"
            "603f2a5ede16");
}

TEST(TensorBoard, EverySeedHasAFileWithThePointsOfItsEpochs) {
  const TemporaryFolder folder;
  EpochRecord record{.phase = "cycles", .step = 10, .rate = 0.1};
  for (const double accuracy : {0.5, 0.25})
    record.seeds.push_back({.test_loss = NAN, .test_accuracy = accuracy, .active_units = {4, 3}});
  std::ofstream(folder.path() / "metrics.jsonl") << metrics_line(record);
  {
    TensorBoard board(folder.path(), {1, 7});
    record.phase = "ticket";
    record.seeds[1].test_accuracy = NAN;
    board.add(record);
  }
  const auto first = whole(folder.path() / "tensorboard/seed-1/events.out.tfevents.cambium"),
             second = whole(folder.path() / "tensorboard/seed-7/events.out.tfevents.cambium");
  EXPECT_EQ(count(first, "cycles/test_accuracy"), 1u);
  EXPECT_EQ(count(first, "cycles/active_2"), 1u);
  EXPECT_EQ(count(first, "ticket/test_accuracy"), 1u);
  EXPECT_EQ(count(second, "cycles/test_accuracy"), 1u);
  EXPECT_EQ(count(first, "test_loss") + count(second, "ticket/test_accuracy"), 0u) << "NaN has no point";
  // As when a run resumes: the file has every point of metrics.jsonl once.
  TensorBoard(folder.path(), {1, 7});
  EXPECT_EQ(count(whole(folder.path() / "tensorboard/seed-1/events.out.tfevents.cambium"), "test_accuracy"), 1u);
}
