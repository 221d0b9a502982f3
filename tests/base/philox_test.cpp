#include "base/philox.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

namespace {

// Against Random123, the reference implementation by Philox's authors.
TEST(Philox, AgreesWithRandom123) {
  r123::Philox4x32 reference;
  std::uint32_t x = 12345;
  const auto next = [&x] { return x = x * 1664525u + 1013904223u; };
  for (int i = 0; i < 1000; ++i) {
    const r123::Philox4x32::ctr_type counter{{next(), next(), next(), next()}};
    const r123::Philox4x32::key_type key{{next(), next()}};
    const auto expected = reference(counter, key);
    const auto words = philox::generate({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    for (int j = 0; j < 4; ++j) ASSERT_EQ(words.word[j], expected[static_cast<std::size_t>(j)]);
  }
}

TEST(Philox, UniformNumbersLieBelowOne) {
  EXPECT_EQ(philox::uniform(0), 0.0f);
  EXPECT_LT(philox::uniform(0xffffffffu), 1.0f);
  EXPECT_EQ(philox::uniform(0x80000000u), 0.5f);
}

}  // namespace
