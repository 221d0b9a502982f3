// The known data sets: shapes, files in every layout, checksums, and the addresses where they are published.
//
// To add a data set, add an entry to catalogue.cpp, and a reader if it has a new format (docs/data.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "streams/data/images.hpp"

namespace cambium {

struct CatalogueFile {
  std::string name;
  std::size_t bytes = 0;   // size of the unpacked file; an upper bound unless `checksum` is SHA-256
  std::string checksum;    // of the unpacked file: SHA-256, or MD5 if only that is published; empty: none is known
  std::string other_name;  // the name on some mirrors, or empty
};

enum class DataFormat { idx, cifar_binary, cifar_python, imagenet_classes, imagenet_batches };

// One way in which the files are stored: in one of several folders, or in a tar archive.
struct DataLayout {
  DataFormat format = DataFormat::idx;
  std::vector<std::string> folders;   // relative to a folder of the search path; "" is that folder itself
  std::vector<std::string> archives;  // tar archives that hold these files
  std::vector<CatalogueFile> train, test;
};

struct CatalogueEntry {
  std::string name;
  std::string description;
  std::int32_t train_images = 0, test_images = 0, height = 0, width = 0, channels = 0, classes = 0;
  std::int32_t images_per_class = 0;  // if not 0, only the first that many of every class are used
  std::vector<float> mean, deviation;
  std::vector<std::string> class_names;  // may be empty
  std::vector<DataLayout> layouts;       // in order of preference
  std::string by_hand;                   // how a user gets the files, if `cambium data fetch` cannot; else empty
  std::string fetched_folder;            // where it stores files, relative to the data folder; may be empty
  std::vector<std::string> fetched;      // names of its downloads: packed files of the first layout, or its archive
  std::vector<std::string> homes;        // their addresses without the name, which end in '/'; tried in this order
  std::size_t fetched_bytes = 0;         // size of all downloads, for display
};

std::span<const CatalogueEntry> catalogue();

// Throws InputError, which names the nearest data set, if there is none of that name.
const CatalogueEntry& catalogue_entry(const std::string& name);

// Advice for a data set that is missing, and for a damaged file. Sentences without the final full stop.
std::string how_to_get(const CatalogueEntry& entry);
std::string how_to_replace(const std::string& data_set);

}  // namespace cambium
