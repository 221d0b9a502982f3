// cambium kernels and cambium tune, as a user calls them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/run_program.hpp"

namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string program = CAMBIUM_PROGRAM;

class KernelsCommand : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("cambium-kernels-" + std::to_string(getpid()));
  std::string at(const std::string& name) const { return (folder / name).string(); }
  static std::string contents(const fs::path& file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
};

TEST_F(KernelsCommand, ListsUnitsAndTargets) {
  const auto ended = run_program(program + " kernels");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  for (const char* text : {"sycl/gemm.sycl [TILE_ROWS=64", "optim/optimizer.sycl", "NVIDIA", "Intel", "AMD"})
    EXPECT_THAT(ended.output, HasSubstr(text));
}

// DPC++ 2026.2 crashes on kernels that take a struct from sm_70 on, and does not find its own library for NVIDIA.
TEST_F(KernelsCommand, BecomePtxWithoutAToolkit) {
  const auto ended = run_program("PATH=/usr/bin:/bin CUDA_PATH=/nowhere " + program +
                                 " kernels --json --target sm_80 --only optimizer --out " + at("code"));
  EXPECT_EQ(ended.code, 0) << ended.errors;
  int units = 0;
  for (const auto& result : nlohmann::json::parse(ended.output)) {
    EXPECT_EQ(result.at("error"), "");
    const auto ptx = contents(folder / "code" / result.at("files").at(0).get<std::string>());
    EXPECT_THAT(ptx, HasSubstr(".entry __sycl_kernel_"));
    ++units;
  }
  EXPECT_GT(units, 0);
}

TEST_F(KernelsCommand, OfAUserAreCompiledToo) {
  std::ofstream(folder / "own.sycl") << "#include \"sycl/kernel.hpp\"\n"
                                        "KERNEL_1D(twice, View<float> x) { x[item()] *= FACTOR; }\n";
  const auto command = "cd " SOURCE_FOLDER " && " + program + " kernels --target spirv --out " + at("code") +
                       " --source " + at("own.sycl");
  EXPECT_EQ(run_program(command + " -D FACTOR=2").code, 0);
  EXPECT_TRUE(fs::exists(folder / "code" / "own,FACTOR=2.spv"));
  const auto wrong = run_program(command);
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.errors, HasSubstr("own.sycl:2:"));
  EXPECT_THAT(wrong.errors, HasSubstr("FACTOR"));
}

TEST_F(KernelsCommand, ExplainWrongWords) {
  const auto target = run_program(program + " kernels --target sm80");
  EXPECT_EQ(target.code, 2);
  EXPECT_THAT(target.errors, HasSubstr("unknown target 'sm80'"));
  EXPECT_THAT(target.errors, HasSubstr("sm_80"));
  EXPECT_EQ(run_program(program + " kernels --only nothing-is-called-so").code, 2);
  EXPECT_EQ(run_program(program + " kernels --source missing.sycl --target spirv").code, 2);
  EXPECT_EQ(run_program(program + " kernels -D X=1 --target spirv").code, 2);
  EXPECT_EQ(run_program(program + " kernels --tools /nowhere --target pvc").code, 2);
}

class TuneCommand : public KernelsCommand {
 protected:
  Ended tune(const std::string& flags) const {
    return run_program("CAMBIUM_CACHE_DIR=" + at("cache") + " " + program + " tune --quick --batch 16 " + flags);
  }
  std::vector<fs::path> stored() const {
    std::vector<fs::path> files;
    if (fs::exists(folder / "cache/tuning"))
      for (const auto& file : fs::directory_iterator(folder / "cache/tuning")) files.push_back(file.path());
    return files;
  }
};

TEST_F(TuneCommand, StoresItsChoiceAndForgetsIt) {
  const auto ended = tune("--json " + at("tune.json"));
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("products measured"));
  const auto figures = nlohmann::json::parse(contents(folder / "tune.json")).at("figures");
  EXPECT_GT(figures.at("products").size(), 5u);
  EXPECT_GE(figures.at("gain"), 1.0);
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_THAT(ended.output, HasSubstr(stored()[0].string()));
  EXPECT_EQ(nlohmann::json::parse(contents(stored()[0])).at("tiles").size(), figures.at("changed"));

  EXPECT_THAT(tune("--forget").output, HasSubstr("removed"));
  EXPECT_TRUE(stored().empty());
  EXPECT_THAT(tune("--forget").output, HasSubstr("no tuning stored"));
}

TEST_F(TuneCommand, DryRunStoresNothing) {
  const auto ended = tune("--dry-run");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("Nothing was stored"));
  EXPECT_TRUE(stored().empty());
}

}  // namespace
