#include "base/digest.hpp"

#include <openssl/evp.h>

#include <memory>

#include "base/error.hpp"

namespace cambium {
namespace {

class Hash {
 public:
  Hash(const EVP_MD* algorithm, const char* name) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), algorithm, nullptr) != 1)
      throw_environment_error("OpenSSL cannot compute {}; it may run in FIPS mode. Switch that off.", name);
  }
  void add(const void* data, std::size_t bytes) { EVP_DigestUpdate(context_.get(), data, bytes); }
  // Writes as many bytes as the algorithm has; returns how many.
  unsigned int finish(unsigned char* digest) {
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &length);
    return length;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

Sha256 sha256(std::span<const unsigned char> bytes) {
  Hash hash(EVP_sha256(), "SHA-256");
  hash.add(bytes.data(), bytes.size());
  Sha256 digest{};
  hash.finish(digest.data());
  return digest;
}

std::string digest_like(std::string_view expected, std::span<const std::uint8_t> bytes) {
  if (expected.size() == 64) return hexadecimal(sha256(bytes));
  expect(expected.size() == 32, "a digest has 32 or 64 digits, not {}", expected.size());
  Hash hash(EVP_md5(), "MD5");
  hash.add(bytes.data(), bytes.size());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  return hexadecimal(std::span(digest).first(hash.finish(digest.data())));
}

std::string content_hash(std::span<const std::string> parts) {
  Hash hash(EVP_sha256(), "SHA-256");
  for (const auto& part : parts) {
    const std::uint64_t length = part.size();
    hash.add(&length, sizeof length);
    hash.add(part.data(), part.size());
  }
  Sha256 digest{};
  hash.finish(digest.data());
  return hexadecimal(digest);
}

std::string base64(std::span<const std::uint8_t> bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL adds a zero
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace cambium
