// Reads the files of a data set into images, and compares them with published checksums.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"
#include "streams/data/locate.hpp"

namespace cambium {

// Called with every file that was read, in the order of the layout: train, then test.
using OnFile = std::function<void(std::size_t number, const DataFile& file)>;

// Reads the images. Throws InputError if their number or size is not the official one. ImageNet is read file by file,
// so it needs memory for the images and one file. `on_file` may be empty.
DataSet read_contents(const DataLocation& location, const OnFile& on_file = {});

struct ContentCheck {
  std::string file;
  std::size_t bytes = 0;
  std::string expected, found;  // checksums; empty if none is published
  bool compared() const { return !expected.empty(); }
  bool good() const { return expected == found; }
};

// Reads all files and computes the checksum of each that has a published one. Throws InputError if a file is damaged.
std::vector<ContentCheck> verify_contents(const DataLocation& location);

}  // namespace cambium
