// Labels of configuration keys and values.

#include "lab/results/labels.hpp"

#include <gmock/gmock.h>

using namespace cambium;

TEST(Labels, NameMethodsAndDataSetsAsTheStudyDoes) {
  EXPECT_EQ(value_label("variant", "grow+two_speed+rsl"), "GROW + Two-Speed + RSL");
  EXPECT_EQ(value_label("method", "dense"), "DENSE");
  EXPECT_EQ(value_label("stream", "cifar-100"), "CIFAR-100");
  EXPECT_EQ(value_label("masks", "random"), "random");
}

TEST(Labels, OfKeysAreWordsInsteadOfIdentifiers) {
  EXPECT_EQ(key_label("lr"), "learning rate");
  EXPECT_EQ(key_label("variant"), "method");
  EXPECT_EQ(key_label("rewind_to"), "rewind to");
}

TEST(Labels, OfNumbersNameTheirKey) {
  EXPECT_EQ(value_label("compactness", "0.2"), "20 %");
  EXPECT_EQ(key_value_label("compactness", "0.35"), "compactness 35 %");
  EXPECT_EQ(key_value_label("cycles", "10"), "10 cycles");
  EXPECT_EQ(key_value_label("lr", "0.1"), "learning rate 0.1");
  EXPECT_EQ(key_value_label("method", "grow"), "GROW");
}
