// Labelled images in host memory: the readers of data sets return them, and streams draw from them.
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
  std::string name;  // its name in the catalogue
  std::int32_t classes = 0;
  // Per channel, of pixel / 255 over the training images: input is (pixel / 255 - mean) / deviation.
  std::vector<float> mean, deviation;
  std::vector<std::string> class_names;  // (classes), or empty
  Images train, test;
};

}  // namespace cambium
