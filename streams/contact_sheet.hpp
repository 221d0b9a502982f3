// A contact sheet: a row of pictures for every task, as a network is shown them, with captions. An SVG that needs no
// other file.
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

// An image as a task shows it, cropped and mirrored where training does that; as batch.sycl makes it.
Picture picture(const Images& images, std::int32_t image, const Task& task,
                const std::optional<Augmentation>& augmentation = {});

std::string contact_sheet(const std::string& title, std::span<const PictureRow> rows);

}  // namespace cambium
