// Finding a data set's files: in which layout, in which folder of the search path, and what is missing.
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
  std::filesystem::path place;               // a folder, or a tar archive
  bool archive = false;                      // which of the two
  std::vector<std::filesystem::path> files;  // in a folder: the files of train, then of test, as they are called there
};

struct DataSearch {
  std::optional<DataLocation> found;
  std::vector<std::string> remarks;  // what was seen on the way: incomplete folders, files of another data set
};

// The first complete place. Nothing is read but, to tell MNIST from Fashion-MNIST, the small file of test labels.
DataSearch search_data_set(const CatalogueEntry& entry, const DataFolders& where);

// The same; an InputError says where it looked and what it saw when there is none.
DataLocation locate_data_set(const CatalogueEntry& entry, const DataFolders& where);

}  // namespace cambium
