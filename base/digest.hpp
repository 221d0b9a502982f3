// Hashes of bytes, and their text form.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cambium {

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256(std::span<const unsigned char> bytes);

// The digest in hexadecimal, of the same kind as `expected`, which has the 32 digits of MD5 or the 64 of SHA-256.
std::string digest_like(std::string_view expected, std::span<const std::uint8_t> bytes);

// SHA-256 of the parts, each preceded by its length, in hexadecimal.
std::string content_hash(std::span<const std::string> parts);

// Base64, for data in a URL.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace cambium
