// Kernel sources as the compiler gets them: the files that are embedded in the program, and the options for a unit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "sycl/kernel_unit.hpp"

namespace cambium {

// Every kernel and every header that kernels include: "layers/activation_pool.sycl", "sycl/kernel.hpp".
std::span<const EmbeddedFile> embedded_files();
std::string_view embedded_text(std::string_view path);  // throws std::logic_error if there is no such file
std::vector<EmbeddedFile> embedded_headers();

// The place of a kernel's arguments: its parameter or, for kernels of recorded steps, device memory that its parameter
// points to.
enum class ArgumentPlace { parameter, memory };

// The runtime compiler's options for a unit.
std::vector<std::string> compiler_options(const KernelUnit& unit, ArgumentPlace place = ArgumentPlace::parameter);

// The source that the compiler gets for a kernel file: its text, with every function inlined into its kernels.
std::string inlined_source(std::string_view file, std::string_view text);

// Replaces the places in messages of a compiler by our file and its lines. The compiler got such a source under a name
// that matches the regular expression `compiled_name`.
std::string located_messages(const std::string& messages, const std::string& compiled_name, std::string_view file);

}  // namespace cambium
