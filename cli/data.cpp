// cambium data: lists, verifies and fetches data sets.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"
#include "streams/data/contents.hpp"
#include "streams/data/fetch.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  std::vector<std::string> folders, names;
  std::string folder;  // to fetch into
  FetchOptions fetch;
  bool json = false;
};

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

nlohmann::json to_json(const CatalogueEntry& entry, const DataSearch& search) {
  nlohmann::json result{{"name", entry.name},
                        {"description", entry.description},
                        {"train_images", entry.train_images},
                        {"test_images", entry.test_images},
                        {"height", entry.height},
                        {"width", entry.width},
                        {"channels", entry.channels},
                        {"classes", entry.classes},
                        {"found", search.found.has_value()},
                        {"place", nullptr},
                        {"remarks", search.remarks},
                        {"fetch_bytes", entry.fetched_bytes},
                        {"homes", entry.homes},
                        {"by_hand", nullptr}};
  if (!entry.by_hand.empty()) result["by_hand"] = entry.by_hand;
  if (search.found) result["place"] = search.found->place.string();
  return result;
}

void print(const CatalogueEntry& entry, const DataSearch& search) {
  fmt::print("{:<14} {}; {} + {} images of {} x {} x {}, {} classes\n", entry.name, entry.description,
             entry.train_images, entry.test_images, entry.height, entry.width, entry.channels, entry.classes);
  if (search.found) return fmt::print("    found      {}\n", search.found->place.string());
  if (entry.by_hand.empty())
    fmt::print("    not found  {:.0f} MB to fetch: cambium data fetch {}\n", megabytes(entry.fetched_bytes),
               entry.name);
  else
    fmt::print("    not found  {}\n", how_to_get(entry));
  for (const auto& remark : search.remarks) fmt::print("    note       {}\n", remark);
}

void list(const Flags& flags) {
  const auto where = data_folders(flags.folders);
  std::vector<std::string> searched;
  for (const auto& folder : where.searched) searched.push_back(folder.string());
  nlohmann::json result{
      {"searched", searched}, {"fetched_into", where.fetched_into.string()}, {"data_sets", nlohmann::json::array()}};
  for (const auto& entry : catalogue()) {
    const auto search = search_data_set(entry, where);
    if (flags.json)
      result["data_sets"].push_back(to_json(entry, search));
    else
      print(entry, search);
  }
  if (flags.json) return fmt::print("{}\n", result.dump(2));
  fmt::print("\nSearched: {}. Add folders with --data-dir or CAMBIUM_DATA.\n", fmt::join(searched, ", "));
}

// Prints the state of a data set; returns whether it is good.
bool verify(const DataLocation& location) {
  std::vector<ContentCheck> checks;
  try {
    checks = verify_contents(location);
  } catch (const InputError& error) {  // Verify the others, too.
    fmt::print("{:<14} wrong  {}\n", location.entry->name, error.what());
    return false;
  }
  bool good = true;
  for (const auto& check : checks)
    if (!check.good()) {
      fmt::print("{:<14} wrong  {}: checksum {}, published {}\n", location.entry->name, check.file, check.found,
                 check.expected);
      good = false;
    }
  const bool compared = std::all_of(checks.begin(), checks.end(), [](const auto& check) { return check.compared(); });
  if (good)
    fmt::print("{:<14} good   {} ({} files: counts, labels, {})\n", location.entry->name, location.place.string(),
               checks.size(), compared ? "checksums" : "no published checksums");
  return good;
}

// Returns the exit code.
int verify_all(const Flags& flags) {
  const auto where = data_folders(flags.folders);
  const auto names = flags.names.empty() ? data_set_names() : flags.names;
  for (const auto& name : names) catalogue_entry(name);  // Refuses a misspelt name before any work.
  bool good = true;
  for (const auto& name : names) {
    const auto search = search_data_set(catalogue_entry(name), where);
    if (search.found) {
      good &= verify(*search.found);
      continue;
    }
    good &= flags.names.empty();  // A data set that was not named may be missing.
    fmt::print("{:<14} not found{}{}\n", name, search.remarks.empty() ? "" : "; ", fmt::join(search.remarks, "; "));
  }
  return good ? exit_done : exit_input;
}

void fetch_all(Flags& flags) {
  for (const auto& name : flags.names) catalogue_entry(name);
  if (!flags.fetch.url.empty() && flags.names.size() != 1)
    throw_input_error("--url is a mirror of one data set; give one name instead of {}", flags.names.size());
  auto where = data_folders(flags.folders);
  // A folder from the command line must hold the data, even if another folder has them.
  if (!flags.folders.empty()) where.searched = {where.fetched_into};
  const bool live = isatty(STDERR_FILENO) == 1 && spdlog::should_log(spdlog::level::info);
  if (live)
    flags.fetch.download.progress = [](std::uint64_t done, std::uint64_t total) {
      fmt::print(stderr, "\r  {:.1f}{} MB {}", megabytes(done),
                 total == 0 ? "" : fmt::format(" of {:.1f}", megabytes(total)), done == total ? "\n" : "");
    };
  for (const auto& name : flags.names) {
    const auto fetched = fetch_data_set(catalogue_entry(name), where, flags.fetch);
    fmt::print("{:<14} {} {}\n", name, fetched.files == 0 ? "already in" : "fetched into", fetched.place.string());
  }
}

}  // namespace

void add_data(Command& root) {
  auto& command = root.add_command("data", "List, verify and fetch data sets");
  command.require_command();
  auto flags = std::make_shared<Flags>();

  auto& listing = command.add_command("list", "List the data sets: where each was found, or how to get it");
  add_data_folder_flag(listing, flags->folders);
  listing.add_flag("--json", flags->json, "Print JSON");
  listing.set_action([flags] {
    list(*flags);
    return exit_done;
  });

  auto& verifying = command.add_command("verify", "Read data sets in full and check counts, labels and checksums");
  add_data_folder_flag(verifying, flags->folders);
  verifying.add_option("NAME", flags->names, "Data sets. Default: all that are found");
  verifying.set_action([flags] { return verify_all(*flags); });

  auto& fetching = command.add_command("fetch", "Download data sets, unless a complete copy exists");
  fetching.add_option("NAME", flags->names, "Data sets, as `cambium data list` names them", {.required = true});
  fetching.add_option("--data-dir", flags->folder,
                      "Folder to fetch into. Default: the first folder in CAMBIUM_DATA, else $XDG_DATA_HOME/cambium, "
                      "else ~/.local/share/cambium",
                      {.value = "DIR"});
  auto& download = flags->fetch.download;
  fetching.add_option("--url", flags->fetch.url,
                      "Mirror to fetch from instead of the official addresses: a folder with the same files",
                      {.value = "URL"});
  fetching.add_option("--attempts", download.attempts, "Attempts per file; each resumes where the previous one ended",
                      {.range = {{1, 100}}, .show_default = true});
  fetching.add_option("--timeout", download.stalled_seconds, "Seconds without data after which an attempt is given up",
                      {.value = "SECONDS", .range = {{1, 3600}}, .show_default = true});
  fetching.set_action([flags] {
    if (!flags->folder.empty()) flags->folders = {flags->folder};
    flags->fetch.download.connect_seconds = flags->fetch.download.stalled_seconds;
    fetch_all(*flags);
    return exit_done;
  });
}

}  // namespace cambium::cli
