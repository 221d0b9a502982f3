// KernelUnit and Kernel: how host code names the kernels of .sycl files.
//
// A KernelUnit is one .sycl file with a set of macro definitions (its specialisation), which is built as one piece.
// Units are constants in kernel_units.hpp of their folder, which also lists them. A Kernel is one kernel of a unit
// together with the type of its arguments; Device::launch() takes nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sycl/kernel_arguments.hpp"

namespace cambium {

// A macro definition such as ADAM=1 or ACTIVATION=relu.
struct Definition {
  constexpr Definition() = default;
  constexpr Definition(std::string_view name, std::int64_t number) : name(name), number(number) {}
  constexpr Definition(std::string_view name, std::string_view word) : name(name), word(word) {}

  std::string text() const;

  std::string_view name, word;
  std::int64_t number = 0;  // the value if there is no word
};

// A unit is known by its address: it must live as long as every device that launches its kernels.
class KernelUnit {
 public:
  // `file` as embedded in the program: "layers/activation.sycl".
  constexpr explicit KernelUnit(std::string_view file, std::initializer_list<Definition> definitions = {})
      : KernelUnit(file, {}, definitions) {}
  // A unit whose text is given instead of embedded; `file` is the name that compiler messages show.
  static constexpr KernelUnit from_text(std::string_view file, std::string_view text) { return {file, text, {}}; }
  KernelUnit(const KernelUnit&) = delete;
  KernelUnit& operator=(const KernelUnit&) = delete;

  constexpr std::string_view file() const { return file_; }
  std::vector<std::string> definitions() const;
  std::string source() const;  // what the compiler gets; throws std::logic_error if the file is not embedded
  std::string name() const;    // file and definitions, for people

 private:
  constexpr KernelUnit(std::string_view file, std::string_view text, std::initializer_list<Definition> definitions)
      : file_(file), text_(text) {
    std::copy(definitions.begin(), definitions.end(), definitions_.begin());
  }

  static constexpr std::size_t most_definitions = 4;

  std::string_view file_, text_;
  std::array<Definition, most_definitions> definitions_{};  // those that have a name
};

// One kernel of a unit, such as Kernel(sgd_unit, kernels::step). `kernels` holds the names that DECLARE_KERNEL
// declares.
template <class Arguments>
struct Kernel {
  constexpr Kernel(const KernelUnit& unit, KernelName<Arguments> name) : unit(unit), name(name.text) {}

  const KernelUnit& unit;
  std::string_view name;
};

}  // namespace cambium
