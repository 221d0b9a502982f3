#include "lab/run/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/durable_file.hpp"
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
  std::error_code error;
  const bool made = std::filesystem::create_directories(path_, error);
  if (error || !std::filesystem::is_directory(path_))
    throw_input_error("{}: cannot be made a folder: {}", path_.string(), error ? error.message() : "it is a file");
  // A file, opened for writing: network file systems lock nothing else.
  const bool locked_before = std::filesystem::exists(lock_file());
  const int lock = open(lock_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) throw_input_error("{}: cannot be opened for writing: {}", lock_file().string(), std::strerror(errno));
  // Before anything in it is looked at, which another process may be about to write. A file that has lost its name was
  // another process's, which is just tidying up.
  struct stat status {};
  if (flock(lock, LOCK_EX | LOCK_NB) != 0 || fstat(lock, &status) != 0 || status.st_nlink == 0) {
    close(lock);
    throw_input_error("{}: another process is at work on this run; wait for it, or choose another folder with --out",
                      path_.string());
  }
  try {
    check_what_is_there(config);
  } catch (...) {
    if (!locked_before) std::filesystem::remove(lock_file(), error);  // a folder of something else
    close(lock);
    throw;
  }
  lock_ = lock;
  made_ = made;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (made_ && !begun_) {
    std::filesystem::remove(lock_file(), ignored);
    std::filesystem::remove(path_, ignored);  // when it is empty
  }
  close(lock_);
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
