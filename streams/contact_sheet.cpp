#include "streams/contact_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/html.hpp"
#include "streams/data/png.hpp"

namespace cambium {
namespace {

// In SVG units. Pictures of 28 or 32 pixels are enlarged by `scale`.
constexpr std::int32_t scale = 3, margin = 16, gap = 12, title_height = 34, row_title_height = 26, caption_height = 20;

void add_text(std::string& svg, std::int32_t x, std::int32_t y, std::int32_t size, std::string_view anchor,
              std::string_view text) {
  svg += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, size, anchor,
                     escaped(text));
}

void add_picture(std::string& svg, std::int32_t x, std::int32_t y, const Picture& picture) {
  const std::int32_t width = scale * picture.width, height = scale * picture.height;
  svg += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      x, y, width, height, base64(png(picture.pixels, picture.height, picture.width, picture.channels)));
  add_text(svg, x + width / 2, y + height + 14, 11, "middle", picture.caption);
}

}  // namespace

Picture picture(const Images& images, std::int32_t image, const Task& task,
                const std::optional<Augmentation>& augmentation) {
  const std::int32_t height = images.height, width = images.width, channels = images.channels;
  const auto padding = static_cast<std::int32_t>(Augmentation::padding);
  Picture result{height, width, channels, {}, {}};
  const auto size = static_cast<std::size_t>(height) * static_cast<std::size_t>(width * channels);
  result.pixels.reserve(size);
  const std::uint8_t* const from = images.pixels.data() + static_cast<std::size_t>(image) * size;
  for (std::int32_t position = 0; position < height * width; ++position) {
    const std::int32_t place = task.pixels.empty() ? position : task.pixels[static_cast<std::size_t>(position)];
    std::int32_t y = place / width, x = place % width;
    if (augmentation) {
      if (augmentation->flip) x = width - 1 - x;
      y += static_cast<std::int32_t>(augmentation->down) - padding;
      x += static_cast<std::int32_t>(augmentation->across) - padding;
    }
    const bool inside = 0 <= y && y < height && 0 <= x && x < width;
    for (std::int32_t channel = 0; channel < channels; ++channel)
      result.pixels.push_back(inside ? from[(y * width + x) * channels + channel] : std::uint8_t{0});
  }
  return result;
}

std::string contact_sheet(const std::string& title, std::span<const PictureRow> rows) {
  std::string drawn;
  std::int32_t y = margin + title_height, width = 0;
  add_text(drawn, margin, margin + 18, 18, "start", title);
  for (const auto& row : rows) {
    add_text(drawn, margin, y + 16, 14, "start", row.title);
    y += row_title_height;
    std::int32_t x = margin, height = 0;
    for (const auto& picture : row.pictures) {
      add_picture(drawn, x, y, picture);
      x += scale * picture.width + gap;
      height = std::max(height, scale * picture.height);
    }
    y += height + caption_height + gap;
    width = std::max(width, x - gap + margin);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
      width, y, drawn);
}

}  // namespace cambium
