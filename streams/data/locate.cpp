#include "streams/data/locate.hpp"

#include <fmt/ranges.h>

#include "base/digest.hpp"
#include "streams/data/archive.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Returns the path of a file in `folder`, which may be packed or have its other name; empty if it is missing.
fs::path find_file(const fs::path& folder, const CatalogueFile& file) {
  for (const auto& name : {file.name, file.other_name}) {
    if (name.empty()) continue;
    for (const char* packing : {"", ".gz", ".xz"})
      if (auto path = folder / (name + packing); is_file(path)) return path;
  }
  return {};
}

// Whether the path of `folder` ends with one of the layout's folder names.
bool is_named_after(const fs::path& folder, const DataLayout& layout) {
  const auto parts = (folder / ".").lexically_normal().parent_path();
  for (const auto& name : layout.folders) {
    if (name.empty()) continue;
    const fs::path known(name);
    if (parts.filename() == known.filename() &&
        (!known.has_parent_path() || parts.parent_path().filename() == known.parent_path().filename()))
      return true;
  }
  return false;
}

// Returns why the files of a complete folder do not belong to `entry`; empty if they do. The files of MNIST and
// Fashion-MNIST have the same names.
std::string mismatch(const CatalogueEntry& entry, const DataLocation& location, bool by_name) {
  if (location.layout->format != DataFormat::idx) return {};
  const auto& labels = location.layout->test.back();
  std::string digest;
  try {
    digest = digest_like(labels.checksum, read_data_file(location.files.back(), entry.name, labels.bytes).bytes);
  } catch (const InputError& error) {
    return by_name ? std::string() : error.what();  // With the right name, the reader reports the error.
  }
  if (digest == labels.checksum) return {};
  for (const auto& other : catalogue())
    for (const auto& layout : other.layouts)
      if (layout.format == DataFormat::idx && layout.test.back().checksum == digest)
        return fmt::format("{} holds the files of {}", location.place.string(), other.name);
  if (by_name) return {};
  return fmt::format(
      "{} has files with the names of {}, but neither its own name nor their content is that of the data set",
      location.place.string(), entry.name);
}

// "a, b, c and 7 more"
std::string shortened(std::vector<std::string> names) {
  constexpr std::size_t shown = 10;
  const std::size_t more = names.size() > shown ? names.size() - shown : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

// Whether `folder` holds the layout; sets `location`. Adds a remark if it holds a part of it or another data set.
// `bare`: the folder is one of the search path itself.
bool search_folder(const fs::path& folder, bool bare, const DataLayout& layout, DataLocation& location,
                   std::vector<std::string>& remarks) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  location = {.entry = location.entry, .layout = &layout, .place = folder, .archive = false, .files = {}};
  std::vector<std::string> missing;
  for (const auto* part : {&layout.train, &layout.test})
    for (const auto& file : *part) {
      location.files.push_back(find_file(folder, file));
      if (location.files.back().empty()) missing.push_back(file.name);
    }
  if (missing.size() == location.files.size()) return false;
  if (!missing.empty()) {
    remarks.push_back(fmt::format("{} lacks {}", folder.string(), shortened(std::move(missing))));
    return false;
  }
  const auto problem = mismatch(*location.entry, location, !bare || is_named_after(folder, layout));
  if (!problem.empty()) remarks.push_back(problem);
  return problem.empty();
}

}  // namespace

DataSearch search_data_set(const CatalogueEntry& entry, const DataFolders& where) {
  DataSearch search;
  DataLocation location{.entry = &entry};
  for (const auto& base : where.searched)
    for (const auto& layout : entry.layouts) {
      for (const auto& name : layout.folders)
        if (search_folder(name.empty() ? base : base / name, name.empty(), layout, location, search.remarks)) {
          search.found = std::move(location);
          return search;
        }
      for (const auto& name : layout.archives)
        if (is_file(base / name)) {
          search.found = {.entry = &entry, .layout = &layout, .place = base / name, .archive = true, .files = {}};
          return search;
        }
    }
  return search;
}

DataLocation locate_data_set(const CatalogueEntry& entry, const DataFolders& where) {
  auto search = search_data_set(entry, where);
  if (search.found) return std::move(*search.found);
  std::vector<std::string> searched;
  for (const auto& folder : where.searched) searched.push_back(folder.string());
  throw_input_error("{}: no complete copy in {}. {}{}{}", entry.name, fmt::join(searched, ", "),
                    fmt::join(search.remarks, "; "), search.remarks.empty() ? "" : ". ", how_to_get(entry));
}

}  // namespace cambium
