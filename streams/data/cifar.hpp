// Readers of CIFAR-10 and CIFAR-100: the binary format, whose records are labels and 3 x 32 x 32 pixels, one colour
// plane after another; and the Python format, pickled batches.
#pragma once

#include <span>
#include <string>

#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"

namespace cambium {

inline constexpr std::int32_t cifar_side = 32, cifar_channels = 3;
inline constexpr std::size_t cifar_pixels = 3072;

// The number of classes of each label in a record; a label is one byte. Only the last label is used: in CIFAR-100,
// the first is the superclass.
using CifarLabels = std::vector<std::int32_t>;

// Returns the images of all `files`, in their order.
Images read_cifar_binary(std::span<const DataFile> files, const CifarLabels& labels);

// The same for the Python format. `labels` is the key of the labels: "labels" or "fine_labels".
Images read_cifar_python(std::span<const DataFile> files, const std::string& labels, std::int32_t classes);

// Appends `count` images to `images`, channels last. `planes` has an image every `stride` bytes, as (channels, height,
// width).
void append_planar(Images& images, const std::uint8_t* planes, std::size_t count, std::size_t stride);

// Writes one image of three planes to `pixels`, channels last.
void interleave_planes(const std::uint8_t* planes, std::uint8_t* pixels);

}  // namespace cambium
