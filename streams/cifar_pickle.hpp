// CIFAR as Python keeps it: a pickled dictionary with the pixels as an array of NumPy and the labels as a list.
//
// A pickle is a program for a small stack machine. This one knows the instructions that such a dictionary needs, and
// the two functions of NumPy that stand for an array; it runs nothing else and refuses everything else.
#pragma once

#include <span>
#include <string>

#include "streams/data_file.hpp"
#include "streams/images.hpp"

namespace cambium {

// The images of all `files`, one after another. `labels` is the key of the labels: "labels", or "fine_labels".
Images read_cifar_python(std::span<const DataFile> files, const std::string& labels, std::int32_t classes);

}  // namespace cambium
