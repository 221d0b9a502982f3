// Data sets by name: the known names, the folders that are searched, and loading.
//
// Files are read in place, in any common layout (docs/data.md), packed or not. A file that is incomplete, damaged or
// belongs to another data set is an InputError that names it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "streams/data/catalogue.hpp"
#include "streams/data/images.hpp"

namespace cambium {

struct DataFolders {
  std::vector<std::filesystem::path> searched;  // in this order
  std::filesystem::path fetched_into;           // where `cambium data fetch` stores files; empty without a home folder
};

// The folders of --data-dir, of CAMBIUM_DATA (separated by ':'), of the user ($XDG_DATA_HOME/cambium, else
// ~/.local/share/cambium), and of Debian's packages (/usr/share/datasets), in this order.
DataFolders data_folders(const std::vector<std::string>& data_dirs = {});

std::vector<std::string> data_set_names();

// Loads the training and test images; their numbers are the official ones.
DataSet load_data_set(const std::string& name, const DataFolders& where);

// The same for an entry that need not be in the catalogue.
DataSet load_data_set(const CatalogueEntry& entry, const DataFolders& where);

}  // namespace cambium
