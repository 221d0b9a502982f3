// cambium kernels and cambium tune.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/run_files.hpp"

namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class KernelsCommand : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  TemporaryFolder folder_;
};

TEST_F(KernelsCommand, ListsUnitsAndTargets) {
  const auto ended = cambium_program("kernels");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  for (const char* text : {"sycl/gemm.sycl [TILE_ROWS=64", "optim/optimizer.sycl", "NVIDIA", "Intel", "AMD"})
    EXPECT_THAT(ended.output, HasSubstr(text));
}

// Guards the workarounds for two faults of DPC++ 2026.2: a crash on struct arguments from sm_70 on, and a library for
// NVIDIA that it does not find.
TEST_F(KernelsCommand, CompilesPtxWithoutAToolkit) {
  const auto ended = run_program("PATH=/usr/bin:/bin CUDA_PATH=/nowhere " CAMBIUM_PROGRAM
                                 " kernels --json --target sm_80 --only optimizer --out " +
                                 at("code"));
  EXPECT_EQ(ended.code, 0) << ended.errors;
  int units = 0;
  for (const auto& result : nlohmann::json::parse(ended.output)) {
    EXPECT_EQ(result.at("error"), "");
    const auto ptx = text_of(folder_.path() / "code" / result.at("files").at(0).get<std::string>());
    EXPECT_THAT(ptx, HasSubstr(".entry __sycl_kernel_"));
    ++units;
  }
  EXPECT_GT(units, 0);
}

TEST_F(KernelsCommand, CompilesAUsersFile) {
  std::ofstream(at("own.sycl")) << "#include \"sycl/kernel.hpp\"\n"
                                   "DECLARE_KERNEL(twice, View<float>)\n"
                                   "KERNEL_1D(twice, View<float> x) { x[item()] *= FACTOR; }\n";
  const auto command = "cd " SOURCE_FOLDER " && " CAMBIUM_PROGRAM " kernels --target spirv --out " + at("code") +
                       " --source " + at("own.sycl");
  EXPECT_EQ(run_program(command + " -D FACTOR=2").code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "code" / "own,FACTOR=2.spv"));
  const auto wrong = run_program(command);
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.errors, HasSubstr("own.sycl:3:"));
  EXPECT_THAT(wrong.errors, HasSubstr("FACTOR"));
}

TEST_F(KernelsCommand, WrongInputIsRefused) {
  const auto target = cambium_program("kernels --target sm80");
  EXPECT_EQ(target.code, 2);
  EXPECT_THAT(target.errors, HasSubstr("unknown target 'sm80'"));
  EXPECT_THAT(target.errors, HasSubstr("sm_80"));
  EXPECT_EQ(cambium_program("kernels --only nothing-is-called-so").code, 2);
  EXPECT_EQ(cambium_program("kernels --source missing.sycl --target spirv").code, 2);
  EXPECT_EQ(cambium_program("kernels -D X=1 --target spirv").code, 2);
  EXPECT_EQ(cambium_program("kernels --tools /nowhere --target pvc").code, 2);
}

class TuneCommand : public KernelsCommand {
 protected:
  Ended tune(const std::string& flags) const {
    return run_program("CAMBIUM_CACHE_DIR=" + at("cache") + " " CAMBIUM_PROGRAM " tune --quick --batch 16 " + flags);
  }
  std::vector<fs::path> stored() const {
    std::vector<fs::path> files;
    if (fs::exists(at("cache/tuning")))
      for (const auto& file : fs::directory_iterator(at("cache/tuning"))) files.push_back(file.path());
    return files;
  }
};

TEST_F(TuneCommand, StoresTheTuningAndRemovesIt) {
  const auto ended = tune("--json " + at("tune.json"));
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("products measured"));
  const auto figures = json_in(at("tune.json")).at("figures");
  EXPECT_GT(figures.at("products").size(), 5u);
  EXPECT_GE(figures.at("gain"), 1.0);
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_THAT(ended.output, HasSubstr(stored()[0].string()));
  EXPECT_EQ(json_in(stored()[0]).at("tiles").size(), figures.at("changed"));

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
