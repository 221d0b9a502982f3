// The contents of a data set that was found: its files unpacked, made into images, compared with published checksums.
#pragma once

#include <string>
#include <vector>

#include "streams/data_file.hpp"
#include "streams/images.hpp"
#include "streams/locate.hpp"

namespace cambium {

// The files of train, then of test.
std::vector<DataFile> read_files(const DataLocation& location);

// The images in them. Refuses other counts and sizes than the official ones.
DataSet parse_files(const DataLocation& location, const std::vector<DataFile>& files);

struct ContentCheck {
  std::string file;
  std::size_t bytes = 0;
  std::string expected, found;  // checksums
  bool good() const { return expected == found; }
};

// Reads everything, with an InputError where that fails, and compares every file with its published checksum.
std::vector<ContentCheck> verify_contents(const DataLocation& location);

}  // namespace cambium
