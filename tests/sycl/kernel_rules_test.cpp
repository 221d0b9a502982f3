// The rules that keep kernels tested on a CPU right on GPUs, as far as they can be read off the compiled kernels.

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <regex>
#include <sycl/backend/opencl.hpp>
#include <sycl/sycl.hpp>

#include "lab/training/kernel_units.hpp"
#include "sycl/handles.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

constexpr std::uint32_t spirv_magic = 0x07230203, op_capability = 17, capability_float64 = 10;

// The SPIR-V of a unit, compiled for this device without the cache.
std::vector<std::uint32_t> spirv_of(const KernelUnit& unit) {
  const auto bundle = compile(unit, shared_device().state().queue_handle());
  std::vector<std::uint32_t> words;
  for (const auto& image : bundle) {
    const auto bytes = image.ext_oneapi_get_backend_content();
    words.resize(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  }
  return words;
}

bool declares_capability(const std::vector<std::uint32_t>& words, std::uint32_t capability) {
  for (std::size_t at = 5; at < words.size(); at += std::max(1u, words[at] >> 16))
    if ((words[at] & 0xffff) == op_capability && words[at + 1] == capability) return true;
  return false;
}

TEST(KernelRules, NoKernelUsesDouble) {
  if (shared_device().info().backend != "opencl") GTEST_SKIP() << "needs SPIR-V";
  for (const auto* unit : all_kernel_units()) {
    const auto words = spirv_of(*unit);
    ASSERT_FALSE(words.empty()) << unit->name();
    ASSERT_EQ(words[0], spirv_magic) << unit->name();
    EXPECT_FALSE(declares_capability(words, capability_float64)) << unit->name();
  }
  static constexpr auto culprit =
      KernelUnit::from_text("double.sycl",
                            "#include \"sycl/kernel.hpp\"\n"
                            "DECLARE_KERNEL(f, View<float>)\n"
                            "KERNEL_1D(f, View<float> x) { x[0] = float(x[1] * 0.1 + x[2]); }\n");
  EXPECT_TRUE(declares_capability(spirv_of(culprit), capability_float64)) << "the test sees doubles";
}

TEST(KernelRules, TiledKernelsStayWithin32KiBOfLocalMemory) {
  auto& device = shared_device();
  if (device.info().backend != "opencl") GTEST_SKIP() << "needs OpenCL";
  for (const auto* unit : all_kernel_units()) {
    if (unit->file() != "sycl/gemm.sycl") continue;
    for (const auto* name : {"gemm_nn", "gemm_nt", "gemm_tn", "gemm_tt"}) {
      const cl_kernel kernel = sycl::get_native<sycl::backend::opencl>(device.kernels().get(*unit, name).kernel);
      cl_ulong bytes = 0;
      ASSERT_EQ(clGetKernelWorkGroupInfo(kernel, sycl::get_native<sycl::backend::opencl>(device.info().handle->device),
                                         CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr),
                CL_SUCCESS);
      EXPECT_GT(bytes, 0u);
      EXPECT_LE(bytes, 32u * 1024) << unit->name();
      clReleaseKernel(kernel);
    }
  }
}

// The code of a source, without its comments.
std::string code_of(std::string_view text) { return std::regex_replace(std::string(text), std::regex("//[^\n]*"), ""); }

std::string forbidden_word(std::string_view text) {
  std::smatch match;
  const std::string code = code_of(text);
  return std::regex_search(code, match, std::regex("\\b(double|\\w*atomic\\w*|\\w*sub_group\\w*)\\b")) ? match.str()
                                                                                                       : "";
}

TEST(KernelRules, KernelsAndTheirHeadersUseNoDoubleAtomicOrSubGroup) {
  for (const auto& file : embedded_files()) {
    if (!file.path.ends_with(".sycl") && !file.path.ends_with(".hpp")) continue;
    EXPECT_EQ(forbidden_word(file.text), "") << file.path;
  }
}

TEST(KernelRules, TheSearchForForbiddenWordsFindsThemInCodeOnly) {
  EXPECT_EQ(forbidden_word("double x;"), "double");
  EXPECT_EQ(forbidden_word("sycl::atomic_ref<float> sum(x);"), "atomic_ref");
  EXPECT_EQ(forbidden_word("this_sub_group()"), "this_sub_group");
  EXPECT_EQ(forbidden_word("float x;  // not a double"), "");
}

}  // namespace
}  // namespace cambium
