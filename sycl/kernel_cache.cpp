#include "sycl/kernel_cache.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace cambium {
namespace {

// An entry is this magic word, the SHA-256 of what follows, and the device's binary.
constexpr std::string_view magic = "cambium kernel 1\n";
constexpr auto keep_unread_for = std::chrono::hours(24 * 60);

}  // namespace

std::optional<std::vector<unsigned char>> KernelCache::load(const std::string& key) const {
  std::ifstream file(entry(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  constexpr std::size_t header = magic.size() + sizeof(Sha256);
  if (text.size() > header && text.starts_with(magic)) {
    std::vector<unsigned char> binary(text.begin() + header, text.end());
    const Sha256 found = sha256(binary);
    if (std::memcmp(found.data(), text.data() + magic.size(), sizeof found) == 0) {
      std::error_code ignored;  // The time stamp only says that the entry is still in use.
      std::filesystem::last_write_time(entry(key), std::filesystem::file_time_type::clock::now(), ignored);
      return binary;
    }
  }
  spdlog::warn("{}: damaged; the kernels are built again", entry(key).string());
  return std::nullopt;
}

void KernelCache::store(const std::string& key, std::span<const unsigned char> binary) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const auto aside = folder_ / fmt::format("{}.{}.part", key, getpid());
  {
    std::ofstream file(aside, std::ios::binary);
    const Sha256 digest = sha256(binary);
    file.write(magic.data(), magic.size());
    file.write(reinterpret_cast<const char*>(digest.data()), digest.size());
    file.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
    file.close();
    if (!file) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(aside, entry(key), error);
  if (error) {
    spdlog::warn("{}: cannot keep built kernels there ({}); set CAMBIUM_CACHE_DIR to a folder that can be written to",
                 folder_.string(), error.message());
    std::filesystem::remove(aside, error);
    return;
  }
  remove_old_entries();
}

void KernelCache::remove_old_entries() const {
  std::error_code error;
  const auto limit = std::filesystem::file_time_type::clock::now() - keep_unread_for;
  for (const auto& file : std::filesystem::directory_iterator(folder_, error)) {
    const auto extension = file.path().extension();
    if (extension != ".kernel" && extension != ".part") continue;
    std::error_code ignored;
    const auto written = file.last_write_time(ignored);
    if (!ignored && written < limit) std::filesystem::remove(file.path(), ignored);
  }
}

}  // namespace cambium
