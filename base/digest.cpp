#include "base/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "base/error.hpp"

namespace cambium {
namespace {

class Hash {
 public:
  explicit Hash(std::string_view expected) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    expect(expected.size() == 32 || expected.size() == 64, "a checksum has 32 or 64 digits, not {}", expected.size());
    const EVP_MD* kind = expected.size() == 32 ? EVP_md5() : EVP_sha256();
    if (EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1)
      throw_device_error("OpenSSL here cannot compute {} checksums", expected.size() == 32 ? "MD5" : "SHA-256");
  }
  void add(const void* data, std::size_t bytes) { EVP_DigestUpdate(context_.get(), data, bytes); }
  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string digest_like(std::string_view expected, std::span<const std::uint8_t> bytes) {
  Hash hash(expected);
  hash.add(bytes.data(), bytes.size());
  return hash.finish();
}

}  // namespace cambium
