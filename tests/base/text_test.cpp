#include "base/text.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace cambium {
namespace {

using testing::ElementsAre;

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_THAT(split(""), ElementsAre(""));
  EXPECT_THAT(split("a"), ElementsAre("a"));
  EXPECT_THAT(split(",a,,b,"), ElementsAre("", "a", "", "b", ""));
}

TEST(Text, ANumberIsTheWholeText) {
  double number = 0;
  EXPECT_TRUE(parse_number("-2.5e3", number));
  EXPECT_EQ(number, -2500);
  for (const auto* text : {"", " 1", "1 ", "1x", "+1", "0x10", "one"}) EXPECT_FALSE(parse_number(text, number)) << text;
}

TEST(Text, ANumberOutsideTheTypeIsRefused) {
  std::uint8_t number = 0;
  EXPECT_TRUE(parse_number("255", number));
  EXPECT_FALSE(parse_number("256", number));
  EXPECT_FALSE(parse_number("-1", number));
}

}  // namespace
}  // namespace cambium
