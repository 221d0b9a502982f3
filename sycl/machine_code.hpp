// Reads the resources of kernels from the output of vendors' assemblers: registers, spills, stack, local memory.
//
// Every parser takes the text (or binary) of one kernel unit and returns its kernels in the order of their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cambium {

struct KernelResources {
  std::string name;      // as in the source
  int registers = 0;     // per work-item (NVIDIA), vector registers per lane (AMD), registers per thread (Intel)
  int spill = 0;         // bytes stored and loaded (NVIDIA), bytes (Intel), registers (AMD)
  int stack = 0;         // bytes of private memory per work-item (Intel: per thread); AMD calls it scratch
  int local_memory = 0;  // bytes per work-group that the code reserves
  int simd = 0;          // work-items per hardware thread: Intel's SIMD width, AMD's wavefront, NVIDIA's warp
  bool calls = false;    // functions remain that were not inlined
  bool operator==(const KernelResources&) const = default;
};

// The messages of `ptxas -v`.
std::vector<KernelResources> parse_ptxas_messages(std::string_view messages);

// A zeBinary, the ELF file that ocloc writes; its section .ze_info is YAML.
std::vector<KernelResources> parse_intel_binary(std::string_view binary);
// That section's text.
std::vector<KernelResources> parse_ze_info(std::string_view yaml);

// The assembly that llc writes for amdgcn, with its metadata.
std::vector<KernelResources> parse_amd_assembly(std::string_view assembly);

}  // namespace cambium
