// CIFAR-10 and CIFAR-100: the binary format, of records of labels and 3 x 32 x 32 pixels, one colour plane after
// another, and the one of Python, of pickled batches.
#pragma once

#include <span>
#include <string>

#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"

namespace cambium {

inline constexpr std::int32_t cifar_side = 32, cifar_channels = 3;
inline constexpr std::size_t cifar_pixels = 3072;

// A record's labels, a byte each, and how many classes each has. The last is the one that counts: CIFAR-100's records
// have the superclass first.
using CifarLabels = std::vector<std::int32_t>;

// The images of all `files`, one after another.
Images read_cifar_binary(std::span<const DataFile> files, const CifarLabels& labels);

// The same; `labels` is the key of the labels: "labels", or "fine_labels".
Images read_cifar_python(std::span<const DataFile> files, const std::string& labels, std::int32_t classes);

// Adds `count` images, each of three planes (channels, height, width) and `stride` bytes after the one before, to
// `images`, channels last.
void append_planar(Images& images, const std::uint8_t* planes, std::size_t count, std::size_t stride);

// One image of three planes, written to `pixels` channels last.
void interleave_planes(const std::uint8_t* planes, std::uint8_t* pixels);

}  // namespace cambium
