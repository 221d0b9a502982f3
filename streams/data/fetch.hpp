// Fetching a data set from where it is published: only what is not there yet, and only what has the right content.
#pragma once

#include <filesystem>
#include <string>

#include "streams/data/catalogue.hpp"
#include "streams/data/data_set.hpp"
#include "streams/data/download.hpp"

namespace cambium {

struct FetchOptions {
  std::string url;  // a mirror that has the files instead of the official homes; empty for those
  DownloadOptions download;
};

struct Fetched {
  std::filesystem::path place;  // where a good copy is now
  int files = 0;                // how many were downloaded; 0: all was there
};

// Leaves a good copy that is found in `where` alone; otherwise downloads into where.fetched_into what is not good
// there. An InputError tells how to get a data set that must not be fetched.
Fetched fetch_data_set(const CatalogueEntry& entry, const DataFolders& where, const FetchOptions& options);

}  // namespace cambium
