// cambium kernels: lists the kernel units of the program, and compiles them offline for GPUs.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "lab/training/kernel_units.hpp"
#include "sycl/offline_compiler.hpp"

namespace cambium::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> targets, definitions;
  std::string source, folder, tools, only;
  int jobs = 0;
  bool json = false;
};

// A folder that its destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "cambium-kernels-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw_file_error(name, "created", errno);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct VendorRow {
  Vendor vendor;
  const char *name, *targets;
};
constexpr VendorRow vendors[] = {{Vendor::spirv, "any", "spirv"},
                                 {Vendor::nvidia, "NVIDIA", "sm_80, sm_90, other sm_NN"},
                                 {Vendor::intel, "Intel", "tgllp, dg2, mtl, pvc, bmg"},
                                 {Vendor::amd, "AMD", "gfx90a, gfx1100, other gfxNNN"}};

void list(const std::vector<OfflineUnit>& units, const OfflineTools& tools, bool json) {
  if (json) {
    nlohmann::json result{{"units", nlohmann::json::array()}, {"targets", nlohmann::json::array()}};
    for (const auto& unit : units) result["units"].push_back(unit.name);
    for (const auto& [vendor, name, targets] : vendors)
      result["targets"].push_back({{"vendor", name}, {"targets", targets}, {"missing", tools.missing(vendor)}});
    return fmt::print("{}\n", result.dump(2));
  }
  for (const auto& unit : units) fmt::print("{}{}\n", unit.name, unit.for_cpus ? "  (for CPUs)" : "");
  fmt::print("\n{} kernel units. Compile them with --target:\n", units.size());
  for (const auto& [vendor, name, targets] : vendors) {
    const auto missing = tools.missing(vendor);
    fmt::print("  {:<7} {:<30} {}\n", name, targets, missing.empty() ? "available" : missing);
  }
}

nlohmann::json to_json(const OfflineResult& result) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& kernel : result.kernels)
    kernels.push_back({{"kernel", kernel.name},
                       {"registers", kernel.registers},
                       {"spill", kernel.spill},
                       {"stack", kernel.stack},
                       {"local_memory", kernel.local_memory},
                       {"simd", kernel.simd},
                       {"calls", kernel.calls}});
  return {{"unit", result.unit},
          {"target", result.target},
          {"files", result.files},
          {"kernels", kernels},
          {"error", result.error}};
}

void print_table(const std::vector<OfflineResult>& results) {
  std::string unit;
  for (const auto& result : results) {
    if (result.unit != unit) fmt::print("{}\n", unit = result.unit);
    if (!result.error.empty()) fmt::print("  {:<8} failed\n", result.target);
    for (const auto& k : result.kernels)
      fmt::print("  {:<8} {:<32} registers {:>3}  spill {:>4}  stack {:>5}  local memory {:>6}  simd {:>2}{}\n",
                 result.target, k.name, k.registers, k.spill, k.stack, k.local_memory, k.simd,
                 k.calls ? "  calls functions" : "");
  }
}

void run(const Flags& flags) {
  std::vector<OfflineTarget> targets;
  for (const auto& name : flags.targets) targets.push_back(OfflineTarget::parse(name));
  if (flags.source.empty() && !flags.definitions.empty())
    throw_input_error("-D needs --source; the program's own units have fixed definitions");
  auto units = flags.source.empty() ? offline_units(all_kernel_units())
                                    : std::vector{offline_unit(flags.source, flags.definitions)};
  std::erase_if(units, [&](const auto& unit) { return unit.name.find(flags.only) == std::string::npos; });
  if (units.empty())
    throw_input_error("--only {}: no kernel unit has this text in its name; `cambium kernels` lists all", flags.only);
  const auto tools = OfflineTools::find(flags.tools);
  if (targets.empty()) return list(units, tools, flags.json);
  if (std::all_of(units.begin(), units.end(), [](const auto& unit) { return unit.for_cpus; }) &&
      std::none_of(targets.begin(), targets.end(), [](const auto& t) { return t.vendor == Vendor::spirv; }))
    throw_input_error("{} is for CPUs only; --target spirv compiles it", units.front().name);

  std::optional<TemporaryFolder> temporary;
  fs::path folder = flags.folder;
  if (flags.folder.empty()) folder = temporary.emplace().path();
  make_folder(folder);
  const int jobs = flags.jobs > 0 ? flags.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto results = compile_offline(units, targets, tools, fs::absolute(folder), jobs);

  int failures = 0;
  for (const auto& result : results) failures += !result.error.empty();
  if (flags.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& result : results) all.push_back(to_json(result));
    fmt::print("{}\n", all.dump(1));
  } else {
    print_table(results);
  }
  for (const auto& target : targets)
    if (const auto missing = tools.missing(target.vendor); !missing.empty())
      fmt::print(stderr, "{}: not assembled. {}\n", target.name, missing);
  for (const auto& result : results)
    if (!result.error.empty()) fmt::print(stderr, "{} for {}: {}\n", result.unit, result.target, result.error);
  if (failures > 0) throw_device_error("{} of {} builds failed", failures, results.size());
}

}  // namespace

void add_kernels(Command& root) {
  auto& command =
      root.add_command("kernels", "List the kernel units, or compile them for GPUs and show registers and spills");
  auto flags = std::make_shared<Flags>();
  command.add_option(
      "--target", flags->targets,
      "GPU to compile for, which need not be present: spirv, sm_80, sm_90, tgllp, dg2, pvc, bmg, gfx90a, gfx1100, ...; "
      "repeatable",
      {.value = "GPU", .list = ListForm::repeated});
  command.add_option("--out", flags->folder,
                     "Folder for the machine code (.spv, .ptx, .cubin, .bin, .s, .co). Default: keep none",
                     {.value = "DIR"});
  command.add_option("--only", flags->only, "Compile only units whose name contains this text");
  command.add_option("--source", flags->source, "Compile this file instead of the program's units", {.value = "FILE"});
  command.add_option("-D", flags->definitions, "Definition for --source, such as -D TILE_K=16; repeatable",
                     {.value = "NAME=VALUE", .list = ListForm::repeated});
  command.add_option("--tools", flags->tools,
                     "Folder with ocloc and LLVM 23, made by setup/gpu_root.sh. Default: CAMBIUM_GPU_ROOT, then PATH",
                     {.value = "DIR"});
  command.add_option("--jobs", flags->jobs, "Processes at a time",
                     {.range = {{1, 1'000'000}}, .default_text = "one per core"});
  command.add_flag("--json", flags->json, "Print JSON");
  command.set_action([flags] {
    run(*flags);
    return exit_done;
  });
}

}  // namespace cambium::cli
