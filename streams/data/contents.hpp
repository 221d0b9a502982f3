// The contents of a data set that was found: its files unpacked, made into images, compared with published checksums.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"
#include "streams/data/locate.hpp"

namespace cambium {

// What has been read of a data set's files, in the order of train and then test; the number of the file among them.
using FileSeen = std::function<void(std::size_t number, const DataFile& file)>;

// The images in its files. Refuses other counts and sizes than the official ones. A large data set is read file by
// file: besides the images, memory for one file is needed. `seen` may be empty.
DataSet read_contents(const DataLocation& location, const FileSeen& seen = {});

struct ContentCheck {
  std::string file;
  std::size_t bytes = 0;
  std::string expected, found;  // checksums; empty where none is known
  bool compared() const { return !expected.empty(); }
  bool good() const { return expected == found; }
};

// Reads everything, with an InputError where that fails, and compares every file that has a published checksum with it.
std::vector<ContentCheck> verify_contents(const DataLocation& location);

}  // namespace cambium
