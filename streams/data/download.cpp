#include "streams/data/download.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/lock.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

// NAME.part, locked against other processes while it is written.
class PartFile {
 public:
  explicit PartFile(const fs::path& file) : path_(file.string() + ".part") {
    make_folder(folder_of(file));
    descriptor_ = open_file(path_, O_RDWR | O_CREAT | O_APPEND);
    if (!try_lock(descriptor_, path_))
      throw_input_error("{}: another process is fetching this file; wait for it, or end it", path_.string());
  }
  ~PartFile() {
    if (descriptor_ && size() == 0) unlink(path_.c_str());  // nothing to resume
  }
  PartFile(const PartFile&) = delete;

  const fs::path& path() const { return path_; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(lseek(descriptor_.get(), 0, SEEK_END)); }
  void clear() const {
    if (ftruncate(descriptor_.get(), 0) != 0) throw_file_error(path_, "cut back", errno);
  }
  void append(std::span<const std::byte> bytes) { write_all(descriptor_, bytes, path_); }
  void rename_to(const fs::path& file) {
    sync_file(descriptor_, path_);
    if (rename(path_.c_str(), file.c_str()) != 0) throw_file_error(file, "renamed into place", errno);
    sync_folder(folder_of(file));
  }

 private:
  fs::path path_;
  UniqueFd descriptor_;
};

struct Transfer {
  PartFile& part;
  const DownloadOptions& options;
  CURL* handle = nullptr;
  std::uint64_t start = 0;  // bytes of earlier attempts
  bool too_large = false;
  std::exception_ptr error = nullptr;  // of a callback: no exception may pass through libcurl
};

std::size_t on_data(char* data, std::size_t, std::size_t bytes, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.too_large = transfer.part.size() + bytes > transfer.options.largest;
  if (transfer.too_large) return 0;
  try {
    transfer.part.append(std::as_bytes(std::span(data, bytes)));
    return bytes;
  } catch (...) {
    transfer.error = std::current_exception();
    return 0;  // ends the transfer
  }
}

int on_progress(void* user, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    if (transfer.options.progress && now > 0)
      transfer.options.progress(transfer.start + static_cast<std::uint64_t>(now),
                                total > 0 ? transfer.start + static_cast<std::uint64_t>(total) : 0);
    return 0;
  } catch (...) {
    transfer.error = std::current_exception();
    return 1;  // ends the transfer
  }
}

struct AttemptResult {
  std::string problem;     // empty if the file arrived
  bool can_retry = false;  // another attempt may succeed
  bool resumed = false;    // the attempt continued an earlier one
};

AttemptResult result_of(const Transfer& transfer, CURLcode code, long status, const char* text) {
  const auto& options = transfer.options;
  if (transfer.too_large) {
    transfer.part.clear();
    return {fmt::format("the server sends more than {} bytes, which the file cannot have", options.largest)};
  }
  switch (code) {
    case CURLE_OK:
      return {};
    case CURLE_RANGE_ERROR:
    case CURLE_BAD_DOWNLOAD_RESUME:
      transfer.part.clear();
      return {"the server cannot resume; starting from the beginning", true};
    case CURLE_HTTP_RETURNED_ERROR:
      if (status == 416 && transfer.start > 0) return {};  // Nothing is left to fetch; the check decides.
      if (status == 404) return {"the server has no such file (404)"};
      return {fmt::format("the server answers with status {}", status),
              status >= 500 || status == 408 || status == 429};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {"the host is unknown, or there is no network"};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {"the address does not begin with http:// or https://"};
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

// Makes one attempt, which continues at the end of the part file.
AttemptResult attempt(const std::string& address, PartFile& part, const DownloadOptions& options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(), curl_easy_cleanup);
  if (ready != CURLE_OK || handle == nullptr)
    throw_environment_error("libcurl cannot be initialised. Free memory, and check its installation.");
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
  if (transfer.error) std::rethrow_exception(transfer.error);
  auto result = result_of(transfer, code, status, text);
  result.resumed = transfer.start > 0;
  return result;
}

// Makes all attempts at one address. Returns the last problem; empty if `part` holds a file that passed the check.
std::string from_address(const std::string& address, PartFile& part, const DownloadCheck& check,
                         const DownloadOptions& options) {
  AttemptResult result;
  double pause = options.first_pause;
  for (int i = 1; i <= options.attempts; ++i) {
    result = attempt(address, part, options);
    if (result.problem.empty()) {
      result.problem = check(part.path());
      if (result.problem.empty()) return {};
      part.clear();
      result.can_retry = result.resumed;  // The part from before may belong to another file.
    }
    if (!result.can_retry || i == options.attempts) break;
    spdlog::info("{}: {}; retrying", address, result.problem);
    if (result.resumed && part.size() == 0) continue;  // The server works; do not wait.
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    pause *= 2;
  }
  return result.problem;
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
  throw_environment_error("{}: cannot be fetched. {}. {}", file.string(), fmt::join(problems, ". "),
                          part.size() > 0 ? "The bytes that arrived are kept; the same command resumes there."
                                          : "Try again later, or name another mirror with --url.");
}

}  // namespace cambium
