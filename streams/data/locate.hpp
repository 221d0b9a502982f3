// Finds the files of a data set in the folders of the search path.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "streams/data/catalogue.hpp"
#include "streams/data/data_set.hpp"

namespace cambium {

struct DataLocation {
  const CatalogueEntry* entry = nullptr;
  const DataLayout* layout = nullptr;
  std::filesystem::path place;               // a folder or a tar archive
  bool archive = false;                      // whether `place` is an archive
  std::vector<std::filesystem::path> files;  // of a folder: the paths of the training files, then of the test files
};

struct DataSearch {
  std::optional<DataLocation> found;
  std::vector<std::string> remarks;  // about folders that were not used: incomplete, or another data set
};

// Returns the first complete place. Reads no file except the small one of test labels, which distinguishes MNIST from
// Fashion-MNIST.
DataSearch search_data_set(const CatalogueEntry& entry, const DataFolders& where);

// The same; throws InputError with the folders searched and the remarks if there is no complete place.
DataLocation locate_data_set(const CatalogueEntry& entry, const DataFolders& where);

}  // namespace cambium
