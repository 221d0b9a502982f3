// The kernel library: .sycl files embedded in the program, built for the device at hand when first used.
//
// A KernelUnit is one .sycl file with a set of macro definitions (its specialisation). Units are static objects beside
// the host code that launches them; the library builds each at most once per process and device, with DPC++'s runtime
// compiler, and keeps the device's binary on disk (sycl/kernel_cache.hpp).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"

namespace cambium {

class Device;
struct Kernel;  // a built kernel; see sycl/handles.hpp

// What the runtime compiler can see: "layers/activation_pool.sycl", "sycl/kernel.hpp".
std::span<const EmbeddedFile> embedded_files();

class KernelUnit {
 public:
  // `file` as embedded; `definitions` such as "ACTIVATION=relu".
  explicit KernelUnit(std::string file, std::vector<std::string> definitions = {});
  // A unit whose text is given instead of embedded; `file` is the name that compiler messages show.
  static KernelUnit from_text(std::string file, std::string text);
  ~KernelUnit();
  KernelUnit(const KernelUnit&) = delete;

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  std::string source() const;  // what the compiler gets
  const std::vector<std::string>& definitions() const { return definitions_; }
  int id() const { return id_; }
  std::string name() const;  // file and definitions, for people

  // Every embedded unit of the program.
  static std::vector<const KernelUnit*> all();

 private:
  KernelUnit(std::string file, std::string text, std::vector<std::string> definitions, bool listed);

  std::string file_, text_;
  std::vector<std::string> definitions_;
  int id_;
  bool listed_;
};

// Where a kernel finds its argument struct: in its parameter, or in device memory that its parameter points to, as
// kernels of recorded steps do.
enum class ArgumentPlace { parameter, memory };

// What the compiler gets of a kernel file: its text, with every function inlined into its kernels.
std::string inlined_source(const std::string& file, const std::string& text);

// The messages of a compiler that got such a source under a name that matches the regular expression `compiled_name`,
// with our file and its lines instead.
std::string located_messages(const std::string& messages, const std::string& compiled_name, const std::string& file);

// The runtime compiler's options for a unit.
std::vector<std::string> compiler_options(const KernelUnit& unit, ArgumentPlace place = ArgumentPlace::parameter);

class KernelLibrary {
 public:
  KernelLibrary(Device& device, bool use_disk_cache);
  ~KernelLibrary();

  // Builds the unit if need be. Throws DeviceError with the compiler's log when it does not compile.
  const Kernel& get(const KernelUnit& unit, std::string_view kernel, ArgumentPlace place = ArgumentPlace::parameter);

  // Builds everything there is now rather than on first use, with arguments as parameters.
  void build_all();

  struct Statistics {
    int compiled = 0, loaded = 0;  // units built from source, units taken from the disk cache
    double seconds = 0;
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  struct BuiltUnit;
  std::unique_ptr<BuiltUnit>& built(const KernelUnit& unit, ArgumentPlace place);
  BuiltUnit& build(const KernelUnit& unit, ArgumentPlace place);

  Device& device_;
  bool use_disk_cache_;
  std::vector<std::array<std::unique_ptr<BuiltUnit>, 2>> built_;  // by unit id and place
  Statistics statistics_;
};

}  // namespace cambium
