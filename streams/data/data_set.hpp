// Data sets by name: what there is, where their files are looked for, and reading them whole.
//
// The files are read where they lie, in any layout in which they are usually kept (docs/data.md), packed or not. What
// is incomplete, damaged, or something else under the same name is refused with an InputError that names the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "streams/data/catalogue.hpp"
#include "streams/data/images.hpp"

namespace cambium {

struct DataFolders {
  std::vector<std::filesystem::path> searched;  // in this order
  std::filesystem::path fetched_into;           // where `cambium data fetch` puts files; empty when there is no home
};

// The folders `asked` for (--data-dir), those that CAMBIUM_DATA names (separated by ':'), the user's own
// ($XDG_DATA_HOME/cambium, else ~/.local/share/cambium), and the one of Debian's packages (/usr/share/datasets).
DataFolders data_folders(const std::vector<std::string>& asked = {});

std::vector<std::string> data_set_names();

// Both parts of a data set, with the official numbers of images.
DataSet load_data_set(const std::string& name, const DataFolders& where);

// The same of an entry that is not, or not quite, one of the catalogue: with_classes(), or made smaller by a test.
DataSet load_data_set(const CatalogueEntry& entry, const DataFolders& where);

}  // namespace cambium
