#include "sycl/kernel_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "lab/training/kernel_units.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

#define DOUBLING                                  \
  "#include \"sycl/kernel.hpp\"\n"                \
  "DECLARE_KERNEL(twice, View<float>)\n"          \
  "KERNEL_1D(twice, View<float> x) {\n"           \
  "  if (item() < x.size()) x[item()] *= 2.0f;\n" \
  "}\n"

// Units are known by their address, so each has an address of its own.
constexpr KernelUnit unit = KernelUnit::from_text("tests/twice.sycl", DOUBLING);
constexpr KernelUnit changed_unit = KernelUnit::from_text("tests/twice.sycl", DOUBLING "// changed\n");
constexpr KernelName<View<float>> twice{"twice"};

std::vector<float> run_doubling(Device& device, const KernelUnit& doubling) {
  Buffer<float> x(device, std::vector<float>{1, 2, 3});
  device.launch(Kernel(doubling, twice), 3, x.view());
  return x.download();
}

// Every test has its own cache folder.
class Library : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("cambium-library-" + std::to_string(getpid()));
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

TEST_F(Library, LoadsAUnitThatAnEarlierDeviceCompiled) {
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
  run_doubling(device, unit);
  run_doubling(device, changed_unit);
  EXPECT_EQ(device.kernels().statistics().compiled, 2);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Library, ShowsTheCompilersMessageWithFileAndLine) {
  static constexpr auto broken = KernelUnit::from_text("tests/broken.sycl",
                                                       "#include \"sycl/kernel.hpp\"\n"
                                                       "DECLARE_KERNEL(broken, View<float>)\n"
                                                       "KERNEL_1D(broken, View<float> x) {\n  x[0] = undeclared;\n}\n");
  EXPECT_THAT(
      [&] { shared_device().launch(Kernel(broken, KernelName<View<float>>{"broken"}), 1, {}); },
      testing::ThrowsMessage<DeviceError>(testing::AllOf(HasSubstr("tests/broken.sycl:4:"), HasSubstr("undeclared"))));
}

TEST_F(Library, TreatsWarningsAsErrors) {
  static constexpr auto careless =
      KernelUnit::from_text("tests/careless.sycl",
                            "#include \"sycl/kernel.hpp\"\n"
                            "DECLARE_KERNEL(careless, View<float>)\n"
                            "KERNEL_1D(careless, View<float> x) { int unused; x[0] = 1.0f; }\n");
  EXPECT_THAT([&] { shared_device().launch(Kernel(careless, KernelName<View<float>>{"careless"}), 1, {}); },
              testing::ThrowsMessage<DeviceError>(HasSubstr("unused")));
}

TEST_F(Library, RefusesAKernelThatTheFileDoesNotHave) {
  EXPECT_THROW(shared_device().launch(Kernel(unit, KernelName<View<float>>{"thrice"}), 1, {}), DeviceError);
}

TEST_F(Library, RefusesAKernelWithOtherArgumentsThanDeclared) {
  static constexpr auto other = KernelUnit::from_text("tests/other.sycl",
                                                      "#include \"sycl/kernel.hpp\"\n"
                                                      "DECLARE_KERNEL(other, View<float>)\n"
                                                      "KERNEL_1D(other, View<uint32_t> x) { x[0] = 1; }\n");
  EXPECT_THAT([&] { shared_device().launch(Kernel(other, KernelName<View<float>>{"other"}), 1, {}); },
              testing::ThrowsMessage<DeviceError>(HasSubstr("DECLARE_KERNEL names other arguments")));
}

struct OneArgument {
  View<float> x;
  float factor;
};
struct SameMembers {
  View<float> x;
  float factor;
};

template <class Arguments>
constexpr bool can_launch = requires(Device& device, const Kernel<OneArgument>& kernel, const Arguments& arguments) {
  device.launch(kernel, 1, arguments);
};
static_assert(can_launch<OneArgument>);
static_assert(!can_launch<SameMembers>, "a launch takes the declared arguments only");
static_assert(!can_launch<View<float>>);
static_assert(!can_launch<float>);

struct WithGap {
  float factor;
  View<float> x;
};
static_assert(is_contiguous({{offsetof(OneArgument, x), sizeof(View<float>)}, {offsetof(OneArgument, factor), 4}},
                            sizeof(OneArgument), alignof(OneArgument)));
static_assert(!is_contiguous({{offsetof(WithGap, factor), 4}, {offsetof(WithGap, x), sizeof(View<float>)}},
                             sizeof(WithGap), alignof(WithGap)));
static_assert(!is_contiguous({{offsetof(OneArgument, x), sizeof(View<float>)}}, sizeof(OneArgument),
                             alignof(OneArgument)),
              "a member is missing");

TEST(KernelUnits, ThereIsOneForEveryEmbeddedKernelFile) {
  std::set<std::string_view> embedded, used;
  for (const auto& file : embedded_files())
    if (file.path.ends_with(".sycl")) embedded.insert(file.path);
  for (const auto* listed : all_kernel_units()) used.insert(listed->file());
  EXPECT_EQ(embedded, used);
}

TEST(KernelUnits, AreListedOnce) {
  std::set<std::string> names;
  for (const auto* listed : all_kernel_units()) EXPECT_TRUE(names.insert(listed->name()).second) << listed->name();
}

TEST(KernelUnits, NamesContainTheDefinitions) {
  static constexpr KernelUnit adam("optim/optimizer.sycl", {{"ADAM", 1}, {"ACTIVATION", "relu"}});
  EXPECT_EQ(adam.name(), "optim/optimizer.sycl [ADAM=1 ACTIVATION=relu]");
  EXPECT_THAT(compiler_options(adam), testing::IsSupersetOf({"-DADAM=1", "-DACTIVATION=relu"}));
}

TEST(KernelUnits, OfAFileThatIsNotEmbeddedHaveNoSource) {
  static constexpr KernelUnit missing("optim/nothing.sycl");
  EXPECT_THROW(missing.source(), std::logic_error);
}

#ifdef CAMBIUM_CHECKED
TEST_F(Library, NoticesAnIndexOutOfRangeInDebugBuilds) {
  Device device;
  static constexpr auto careless =
      KernelUnit::from_text("tests/careless.sycl",
                            "#include \"sycl/kernel.hpp\"\n"
                            "DECLARE_KERNEL(careless, View<float>)\n"
                            "KERNEL_1D(careless, View<float> x) { x[item() + 2] = 1.0f; }\n");
  Buffer<float> x(device, std::vector<float>(4));
  device.set_work_group_size(1);
  device.launch(Kernel(careless, KernelName<View<float>>{"careless"}), 3, x.view());
  EXPECT_THAT([&] { device.wait(); }, testing::ThrowsMessage<std::logic_error>(
                                          testing::AllOf(HasSubstr("index 4 of a view of 4"), HasSubstr("careless"))));
}
#endif

}  // namespace
}  // namespace cambium
