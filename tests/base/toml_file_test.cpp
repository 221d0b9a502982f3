#include "base/toml_file.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string text = R"(name = "a"
count = 3
rate = 1e-3
on = true
day = 2020-01-01
list = [1, "b", false]
[table]
key = 2
[[row]]
x = 1
[[row]]
x = 2
)";

std::string error_of(const TomlValue& value) {
  try {
    value.scalar("key");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Toml, ScalarsReadAsFlagsWouldGiveThem) {
  const auto file = parse_toml(text, "FILE");
  EXPECT_EQ(file.find("name")->scalar("name"), "a");
  EXPECT_EQ(file.find("count")->scalar("count"), "3");
  EXPECT_EQ(file.find("rate")->scalar("rate"), "0.001");
  EXPECT_EQ(file.find("on")->scalar("on"), "yes");
  EXPECT_THAT(file.find("list")->scalars("list"), ElementsAre("1", "b", "no"));
  EXPECT_THAT(file.find("name")->scalars("name"), ElementsAre("a"));
}

TEST(Toml, OnlyANumberHasANumber) {
  const auto file = parse_toml(text, "FILE");
  EXPECT_EQ(file.find("count")->number(), 3.0);
  EXPECT_EQ(file.find("rate")->number(), 1e-3);
  for (const auto* key : {"name", "on", "day", "list", "table"}) EXPECT_FALSE(file.find(key)->number()) << key;
}

TEST(Toml, KeysOfATableAreSorted) {
  std::vector<std::string> keys;
  for (const auto& entry : parse_toml(text, "FILE").entries) keys.push_back(entry.key);
  EXPECT_THAT(keys, ElementsAre("count", "day", "list", "name", "on", "rate", "row", "table"));
}

TEST(Toml, AnErrorNamesTheLineOfTheValue) {
  const auto file = parse_toml(text, "FILE");
  EXPECT_THAT(error_of(*file.find("day")), HasSubstr("FILE line 5: key must be"));
  EXPECT_THAT(error_of(*file.find("list")), HasSubstr("FILE line 6"));
  EXPECT_THAT(error_of(*file.find("table")), HasSubstr("FILE line 7"));
  EXPECT_EQ(file.find("row")->items.at(1).where(), "FILE line 11");
}

TEST(Toml, OnlyANonemptyArrayOfTablesIsOne) {
  const auto file = parse_toml(text + "[more]\nnone = []\n", "FILE");
  EXPECT_TRUE(file.find("row")->is_array_of_tables());
  EXPECT_FALSE(file.find("list")->is_array_of_tables());
  EXPECT_FALSE(file.find("table")->is_array_of_tables());
  EXPECT_FALSE(file.find("more")->find("none")->is_array_of_tables());
}

TEST(Toml, AMissingKeyIsNull) { EXPECT_EQ(parse_toml(text, "FILE").find("other"), nullptr); }

}  // namespace
}  // namespace cambium
