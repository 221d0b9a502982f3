// A contact sheet: an SVG with a row of pictures for every task, as the network sees them, with captions. The file is
// self-contained.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "streams/augmentation.hpp"
#include "streams/data/images.hpp"
#include "streams/stream.hpp"

namespace cambium {

struct Picture {
  std::int32_t height = 0, width = 0, channels = 0;
  std::vector<std::uint8_t> pixels;  // (height, width, channels)
  std::string caption;
};

struct PictureRow {
  std::string title;
  std::vector<Picture> pictures;
};

// An image as a task shows it, with the same crop, flip and pixel order as in batch.sycl.
Picture picture(const Images& images, std::int32_t image, const Task& task,
                const std::optional<Augmentation>& augmentation = {});

std::string contact_sheet(const std::string& title, std::span<const PictureRow> rows);

}  // namespace cambium
