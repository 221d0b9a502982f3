// What is known of each data set: its shape, its files in every layout, their checksums, and where they are published.
//
// A data set is added by an entry in catalogue.cpp, and a reader if it comes in a format of its own (docs/data.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "streams/images.hpp"

namespace cambium {

struct CatalogueFile {
  std::string name;
  std::size_t bytes = 0;   // unpacked; with a `checksum` of MD5's length, at most
  std::string checksum;    // of the unpacked content: SHA-256, or MD5 where no other was published
  std::string other_name;  // a name that some mirrors use, or empty
};

enum class DataFormat { idx, cifar_binary, cifar_python };

// One form in which the files are kept: in one of several folders, or in a tar archive.
struct DataLayout {
  DataFormat format = DataFormat::idx;
  std::vector<std::string> folders;   // below a folder of the search path; the empty name is that folder itself
  std::vector<std::string> archives;  // tar archives with these files
  std::vector<CatalogueFile> train, test;
};

struct CatalogueEntry {
  std::string name;
  std::string description;
  std::int32_t train_images = 0, test_images = 0, height = 0, width = 0, channels = 0, classes = 0;
  std::vector<float> mean, deviation;
  std::vector<std::string> class_names;
  std::vector<DataLayout> layouts;  // in order of preference
  // What `cambium data fetch` downloads: files of the first layout, packed, or an archive of it.
  std::string fetched_folder;        // below the data folder; may be empty
  std::vector<std::string> fetched;  // names on the server and on the disk
  std::vector<std::string> homes;    // addresses that end in '/', tried in this order
  std::size_t fetched_bytes = 0;     // in all, for people
};

std::span<const CatalogueEntry> catalogue();

// The entry of that name; an InputError names the nearest one.
const CatalogueEntry& catalogue_entry(const std::string& name);

}  // namespace cambium
