// What is known of each data set: its shape, its files in every layout, their checksums, and where they are published.
//
// A data set is added by an entry in catalogue.cpp, and a reader if it comes in a format of its own (docs/data.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "streams/data/images.hpp"

namespace cambium {

struct CatalogueFile {
  std::string name;
  std::size_t bytes = 0;   // unpacked; with a `checksum` of MD5's length or none, at most
  std::string checksum;    // of the unpacked content: SHA-256, or MD5 where no other was published; empty: none known
  std::string other_name;  // a name that some mirrors use, or empty
};

enum class DataFormat { idx, cifar_binary, cifar_python, imagenet_classes, imagenet_batches };

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
  std::int32_t images_per_class = 0;  // where the files have more: the first that many of every class are taken
  std::vector<float> mean, deviation;
  std::vector<std::string> class_names;  // may be empty
  std::vector<DataLayout> layouts;       // in order of preference
  // What `cambium data fetch` downloads: files of the first layout, packed, or an archive of it; nothing where people
  // have to get the files themselves, and then `by_hand` tells them how.
  std::string by_hand;
  std::string fetched_folder;        // below the data folder; may be empty
  std::vector<std::string> fetched;  // names on the server and on the disk
  std::vector<std::string> homes;    // addresses that end in '/', tried in this order
  std::size_t fetched_bytes = 0;     // in all, for people
};

std::span<const CatalogueEntry> catalogue();

// The entry of that name; an InputError names the nearest one.
const CatalogueEntry& catalogue_entry(const std::string& name);

// The same with its first `classes` classes only, for which fewer files may be enough. An InputError where a data set
// comes as a whole only.
CatalogueEntry with_classes(const CatalogueEntry& entry, std::int32_t classes);

// What to do where a data set is not found, and where a file of it is damaged. Whole sentences without the full stop.
std::string how_to_get(const CatalogueEntry& entry);
std::string how_to_replace(const std::string& data_set);

}  // namespace cambium
