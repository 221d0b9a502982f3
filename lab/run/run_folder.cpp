#include "lab/run/run_folder.hpp"

#include <nlohmann/json.hpp>

#include "base/durable_file.hpp"
#include "base/file.hpp"
#include "base/journal.hpp"
#include "lab/config/key.hpp"

namespace cambium {
namespace {

// What differs between the run in the folder and the one that is asked for.
std::string differences(const nlohmann::ordered_json& there, const nlohmann::ordered_json& asked) {
  std::vector<std::string> found;
  const auto value = [](const nlohmann::ordered_json& json, const std::string& key) {
    return json.contains(key) ? json.at(key).dump() : std::string("not set");
  };
  for (const auto& key : config_keys())
    if (value(there, key.name) != value(asked, key.name))
      found.push_back(
          fmt::format("{} is {} there and {} here", key.name, value(there, key.name), value(asked, key.name)));
  return fmt::format("{}", fmt::join(found, "; "));
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, const RunConfig& config) : path_(std::move(path)) {
  const bool made = make_folder(path_);
  const bool had_lock_file = std::filesystem::exists(lock_file());
  // Locked before the files are read: another process may be writing them.
  lock_ = FileLock::try_lock(lock_file());
  if (!lock_)
    throw_input_error("{}: another process is at work on this run; wait for it, or choose another folder with --out",
                      path_.string());
  try {
    check_what_is_there(config);
  } catch (...) {
    std::error_code ignored;
    if (!had_lock_file) std::filesystem::remove(lock_file(), ignored);  // The folder is not that of a run.
    throw;
  }
  made_ = made;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (made_ && !begun_) {
    std::filesystem::remove(lock_file(), ignored);
    std::filesystem::remove(path_, ignored);  // when it is empty
  }
}

void RunFolder::check_what_is_there(const RunConfig& config) const {
  const auto file = path_ / "config.toml";
  if (!std::filesystem::exists(file)) {
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (const auto name = entry.path().filename(); name.extension() != ".part" && name != "lock")
        throw_input_error("{}: there are other things in it ({}) and no run; choose another folder with --out",
                          path_.string(), name.string());
    return;
  }
  const auto keys = read_config(file);
  nlohmann::ordered_json there;
  try {
    there = to_json(make_config(keys));
  } catch (const InputError& wrong) {
    throw_input_error("{}: not the configuration of a run: {}. Choose another folder with --out.", file.string(),
                      wrong.what());
  }
  if (const auto asked = to_json(config); there != asked)
    throw_input_error("{}: it holds another run: {}. Choose another folder with --out.", path_.string(),
                      differences(there, asked));
}

void RunFolder::begin(const RunConfig& config) {
  if (!std::filesystem::exists(path_ / "config.toml")) DurableFile::write(path_ / "config.toml", to_toml(config));
  begun_ = true;
}

void RunFolder::append_session(const nlohmann::ordered_json& line) const {
  append_line(path_ / "sessions.jsonl", line.dump());
}

void RunFolder::write_result(const nlohmann::ordered_json& result) const {
  DurableFile::write(this->result(), result.dump(2) + "\n");
}

}  // namespace cambium
