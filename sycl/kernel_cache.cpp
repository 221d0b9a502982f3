#include "sycl/kernel_cache.hpp"

#include <openssl/evp.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

#include "base/error.hpp"

namespace cambium {
namespace {

// An entry is this magic word, the SHA-256 of what follows, and the device's binary.
constexpr std::string_view magic = "cambium kernel 1\n";
constexpr std::size_t digest_bytes = 32;
constexpr auto keep_unread_for = std::chrono::hours(24 * 60);

using Digest = std::array<unsigned char, digest_bytes>;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(const void* data, std::size_t bytes) { EVP_DigestUpdate(context_.get(), data, bytes); }
  Digest finish() {
    Digest digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

Digest digest_of(std::span<const unsigned char> bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.finish();
}

}  // namespace

std::string content_hash(std::span<const std::string> parts) {
  Sha256 hash;
  for (const auto& part : parts) {
    const std::uint64_t length = part.size();
    hash.add(&length, sizeof length);
    hash.add(part.data(), part.size());
  }
  std::string text;
  for (const unsigned char byte : hash.finish()) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<std::vector<unsigned char>> KernelCache::load(const std::string& key) const {
  std::ifstream file(entry(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  constexpr std::size_t header = magic.size() + digest_bytes;
  if (text.size() > header && text.starts_with(magic)) {
    std::vector<unsigned char> binary(text.begin() + header, text.end());
    const Digest found = digest_of(binary);
    if (std::memcmp(found.data(), text.data() + magic.size(), digest_bytes) == 0) {
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
    const Digest digest = digest_of(binary);
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
