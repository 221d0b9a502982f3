#include "streams/data/download.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "base/error.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

// The file beside the file. Its lock keeps a second process from writing to it.
class PartFile {
 public:
  explicit PartFile(const fs::path& file) : path_(file.string() + ".part") {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail();
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor_);
      throw_input_error("{}: another process is fetching this file; wait for it, or end it", path_.string());
    }
  }
  ~PartFile() {
    if (size() == 0) unlink(path_.c_str());  // nothing to resume
    close(descriptor_);
  }
  PartFile(const PartFile&) = delete;

  const fs::path& path() const { return path_; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(lseek(descriptor_, 0, SEEK_END)); }
  void clear() const {
    if (ftruncate(descriptor_, 0) != 0) fail();
  }
  // False, with errno, when the disk does not take it.
  bool append(const char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t written = write(descriptor_, data, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      data += written;
      bytes -= static_cast<std::size_t>(written);
    }
    return true;
  }
  void rename_to(const fs::path& file) {
    if (fsync(descriptor_) != 0 || rename(path_.c_str(), file.c_str()) != 0) fail();
  }
  [[noreturn]] void fail() const {
    throw_input_error("{}: cannot be written: {}. Name another folder with --data-dir", path_.string(),
                      std::strerror(errno));
  }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

struct Transfer {
  PartFile& part;
  const DownloadOptions& options;
  CURL* handle = nullptr;
  std::uint64_t start = 0;  // bytes that were there before
  int write_error = 0;
  bool too_large = false;
};

std::size_t on_data(char* data, std::size_t, std::size_t bytes, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.too_large = transfer.part.size() + bytes > transfer.options.largest;
  if (transfer.too_large) return 0;
  if (transfer.part.append(data, bytes)) return bytes;
  transfer.write_error = errno;
  return 0;
}

int on_progress(void* user, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.options.progress && now > 0)
    transfer.options.progress(transfer.start + static_cast<std::uint64_t>(now),
                              total > 0 ? transfer.start + static_cast<std::uint64_t>(total) : 0);
  return 0;
}

struct Outcome {
  std::string problem;  // empty: everything arrived
  bool again = false;   // whether another attempt can help
  bool resumed = false;
};

Outcome describe(const Transfer& transfer, CURLcode code, long status, const char* text) {
  const auto& options = transfer.options;
  if (transfer.too_large) {
    transfer.part.clear();
    return {fmt::format("larger than {} bytes, which the file cannot be", options.largest)};
  }
  switch (code) {
    case CURLE_OK:
      return {};
    case CURLE_RANGE_ERROR:
    case CURLE_BAD_DOWNLOAD_RESUME:
      transfer.part.clear();
      return {"the server cannot resume; from the beginning", true};
    case CURLE_HTTP_RETURNED_ERROR:
      if (status == 416 && transfer.start > 0) return {};  // Nothing is left to fetch: the check decides.
      if (status == 404) return {"no such file there (404)"};
      return {fmt::format("the server answers with status {}", status),
              status >= 500 || status == 408 || status == 429};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {"no such host, or no network"};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {"not an address that begins with http:// or https://"};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_TOO_MANY_REDIRECTS:
      return {*text == '\0' ? curl_easy_strerror(code) : text};
    case CURLE_OPERATION_TIMEDOUT:
      return {fmt::format("no answer for {} s", options.stalled_seconds), true};
    case CURLE_PARTIAL_FILE:
      return {"the connection ended early", true};
    default:
      return {*text == '\0' ? curl_easy_strerror(code) : text, true};
  }
}

// One attempt, from where the part file ends.
Outcome attempt(const std::string& address, PartFile& part, const DownloadOptions& options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(), curl_easy_cleanup);
  if (ready != CURLE_OK || handle == nullptr) throw_device_error("libcurl does not start");
  Transfer transfer{.part = part, .options = options, .handle = handle.get(), .start = part.size()};
  char text[CURL_ERROR_SIZE] = "";
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(handle.get(), option, value); };
  set(CURLOPT_URL, address.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 5L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_USERAGENT, "cambium");
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connect_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, 1024L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stalled_seconds));
  set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.start));
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(text));
  set(CURLOPT_WRITEFUNCTION, on_data);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, on_progress);
  set(CURLOPT_XFERINFODATA, &transfer);
  const CURLcode code = curl_easy_perform(handle.get());
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (transfer.write_error != 0) {
    errno = transfer.write_error;
    part.fail();
  }
  auto outcome = describe(transfer, code, status, text);
  outcome.resumed = transfer.start > 0;
  return outcome;
}

// All attempts at one address. Returns the last problem, or nothing when `part` holds a good file.
std::string from_address(const std::string& address, PartFile& part, const DownloadCheck& check,
                         const DownloadOptions& options) {
  Outcome outcome;
  double pause = options.first_pause;
  for (int i = 1; i <= options.attempts; ++i) {
    outcome = attempt(address, part, options);
    if (outcome.problem.empty()) {
      outcome.problem = check(part.path());
      if (outcome.problem.empty()) return {};
      part.clear();
      outcome.again = outcome.resumed;  // The beginning may have been of another file.
    }
    if (!outcome.again) break;
    if (i == options.attempts) break;
    spdlog::info("{}: {}; trying again", address, outcome.problem);
    if (outcome.resumed && part.size() == 0) continue;  // The server is well: no need to wait.
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    pause *= 2;
  }
  return outcome.problem;
}

}  // namespace

void download(const std::vector<std::string>& addresses, const std::filesystem::path& file, const DownloadCheck& check,
              const DownloadOptions& options) {
  PartFile part(file);
  std::vector<std::string> problems;
  for (const auto& address : addresses) {
    spdlog::info("Fetching {}", address);
    const auto problem = from_address(address, part, check, options);
    if (problem.empty()) return part.rename_to(file);
    problems.push_back(fmt::format("{}: {}", address, problem));
  }
  throw_device_error("{}: not fetched. {}. {}", file.string(), fmt::join(problems, ". "),
                     part.size() > 0 ? "What has arrived is kept: the same command goes on from there"
                                     : "Try again later, or name another mirror with --url");
}

}  // namespace cambium
