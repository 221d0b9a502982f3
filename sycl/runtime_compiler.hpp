// DPC++'s runtime compiler, libsycl-jit, called without a device: SYCL source in, code for a GPU that need not exist
// out.
//
// libsycl calls the same function of the library when a program builds a kernel bundle from source. Its interface is
// private to one release of DPC++, so the library's version is checked before the first call. A fault of the compiler
// can end the process: call it in a child process, as sycl/offline_compiler.hpp does.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/embedded_file.hpp"

namespace cambium {

// A source file with the headers it includes by quotes and the compiler's options.
struct RuntimeCompilerInput {
  std::string file, text;
  std::vector<EmbeddedFile> headers;
  std::vector<std::string> options;
};

class RuntimeCompiler {
 public:
  // Loads the library beside the SYCL runtime in use. Throws DeviceError if it has another version than the one known.
  RuntimeCompiler();

  // Each throws DeviceError with the compiler's log if the source does not compile.
  std::string spirv(const RuntimeCompilerInput& input) const;
  // PTX as text, for a processor such as sm_60. `toolkit` is the folder with nvvm/libdevice; empty: the compiler
  // searches.
  std::string ptx(const RuntimeCompilerInput& input, const std::string& processor,
                  const std::filesystem::path& toolkit) const;
  // Writes the front end's LLVM bitcode for an AMD processor such as gfx90a and ends the process: call it in a child.
  // The library has no back end for AMD and returns nothing in that case, so the bitcode is taken on its way there.
  [[noreturn]] void write_amd_bitcode(const RuntimeCompilerInput& input, const std::string& processor,
                                      const std::filesystem::path& bitcode) const;

 private:
  std::string compile(const RuntimeCompilerInput& input, unsigned format, const std::string& processor,
                      const std::string& features, std::span<const std::string> more_options) const;

  std::filesystem::path file_;
  void* library_;
};

}  // namespace cambium
