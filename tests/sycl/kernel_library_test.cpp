#include "sycl/kernel_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/shared_device.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr auto doubling = R"(#include "sycl/kernel.hpp"

KERNEL_1D(twice, View<float> x) {
  if (item() < x.count) x[item()] *= 2.0f;
}
)";

std::vector<float> run_doubling(Device& device, const KernelUnit& unit) {
  Buffer<float> x(device, std::vector<float>{1, 2, 3});
  device.launch(unit, "twice", 3, x.view());
  return x.download();
}

// Every test has a cache folder of its own.
class Library : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("cambium-library-" + std::to_string(getpid()));
  KernelUnit unit = KernelUnit::from_text("tests/twice.sycl", doubling);
  const std::vector<float> doubled{2, 4, 6};

  void SetUp() override { setenv("CAMBIUM_CACHE_DIR", folder.c_str(), 1); }
  void TearDown() override {
    fs::remove_all(folder);
    unsetenv("CAMBIUM_CACHE_DIR");
  }
  static bool keeps_binaries(const Device& device) { return device.info().backend == "opencl"; }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const auto& file : fs::recursive_directory_iterator(folder))
      if (file.is_regular_file()) all.push_back(file.path());
    return all;
  }
};

TEST_F(Library, LoadsWhatAnEarlierDeviceCompiled) {
  Device first;
  if (!keeps_binaries(first)) GTEST_SKIP() << "binaries of " << first.info().backend << " are kept by DPC++ itself";
  EXPECT_EQ(run_doubling(first, unit), doubled);
  EXPECT_EQ(first.kernels().statistics().compiled, 1);
  EXPECT_EQ(entries().size(), 1u);
  Device second;
  EXPECT_EQ(run_doubling(second, unit), doubled);
  EXPECT_EQ(second.kernels().statistics().compiled, 0);
  EXPECT_EQ(second.kernels().statistics().loaded, 1);
}

TEST_F(Library, BuildsAUnitOncePerDevice) {
  Device device;
  run_doubling(device, unit);
  run_doubling(device, unit);
  EXPECT_EQ(device.kernels().statistics().compiled + device.kernels().statistics().loaded, 1);
}

TEST_F(Library, WritesNothingWithoutTheCache) {
  Device device({.kernel_cache = false});
  EXPECT_EQ(run_doubling(device, unit), doubled);
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Library, RebuildsADamagedEntry) {
  {
    Device device;
    if (!keeps_binaries(device)) GTEST_SKIP();
    run_doubling(device, unit);
  }
  const auto entry = entries().at(0);
  std::ofstream(entry, std::ios::binary | std::ios::trunc) << "nonsense";
  Device device;
  EXPECT_EQ(run_doubling(device, unit), doubled);
  EXPECT_EQ(device.kernels().statistics().compiled, 1);
  EXPECT_GT(fs::file_size(entry), 100u);
}

TEST_F(Library, KeepsDifferentSourcesApart) {
  Device device;
  if (!keeps_binaries(device)) GTEST_SKIP();
  const auto other = KernelUnit::from_text("tests/twice.sycl", std::string(doubling) + "\n// changed\n");
  run_doubling(device, unit);
  run_doubling(device, other);
  EXPECT_EQ(device.kernels().statistics().compiled, 2);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Library, ShowsTheCompilersMessageWithFileAndLine) {
  const auto broken = KernelUnit::from_text("tests/broken.sycl",
                                            "#include \"sycl/kernel.hpp\"\n\n"
                                            "KERNEL_1D(broken, View<float> x) {\n  x[0] = undeclared;\n}\n");
  EXPECT_THAT(
      [&] { shared_device().launch(broken, "broken", 1, View<float>()); },
      testing::ThrowsMessage<DeviceError>(testing::AllOf(HasSubstr("tests/broken.sycl:4:"), HasSubstr("undeclared"))));
}

TEST_F(Library, TreatsWarningsAsErrors) {
  const auto careless = KernelUnit::from_text("tests/careless.sycl",
                                              "#include \"sycl/kernel.hpp\"\n"
                                              "KERNEL_1D(careless, View<float> x) { int unused; x[0] = 1.0f; }\n");
  EXPECT_THROW(shared_device().launch(careless, "careless", 1, View<float>()), DeviceError);
}

TEST_F(Library, RefusesAKernelThatTheFileDoesNotHave) {
  EXPECT_THROW(shared_device().launch(unit, "thrice", 1, View<float>()), DeviceError);
}

TEST_F(Library, KnowsEveryEmbeddedUnit) {
  // Each .sycl file is used by some unit, or it would never be compiled by any test.
  for (const auto& file : embedded_files()) {
    if (!file.path.ends_with(".sycl")) continue;
    const auto units = KernelUnit::all();
    EXPECT_TRUE(std::any_of(units.begin(), units.end(), [&](const auto* u) { return u->file() == file.path; }))
        << file.path;
  }
}

#ifdef CAMBIUM_CHECKED
TEST_F(Library, NoticesAnIndexOutOfRangeInDebugBuilds) {
  Device device;
  const auto careless = KernelUnit::from_text("tests/careless.sycl",
                                              "#include \"sycl/kernel.hpp\"\n"
                                              "KERNEL_1D(careless, View<float> x) { x[item() + 2] = 1.0f; }\n");
  Buffer<float> x(device, std::vector<float>(4));
  device.set_work_group_size(1);
  device.launch(careless, "careless", 3, x.view());
  EXPECT_THAT([&] { device.wait(); }, testing::ThrowsMessage<std::logic_error>(
                                          testing::AllOf(HasSubstr("index 4 of a view of 4"), HasSubstr("careless"))));
}
#endif

}  // namespace
}  // namespace cambium
