// cambium data: which data sets there are and where they lie, whether they are whole, and fetching them.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "streams/data/contents.hpp"
#include "streams/data/fetch.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  std::vector<std::string> folders, names;
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
  for (const auto& remark : search.remarks) fmt::print("    but        {}\n", remark);
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
  fmt::print("\nSearched: {}. --data-dir and CAMBIUM_DATA name others.\n", fmt::join(searched, ", "));
}

// Whether a data set is good; prints what is wrong.
bool verify(const DataLocation& location) {
  std::vector<ContentCheck> checks;
  try {
    checks = verify_contents(location);
  } catch (const InputError& error) {  // The others are still to be looked at.
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
               checks.size(), compared ? "checksums" : "but there are no checksums to compare with");
  return good;
}

void verify_all(const Flags& flags) {
  const auto where = data_folders(flags.folders);
  const auto names = flags.names.empty() ? data_set_names() : flags.names;
  for (const auto& name : names) catalogue_entry(name);  // A misspelt name is an error before any work.
  bool good = true;
  for (const auto& name : names) {
    const auto search = search_data_set(catalogue_entry(name), where);
    if (search.found) {
      good &= verify(*search.found);
      continue;
    }
    good &= flags.names.empty();  // Not to have what nobody asked for is no fault.
    fmt::print("{:<14} not found{}{}\n", name, search.remarks.empty() ? "" : "; ", fmt::join(search.remarks, "; "));
  }
  if (!good) throw CLI::RuntimeError(exit_input);
}

void fetch_all(Flags& flags) {
  for (const auto& name : flags.names) catalogue_entry(name);
  if (!flags.fetch.url.empty() && flags.names.size() != 1)
    throw_input_error("--url names a mirror of one data set: give one name, not {}", flags.names.size());
  auto where = data_folders(flags.folders);
  // A folder that was asked for shall hold the data, whatever other folders have.
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

void add_data_folders_flag(CLI::App& command, std::vector<std::string>& folders) {
  command
      .add_option("--data-dir", folders,
                  "Search this folder for data first; CAMBIUM_DATA names others, separated by ':'")
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void add_data(CLI::App& app) {
  auto* command = app.add_subcommand("data", "List, check and fetch data sets");
  command->require_subcommand(1);
  auto flags = std::make_shared<Flags>();

  auto* listing = command->add_subcommand("list", "Every data set: where it was found, or what to fetch");
  add_data_folders_flag(*listing, flags->folders);
  listing->add_flag("--json", flags->json, "Print JSON");
  listing->callback([flags] { list(*flags); });

  auto* verifying = command->add_subcommand("verify", "Read data sets whole; check counts, labels and checksums");
  add_data_folders_flag(*verifying, flags->folders);
  verifying->add_option("name", flags->names, "Data sets; without a name, all that are found");
  verifying->callback([flags] { verify_all(*flags); });

  auto* fetching = command->add_subcommand("fetch", "Download data sets, unless a good copy is there");
  fetching
      ->add_option("--data-dir", flags->folders,
                   "Fetch into this folder. Default: the first that CAMBIUM_DATA names, else $XDG_DATA_HOME/cambium, "
                   "else ~/.local/share/cambium")
      ->expected(1)
      ->type_name("DIR");
  auto& download = flags->fetch.download;
  fetching->add_option("name", flags->names, "Data sets, as `cambium data list` shows them")->required();
  fetching->add_option("--url", flags->fetch.url,
                       "Fetch from this address instead of the official ones: a folder that has the same files");
  fetching->add_option("--attempts", download.attempts, "How often to try; each goes on where the last one ended")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  fetching->add_option("--timeout", download.stalled_seconds, "Give an attempt up after so many seconds without data")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  fetching->callback([flags] {
    flags->fetch.download.connect_seconds = flags->fetch.download.stalled_seconds;
    fetch_all(*flags);
  });
}

}  // namespace cambium::cli
