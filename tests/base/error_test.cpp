#include "base/error.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cambium {
namespace {

TEST(Nearest, FindsMisspellings) {
  const std::vector<std::string> known{"--device", "--batch", "--replicas"};
  EXPECT_EQ(nearest("--devise", known), "--device");
  EXPECT_EQ(nearest("--replica", known), "--replicas");
  EXPECT_EQ(nearest("--bacth", known), "--batch");
}

TEST(Nearest, DoesNotInventALikeness) {
  EXPECT_EQ(nearest("xyz", std::vector<std::string>{"learning_rate", "seeds"}), "");
  EXPECT_EQ(nearest("", std::vector<std::string>{"seeds"}), "");
  EXPECT_EQ(nearest("seeds", {}), "");
}

}  // namespace
}  // namespace cambium
