#include "streams/data/data_set.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>

#include "streams/data/contents.hpp"

namespace cambium {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

DataFolders data_folders(const std::vector<std::string>& data_dirs) {
  DataFolders result;
  const auto add = [&](const std::filesystem::path& folder) {
    const auto& known = result.searched;
    if (!folder.empty() && std::find(known.begin(), known.end(), folder) == known.end())
      result.searched.push_back(folder);
  };
  for (const auto& folder : data_dirs) add(folder);
  const std::string listed = environment("CAMBIUM_DATA");
  for (std::size_t begin = 0; begin < listed.size();) {
    const std::size_t end = std::min(listed.find(':', begin), listed.size());
    add(listed.substr(begin, end - begin));
    begin = end + 1;
  }
  if (const auto data = environment("XDG_DATA_HOME"); !data.empty())
    add(std::filesystem::path(data) / "cambium");
  else if (const auto home = environment("HOME"); !home.empty())
    add(std::filesystem::path(home) / ".local/share/cambium");
  if (!result.searched.empty()) result.fetched_into = result.searched.front();
  add("/usr/share/datasets");
  return result;
}

std::vector<std::string> data_set_names() {
  std::vector<std::string> names;
  for (const auto& entry : catalogue()) names.push_back(entry.name);
  return names;
}

DataSet load_data_set(const std::string& name, const DataFolders& where) {
  return load_data_set(catalogue_entry(name), where);
}

DataSet load_data_set(const CatalogueEntry& entry, const DataFolders& where) {
  const auto location = locate_data_set(entry, where);
  spdlog::debug("{}: loading from {}", entry.name, location.place.string());
  return read_contents(location);
}

}  // namespace cambium
