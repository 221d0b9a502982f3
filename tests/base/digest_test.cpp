// Hashes: the expected values are those of RFC 1321, FIPS 180-2 and RFC 4648, or of sha256sum.

#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cambium {
namespace {

std::vector<std::uint8_t> bytes(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Digest, IsOfTheKindThatIsExpected) {
  EXPECT_EQ(digest_like(std::string(32, '0'), bytes("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(digest_like(std::string(64, '0'), bytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(digest_like("123", bytes("abc")), std::logic_error);
}

TEST(ContentHash, TellsPartsApart) {
  const auto hash = [](std::vector<std::string> parts) { return content_hash(parts); };
  EXPECT_EQ(hash({"ab", "c"}), hash({"ab", "c"}));
  EXPECT_NE(hash({"ab", "c"}), hash({"a", "bc"}));
  EXPECT_NE(hash({"ab", "c"}), hash({"ab", "c", ""}));
  EXPECT_EQ(hash({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");  // SHA-256 of nothing
}

TEST(Base64, IsPaddedToFourCharacters) {
  EXPECT_EQ(base64(bytes("")), "");
  EXPECT_EQ(base64(bytes("f")), "Zg==");
  EXPECT_EQ(base64(bytes("fo")), "Zm8=");
  EXPECT_EQ(base64(bytes("foobar")), "Zm9vYmFy");
}

}  // namespace
}  // namespace cambium
