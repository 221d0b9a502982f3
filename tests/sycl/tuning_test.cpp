#include "sycl/tuning.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "selftest/conformance.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;
using conformance::random_values;

const std::vector<TileSize> tiles{{128, 64}, {64, 64}, {32, 64}};
const TunedProduct product{"gemm_nn", 100, 51, 784, 10};

TEST(Tuning, ChoosesTheDefaultForAnUnknownProduct) {
  Tuning tuning;
  EXPECT_EQ(tuning.choose(product, tiles, 1), 1);
  tuning.set({"gemm_nt", 100, 51, 784, 10}, {32, 64});
  EXPECT_EQ(tuning.choose(product, tiles, 1), 1);
}

TEST(Tuning, SharesAChoiceBetweenProductsOfTheSameRoundedSize) {
  Tuning tuning;
  tuning.set(product, {32, 64});
  EXPECT_EQ(tuning.choose(product, tiles, 1), 2);
  EXPECT_EQ(tuning.choose({"gemm_nn", 128, 64, 1024, 16}, tiles, 1), 2);
  EXPECT_EQ(tuning.choose({"gemm_nn", 129, 64, 1024, 16}, tiles, 1), 1);
  tuning.remove(product);
  EXPECT_EQ(tuning.choose(product, tiles, 1), 1);
}

TEST(Tuning, IgnoresAStoredTileThatNoLongerExists) {
  Tuning tuning;
  tuning.set(product, {48, 64});
  EXPECT_EQ(tuning.choose(product, tiles, 1), 1);
}

class StoredTuning : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("cambium-tuning-" + std::to_string(getpid()));
  DeviceInfo device{.name = "a device", .driver = "1.0"};

  void SetUp() override {
    if (const char* value = std::getenv("CAMBIUM_CACHE_DIR")) before = value;
    setenv("CAMBIUM_CACHE_DIR", folder.c_str(), 1);
  }
  void TearDown() override {
    if (before)
      setenv("CAMBIUM_CACHE_DIR", before->c_str(), 1);
    else
      unsetenv("CAMBIUM_CACHE_DIR");
    fs::remove_all(folder);
  }

 private:
  std::optional<std::string> before;
};

TEST_F(StoredTuning, IsLoadedForTheSameDeviceAndDriverOnly) {
  Tuning tuning;
  tuning.set(product, {32, 64});
  tuning.store(device);
  auto other = device;
  other.driver = "1.1";
  EXPECT_EQ(Tuning::load(device).choose(product, tiles, 0), 2);
  EXPECT_EQ(Tuning::load(other).size(), 0u);
  int files = 0;
  for ([[maybe_unused]] const auto& file : fs::recursive_directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 2) << "the folder and one file";
}

TEST_F(StoredTuning, IsIgnoredWhenDamaged) {
  fs::create_directories(Tuning::file(device).parent_path());
  for (
      const std::string text :
      {"", "{", "[]", R"({"tiles": 1})", R"({"tiles": [{}]})",
       R"({"tiles": [{"kernel": "a", "rows": -1, "columns": 1, "depth": 1, "matrices": 1, "tile_rows": 1, "tile_columns": 1}]})"}) {
    std::ofstream(Tuning::file(device)) << text;
    EXPECT_EQ(Tuning::load(device).size(), 0u) << text;
  }
}

TEST_F(StoredTuning, IsAnInputErrorIfItCannotBeWritten) {
  std::ofstream(folder) << "a file is in the way";
  EXPECT_THROW(Tuning().store(device), InputError);
}

// Runs a product with every tile that its launch may use, and expects the same bits each time.
template <class Run>
void expect_same_bits_with_every_tile(Device& device, Run&& run) {
  std::vector<Tuning::Decision> decisions;
  device.tuning() = Tuning();
  device.tuning().log_to(&decisions);
  const auto expected = run();
  device.tuning().log_to(nullptr);
  ASSERT_EQ(decisions.size(), 1u);
  ASSERT_GT(decisions[0].tiles.size(), 1u);
  for (const auto& tile : decisions[0].tiles) {
    device.tuning().set(decisions[0].product, tile);
    EXPECT_EQ(run(), expected) << tile.rows << " x " << tile.columns;
  }
  device.tuning() = Tuning();
}

class TunedKernels : public testing::TestWithParam<PortableKernels> {
 protected:
  void SetUp() override {
    device.use_gemm_backend("portable");
    device.use_convolution_backend("portable");
    device.use_portable_kernels(GetParam());
  }
  void TearDown() override {
    device.use_portable_kernels(device.info().is_cpu() ? PortableKernels::cpu : PortableKernels::gpu);
    device.use_gemm_backend("");
    device.use_convolution_backend("");
  }
  Device& device = shared_device();
};

TEST_P(TunedKernels, GiveTheSameBitsWithEveryTile) {
  const Buffer<float> a(device, random_values(2 * 70 * 90, 1, 1)), b(device, random_values(2 * 90 * 75, 1, 2));
  Buffer<float> c(device, 2 * 70 * 75);
  expect_same_bits_with_every_tile(device, [&] {
    gemm(device, Transpose::no, Transpose::no, 1.0f, Matrices<const float>(a, 2, 70, 90),
         Matrices<const float>(b, 2, 90, 75), 0.0f, Matrices<float>(c, 2, 70, 75));
    return c.download();
  });
}

TEST_P(TunedKernels, GiveTheSameBitsForAConvolutionWithEveryTile) {
  if (GetParam() == PortableKernels::cpu) GTEST_SKIP() << "the kernels for CPUs have one tile";
  const ConvolutionShape s{
      .replicas = 2, .batch = 3, .height = 9, .width = 9, .input_channels = 5, .output_channels = 40};
  const Buffer<float> input(device, random_values(s.input_size(), 1, 1)),
      weights(device, random_values(s.weights_size(), 1, 2)), bias(device, random_values(s.bias_size(), 1, 3));
  Buffer<float> output(device, random_values(s.output_size(), 1, 4)), gradient(device, s.input_size()),
      weights_gradient(device, s.weights_size()), bias_gradient(device, s.bias_size());
  expect_same_bits_with_every_tile(device, [&] {
    convolution_forward(device, s, input, weights, bias, output);
    return output.download();
  });
  expect_same_bits_with_every_tile(device, [&] {
    convolution_backward_data(device, s, output, weights, gradient);
    return gradient.download();
  });
  expect_same_bits_with_every_tile(device, [&] {
    convolution_backward_weights(device, s, input, output, weights_gradient, bias_gradient);
    return weights_gradient.download();
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, TunedKernels, testing::Values(PortableKernels::cpu, PortableKernels::gpu),
                         [](const auto& kind) { return kind.param == PortableKernels::cpu ? "cpu" : "gpu"; });

}  // namespace
}  // namespace cambium
