// Checksums, for comparing data with what its authors published: as lower-case hexadecimal digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cambium {

// Of the same kind as `expected`, which its length tells: MD5 (32 digits) or SHA-256 (64).
std::string digest_like(std::string_view expected, std::span<const std::uint8_t> bytes);

}  // namespace cambium
