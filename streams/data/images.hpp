// Labelled images in host memory, as the readers of data sets leave them and as streams draw from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium {

struct Images {
  std::int32_t count = 0, height = 0, width = 0, channels = 0;
  std::vector<std::uint8_t> pixels;   // (count, height, width, channels), channels last
  std::vector<std::uint16_t> labels;  // (count), each below DataSet::classes
};

struct DataSet {
  std::string name;  // as in the catalogue
  std::int32_t classes = 0;
  // Per channel, of pixel / 255 over the training images: what standardised input subtracts and divides by.
  std::vector<float> mean, deviation;
  std::vector<std::string> class_names;  // (classes), or none
  Images train, test;
};

}  // namespace cambium
