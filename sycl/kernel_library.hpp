// The kernel library: .sycl files embedded in the program, built for the device at hand when first used.
//
// A KernelUnit is one .sycl file with a set of macro definitions (its specialisation). Units are static objects beside
// the host code that launches them; the library builds each at most once per process and device, with DPC++'s runtime
// compiler, and keeps the device's binary on disk (sycl/kernel_cache.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sycl/embedded_file.hpp"

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

class KernelLibrary {
 public:
  KernelLibrary(Device& device, bool use_disk_cache);
  ~KernelLibrary();

  // Builds the unit if need be. Throws DeviceError with the compiler's log when it does not compile.
  const Kernel& get(const KernelUnit& unit, std::string_view kernel);

  // Builds everything there is now rather than on first use.
  void build_all();

  struct Statistics {
    int compiled = 0, loaded = 0;  // units built from source, units taken from the disk cache
    double seconds = 0;
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  struct BuiltUnit;
  BuiltUnit& build(const KernelUnit& unit);

  Device& device_;
  bool use_disk_cache_;
  std::vector<std::unique_ptr<BuiltUnit>> built_;  // by unit id
  Statistics statistics_;
};

}  // namespace cambium
