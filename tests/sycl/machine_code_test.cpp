// Reads the resources of kernels from the output of the vendors' assemblers. The texts are parts of real output.

#include "sycl/machine_code.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.hpp"

namespace cambium {
namespace {

constexpr const char* ptxas_messages = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '__sycl_kernel_scale' for 'sm_80'
ptxas info    : Function properties for __sycl_kernel_scale
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 8192 bytes smem, 416 bytes cmem[0]
ptxas info    : Function properties for _Z28__spirv_GlobalInvocationId_xv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '__sycl_kernel_add' for 'sm_80'
ptxas info    : Function properties for __sycl_kernel_add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, 352 bytes cmem[0]
ptxas info    : Function properties for _Z8multiplyPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '__sycl_kernel_add_with_offset' for 'sm_80'
)";

TEST(MachineCode, OfNvidiaIsReadFromPtxas) {
  const auto kernels = parse_ptxas_messages(ptxas_messages);
  ASSERT_EQ(kernels.size(), 2u) << "copies for launches with an offset are left out";
  EXPECT_EQ(kernels[0], (KernelResources{.name = "add", .registers = 12, .simd = 32, .calls = true}));
  EXPECT_EQ(
      kernels[1],
      (KernelResources{.name = "scale", .registers = 40, .spill = 12, .stack = 16, .local_memory = 8192, .simd = 32}));
}

constexpr const char* ze_info = R"(---
version:         '1.53'
kernels:
  - name:            __sycl_kernel_scale
    execution_env:
      grf_count:       128
      has_stack_calls: true
      private_size:    1024
      simd_size:       16
      slm_size:        4096
      spill_size:      64
    payload_arguments:
      - arg_type:        global_id_offset
        offset:          0
  - name:            Intel_Symbol_Table_Void_Program
    execution_env:
      grf_count:       128
functions:
  - name:            multiply
    execution_env:
      grf_count:       256
...
)";

TEST(MachineCode, OfIntelIsReadFromItsYaml) {
  const auto kernels = parse_ze_info(ze_info);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0], (KernelResources{.name = "scale",
                                         .registers = 128,
                                         .spill = 64,
                                         .stack = 1024,
                                         .local_memory = 4096,
                                         .simd = 16,
                                         .calls = true}));
}

// An ELF file with a table of section names and one section of that name.
std::string elf_file(const std::string& section, const std::string& contents) {
  const std::string names = std::string(1, '\0') + section + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_shoff = sizeof header + names.size() + contents.size();
  header.e_shnum = 2;
  Elf64_Shdr sections[2]{};
  sections[0].sh_offset = sizeof header;
  sections[0].sh_size = names.size();
  sections[1].sh_name = 1;
  sections[1].sh_offset = sizeof header + names.size();
  sections[1].sh_size = contents.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + names + contents +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections);
}

TEST(MachineCode, OfIntelIsFoundInItsElfFile) {
  EXPECT_EQ(parse_intel_binary(elf_file(".ze_info", ze_info)), parse_ze_info(ze_info));
}

TEST(MachineCode, DamagedElfFilesAreErrors) {
  const auto whole = elf_file(".ze_info", ze_info);
  for (const std::size_t length : {0ul, 3ul, 63ul, whole.size() - 1})
    EXPECT_THROW(parse_intel_binary(whole.substr(0, length)), DeviceError) << length;
  EXPECT_THROW(parse_intel_binary(elf_file(".text", "")), DeviceError);
  auto text = whole;
  text[0] = 'x';
  EXPECT_THROW(parse_intel_binary(text), DeviceError);
  // Offsets far beyond the end, whose sums with a size overflow.
  for (const std::size_t at :
       {offsetof(Elf64_Ehdr, e_shoff), whole.size() - sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset)}) {
    auto wrong = whole;
    std::memset(wrong.data() + at, 0xff, 8);
    EXPECT_THAT([&] { parse_intel_binary(wrong); },
                testing::ThrowsMessage<DeviceError>(testing::HasSubstr("cut short")))
        << at;
  }
}

constexpr const char* amd_assembly =
    "\t.type\t__sycl_kernel_scale,@function\n"
    "__sycl_kernel_scale:\n"
    "\ts_swappc_b64 s[30:31], s[4:5]\n"
    "\t.type\t__sycl_kernel_add,@function\n"
    "\ts_endpgm\n"
    "\t.amdgpu_metadata\n"
    "amdhsa.kernels:\n"
    "  - .agpr_count:     0\n"
    "    .args:\n"
    "      - .name:           entry\n"
    "        .size:           48\n"
    "    .group_segment_fixed_size: 12288\n"
    "    .name:           __sycl_kernel_scale\n"
    "    .private_segment_fixed_size: 16\n"
    "    .sgpr_spill_count: 1\n"
    "    .vgpr_count:     66\n"
    "    .vgpr_spill_count: 2\n"
    "    .wavefront_size: 64\n"
    "  - .name:           __sycl_kernel_add\n"
    "    .vgpr_count:     5\n"
    "    .wavefront_size: 64\n"
    "\t.end_amdgpu_metadata\n";

TEST(MachineCode, OfAmdIsReadFromTheMetadataOfItsAssembly) {
  const auto kernels = parse_amd_assembly(amd_assembly);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0], (KernelResources{.name = "add", .registers = 5, .simd = 64}));
  EXPECT_EQ(kernels[1], (KernelResources{.name = "scale",
                                         .registers = 66,
                                         .spill = 3,
                                         .stack = 16,
                                         .local_memory = 12288,
                                         .simd = 64,
                                         .calls = true}));
}

TEST(MachineCode, TextWithoutKernelsHasNone) {
  EXPECT_TRUE(parse_ptxas_messages("").empty());
  EXPECT_TRUE(parse_ze_info("").empty());
  EXPECT_TRUE(parse_amd_assembly("\n\n").empty());
}

}  // namespace
}  // namespace cambium
