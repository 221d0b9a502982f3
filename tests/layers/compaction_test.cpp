#include "layers/compaction.hpp"

#include <gtest/gtest.h>

#include "selftest/conformance.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

const Architecture architecture{"convnet", {8, 8, 3}, {4, 6}, {9, 8, 7}, 5};

// Random parameters; the gaps between them are zero.
std::vector<float> random_parameters(const ParameterLayout& full) {
  return from_state_dict(full, to_state_dict(full, conformance::random_values(full.size, 1, 1)));
}

TEST(Compaction, GrowthAndPruningKeepAllValues) {
  const std::vector<std::uint32_t> seeds{1, 2};
  const Structure all(architecture, 2),
      some = random_structure(architecture, seeds, std::vector<std::int32_t>{4, 3, 2}),
      others = random_structure(architecture, std::vector<std::uint32_t>{3, 4}, std::vector<std::int32_t>{5, 6, 1});
  Compaction compaction(shared_device(), architecture, all);
  PairedValues values = compaction.make_values();
  const auto start = random_parameters(compaction.full());
  compaction.upload(start, values);
  for (const auto* structure : {&some, &others, &all, &all, &some, &all}) {
    compaction.scatter(values);
    compaction.restructure(*structure);
    compaction.gather(values);
    EXPECT_EQ(values.live.size(), live_layout(architecture, *structure).size);
    EXPECT_EQ(compaction.download(values), start);
  }
}

TEST(Compaction, StoresOneCopyWhileAllUnitsAreActive) {
  Compaction compaction(shared_device(), architecture, Structure(architecture, 2));
  PairedValues values = compaction.make_values();
  EXPECT_EQ(values.full.size(), 0u);
  EXPECT_EQ(values.live.size(), compaction.full().size);
}

}  // namespace
}  // namespace cambium
