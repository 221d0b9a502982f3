#include "streams/data/fetch.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/digest.hpp"
#include "streams/data/archive.hpp"
#include "streams/data/contents.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

// Returns the files in one download: all files of an archive, or the one file that it is named after.
std::vector<CatalogueFile> files_in(const CatalogueEntry& entry, const std::string& download) {
  std::vector<CatalogueFile> result;
  const auto& layout = entry.layouts.front();
  const bool archive = std::find(layout.archives.begin(), layout.archives.end(), download) != layout.archives.end();
  for (const auto* part : {&layout.train, &layout.test})
    for (const auto& file : *part)
      if (archive || download == file.name + ".gz") result.push_back(file);
  return result;
}

// Returns why a download is not the right file; empty if it is. Compares unpacked content, because a mirror may have
// packed it again.
std::string download_problem(const CatalogueEntry& entry, const std::string& download, const fs::path& file) {
  const auto expected = files_in(entry, download);
  std::vector<DataFile> found;
  try {
    if (expected.size() == 1) {
      found.push_back(read_data_file(file, entry.name, expected.front().bytes));
    } else {
      std::vector<Member> members;
      for (const auto& content : expected) members.push_back({content.name, content.bytes});
      found = read_members(file, entry.name, members);
    }
  } catch (const InputError& error) {
    spdlog::debug("{}", error.what());
    return "the file that arrived is damaged, or is another file";
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const auto digest = digest_like(expected[i].checksum, found[i].bytes); digest != expected[i].checksum)
      return fmt::format("{} has the checksum {} instead of {}", expected[i].name, digest, expected[i].checksum);
  return {};
}

bool is_undamaged(const DataLocation& location) {
  try {
    const auto checks = verify_contents(location);
    return std::all_of(checks.begin(), checks.end(), [](const ContentCheck& check) { return check.good(); });
  } catch (const InputError& error) {
    spdlog::warn("{}", error.what());
    return false;
  }
}

std::uint64_t largest_download(const std::vector<CatalogueFile>& contents) {
  std::uint64_t bytes = 1 << 20;  // for headers of the packing
  for (const auto& content : contents) bytes += content.bytes;
  return bytes;
}

}  // namespace

Fetched fetch_data_set(const CatalogueEntry& entry, const DataFolders& where, const FetchOptions& options) {
  const auto before = search_data_set(entry, where).found;
  if (before && is_undamaged(*before)) return {before->place, 0};
  if (entry.fetched.empty()) throw_input_error("{} cannot be fetched. {}", entry.name, entry.by_hand);
  if (where.fetched_into.empty())
    throw_input_error("there is no folder to store the files in: name one with --data-dir");
  auto homes = options.url.empty() ? entry.homes : std::vector<std::string>{options.url};
  const fs::path folder = where.fetched_into / entry.fetched_folder;
  Fetched result;
  for (const auto& name : entry.fetched) {
    std::error_code error;
    const fs::path file = folder / name;
    if (fs::is_regular_file(file, error) && download_problem(entry, name, file).empty()) continue;
    std::vector<std::string> addresses;
    for (const auto& home : homes) addresses.push_back(home + (home.ends_with('/') ? "" : "/") + name);
    auto download_options = options.download;
    download_options.largest = largest_download(files_in(entry, name));
    download(
        addresses, file, [&](const fs::path& part) { return download_problem(entry, name, part); }, download_options);
    ++result.files;
  }
  const auto after = locate_data_set(entry, where);
  result.place = after.place;
  // The search may find a damaged copy before the new one: an unpacked file, or another layout.
  const bool replaced = after.archive ? after.place == folder / entry.fetched.front()
                                      : after.place == folder && after.files.front().extension() == ".gz";
  if (!replaced && !is_undamaged(after))
    throw_input_error("{}: fetched into {}, but {} is found first and is damaged. Remove it.", entry.name,
                      folder.string(), after.archive ? after.place.string() : after.files.front().string());
  return result;
}

}  // namespace cambium
