// Descriptions of the networks of the study: their layers, widths and names of parameters.
//
//   mlp      image -> fc1 -> phi -> fc2 -> phi -> fc3                                   hidden layers of 256
//   convnet  image -> [3x3 convolution -> phi -> 2x2 max-pool] x 2 -> flatten
//                  -> fc1 -> phi -> fc2 -> phi -> fc3 -> phi -> fc4                     hidden layers of 512, 512, 256
//
// The convolutions are the trunk, which is never edited; the hidden fully connected layers are those whose units grow
// and are pruned. Names and shapes of parameters are those of a PyTorch state dict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium {

struct ImageShape {
  std::int32_t height = 0, width = 0, channels = 0;
  std::int32_t size() const { return height * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

struct LayerShape {
  std::string name;  // conv1, conv2, fc1, ...
  bool convolution = false;
  std::int32_t inputs = 0, units = 0;  // of a convolution: channels
  ImageShape image;                    // the input of a convolution, or the image that the first linear layer flattens

  std::int64_t fan_in() const { return convolution ? std::int64_t{9} * inputs : inputs; }
  std::int64_t weights() const { return fan_in() * units; }
  // Shapes in PyTorch's layout: (units, inputs), or (units, inputs, 3, 3) for a convolution.
  std::vector<std::int64_t> weight_shape() const;
};

struct Architecture {
  std::string name;
  ImageShape image;
  std::vector<std::int32_t> trunk;   // channels of the convolutions
  std::vector<std::int32_t> hidden;  // widths of the hidden fully connected layers
  std::int32_t classes = 0;

  ImageShape features() const;  // input of the first fully connected layer
  std::vector<LayerShape> layers() const;
  std::string hidden_name(std::size_t hidden_layer) const;
  std::int64_t parameter_count() const;
  bool operator==(const Architecture&) const = default;
};

std::vector<std::string> network_names();

// `hidden` empty: the study's widths. Throws InputError for an unknown name, widths that do not fit the network, or an
// image too small for the pooling.
Architecture make_architecture(const std::string& name, const ImageShape& image, std::int32_t classes,
                               const std::vector<std::int32_t>& hidden = {});

}  // namespace cambium
