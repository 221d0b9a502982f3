// Pictures of tasks, their PNG encoding, and the contact sheet.

#include "streams/contact_sheet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <numeric>

#include "streams/data/png.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::HasSubstr;

// Two images of 3 x 4 pixels; the second has the bytes of the first plus 100.
Images counted(std::int32_t channels) {
  Images images{.count = 2, .height = 3, .width = 4, .channels = channels, .pixels = {}, .labels = {0, 1}};
  for (std::int32_t image = 0; image < 2; ++image)
    for (std::int32_t i = 0; i < 12 * channels; ++i)
      images.pixels.push_back(static_cast<std::uint8_t>(100 * image + i));
  return images;
}

std::uint32_t number_at(const Bytes& bytes, std::size_t at) {
  return std::uint32_t{bytes.at(at)} << 24 | std::uint32_t{bytes.at(at + 1)} << 16 |
         std::uint32_t{bytes.at(at + 2)} << 8 | bytes.at(at + 3);
}

// Returns the content of a PNG chunk and checks its checksum.
Bytes chunk(const Bytes& file, const std::string& wanted) {
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t length = number_at(file, at);
    const std::string type(file.begin() + static_cast<std::ptrdiff_t>(at + 4),
                           file.begin() + static_cast<std::ptrdiff_t>(at + 8));
    EXPECT_EQ(number_at(file, at + 8 + length), crc32(0, file.data() + at + 4, static_cast<uInt>(length + 4))) << type;
    const auto content = file.begin() + static_cast<std::ptrdiff_t>(at + 8);
    if (type == wanted) return {content, content + static_cast<std::ptrdiff_t>(length)};
    at += 12 + length;
  }
  ADD_FAILURE() << "no chunk " << wanted;
  return {};
}

Bytes inflated(const Bytes& content, std::size_t size) {
  Bytes result(size + 1);
  uLongf length = static_cast<uLongf>(result.size());
  EXPECT_EQ(uncompress(result.data(), &length, content.data(), static_cast<uLong>(content.size())), Z_OK);
  result.resize(length);
  return result;
}

TEST(Png, HasTheSignatureAndTheEndChunk) {
  const auto file = png(counted(1).pixels, 6, 4, 1);
  EXPECT_EQ(Bytes(file.begin(), file.begin() + 8), (Bytes{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}));
  EXPECT_EQ(Bytes(file.end() - 12, file.end()), (Bytes{0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82}));
}

TEST(Png, HeaderHasTheShape) {
  EXPECT_EQ(chunk(png(Bytes(300 * 2), 2, 300, 1), "IHDR"), (Bytes{0, 0, 1, 44, 0, 0, 0, 2, 8, 0, 0, 0, 0}));
  EXPECT_EQ(chunk(png(Bytes(5 * 2 * 3), 2, 5, 3), "IHDR"), (Bytes{0, 0, 0, 5, 0, 0, 0, 2, 8, 2, 0, 0, 0}));
}

TEST(Png, HoldsThePixelsRowByRow) {
  const Bytes pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(inflated(chunk(png(pixels, 2, 2, 3), "IDAT"), 14), (Bytes{0, 1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12}));
}

TEST(Png, RefusesPixelsThatDoNotFit) { EXPECT_THROW(png(Bytes(5), 2, 3, 1), std::logic_error); }

TEST(Picture, IsTheUnchangedImageForAnEmptyTask) {
  for (const std::int32_t channels : {1, 3}) {
    const auto images = counted(channels);
    const auto second = Bytes(images.pixels.begin() + 12 * channels, images.pixels.end());
    EXPECT_EQ(picture(images, 1, {}).pixels, second);
  }
}

TEST(Picture, HasItsPixelsInTheTasksOrder) {
  Task task;
  task.pixels = {11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};  // a rotation by one pixel
  EXPECT_EQ(picture(counted(1), 1, task).pixels, (Bytes{111, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110}));
}

TEST(Picture, KeepsAPixelsChannelsTogether) {
  Task task;
  task.pixels.resize(12);
  std::iota(task.pixels.rbegin(), task.pixels.rend(), 0);
  const auto shown = picture(counted(3), 0, task).pixels;
  EXPECT_EQ(Bytes(shown.begin(), shown.begin() + 6), (Bytes{33, 34, 35, 30, 31, 32}));
}

TEST(Picture, IsCroppedFromTheImageWithBlackPadding) {
  // The crop starts one row above and two columns left of the image.
  EXPECT_EQ(picture(counted(1), 1, {}, Augmentation{.down = 3, .across = 2, .flip = false}).pixels,
            (Bytes{0, 0, 0, 0, 0, 0, 100, 101, 0, 0, 104, 105}));
}

TEST(Picture, IsMirroredAfterTheCrop) {
  EXPECT_EQ(picture(counted(1), 1, {}, Augmentation{.down = 4, .across = 5, .flip = true}).pixels,
            (Bytes{0, 103, 102, 101, 0, 107, 106, 105, 0, 111, 110, 109}));
}

std::vector<PictureRow> two_rows() {
  const auto images = counted(1);
  std::vector<PictureRow> rows{{"task 1: cats & dogs", {picture(images, 0, {}), picture(images, 1, {})}},
                               {"task 2: fewer than <9>", {picture(images, 1, {})}}};
  rows[0].pictures[0].caption = "cat";
  rows[0].pictures[1].caption = "dog";
  rows[1].pictures[0].caption = "\"8\"";
  return rows;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ContactSheet, HasEveryPictureAndEveryCaption) {
  const auto sheet = contact_sheet("a stream", two_rows());
  EXPECT_EQ(occurrences(sheet, "<image "), 3u);
  for (const std::string word : {">a stream<", ">cat<", ">dog<", ">&quot;8&quot;<"})
    EXPECT_THAT(sheet, HasSubstr(word));
}

TEST(ContactSheet, EscapesMarkupCharacters) {
  const auto sheet = contact_sheet("a stream", two_rows());
  EXPECT_THAT(sheet, HasSubstr(">task 1: cats &amp; dogs<"));
  EXPECT_THAT(sheet, HasSubstr(">task 2: fewer than &lt;9&gt;<"));
}

// A black 1 x 1 picture: signature and IHDR do not depend on the compression, so the start of the base64 is known.
TEST(ContactSheet, EmbedsPngs) {
  const std::vector<PictureRow> rows{{"", {{1, 1, 1, {0}, ""}}}};
  EXPECT_THAT(contact_sheet("", rows),
              HasSubstr("href=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA"));
}

TEST(ContactSheet, IsLargeEnoughForItsPictures) {
  // 2 pictures of 12 x 9 with a gap of 12 and margins of 16; two rows with titles and captions.
  EXPECT_THAT(contact_sheet("", two_rows()), HasSubstr("width=\"68\" height=\"184\" viewBox=\"0 0 68 184\""));
}

}  // namespace
}  // namespace cambium
