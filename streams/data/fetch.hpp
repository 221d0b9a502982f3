// Downloads the missing or damaged files of a data set and checks their content.
#pragma once

#include <filesystem>
#include <string>

#include "streams/data/catalogue.hpp"
#include "streams/data/data_set.hpp"
#include "streams/data/download.hpp"

namespace cambium {

struct FetchOptions {
  std::string url;  // address of a mirror; empty: the addresses of the catalogue
  DownloadOptions download;
};

struct Fetched {
  std::filesystem::path place;  // the folder or archive with the data set
  int files = 0;                // number of downloads; 0 if the data set was complete
};

// Does nothing if `where` has a complete and undamaged copy; otherwise downloads the files that where.fetched_into
// lacks. Throws InputError, with the way to get the files, for a data set that may not be downloaded.
Fetched fetch_data_set(const CatalogueEntry& entry, const DataFolders& where, const FetchOptions& options);

}  // namespace cambium
