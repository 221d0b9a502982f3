#include "sycl/offline_compiler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <list>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

// DPC++ 2026.2's back end crashes on structs passed by value from sm_70 on; ptxas assembles this PTX for newer GPUs.
constexpr const char* ptx_processor = "sm_60";

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string stem_of(std::string_view file, const std::vector<std::string>& definitions) {
  std::string stem(file.ends_with(".sycl") ? file.substr(0, file.size() - 5) : file);
  for (const auto& definition : definitions) stem += "," + definition;
  for (char& c : stem)
    if (std::strchr("/ \t\"'()<>&;|*?$\\", c) != nullptr) c = '_';
  return stem;
}

bool is_for_cpus(std::string_view file) { return file.ends_with("_cpu.sycl"); }

// Runs a program of `tools` and returns what it printed. Programs of another root are run by that root's loader, so
// that they find its libraries without chroot.
std::string run_tool(const OfflineTools& tools, const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  if (!tools.root.empty() && program.string().starts_with(tools.root.string() + "/")) {
    const auto libraries = fmt::format("{0}/usr/lib/x86_64-linux-gnu:{0}/usr/lib/llvm-23/lib", tools.root.string());
    words = {(tools.root / "usr/lib64/ld-linux-x86-64.so.2").string(),
             "--library-path",
             libraries,
             "--argv0",
             program.filename().string(),
             program.string()};
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto result = run_command(words, {.ends_with_parent = true});
  const auto messages = result.output + result.errors;
  if (result.exit_code != 0)
    throw_device_error("{} failed with exit code {}:\n{}", program.filename().string(), result.exit_code,
                       messages.substr(0, 4000));
  return messages;
}

// Runs `work` in a child, whose crash does not end this process. Returns an error message; empty if it succeeded.
template <class Work>
std::string in_child(const Work& work, const fs::path& log) {
  // The log hides the compiler's own stack dump, which does not help a user.
  const auto output = open_file(log, O_WRONLY | O_CREAT | O_TRUNC);
  auto child = ChildProcess::start(
      [&] {
        try {
          work();
          return 0;
        } catch (const std::exception& error) {
          write_file(log, error.what());
          return 1;
        }
      },
      {.output = output.get(), .errors = output.get()});
  const auto end = child.wait();
  const auto messages = contents_of(log);
  fs::remove(log);
  if (end.signal != 0)
    return fmt::format("the runtime compiler crashed with signal {} ({})", end.signal, strsignal(end.signal));
  if (end.exit_code != 0)
    return messages.empty() ? fmt::format("the runtime compiler ended with {}", end.exit_code) : messages;
  return {};
}

class UnitBuild {
 public:
  UnitBuild(const RuntimeCompiler& compiler, const OfflineUnit& unit, const OfflineTools& tools, const fs::path& folder)
      : compiler_(compiler), unit_(unit), tools_(tools), folder_(folder) {}

  OfflineResult build(const OfflineTarget& target) {
    OfflineResult result{.unit = unit_.name, .target = target.name};
    try {
      switch (target.vendor) {
        case Vendor::spirv:
          spirv(result);
          break;
        case Vendor::nvidia:
          nvidia(target.name, result);
          break;
        case Vendor::intel:
          intel(target.name, result);
          break;
        case Vendor::amd:
          amd(target.name, result);
          break;
      }
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    return result;
  }

 private:
  fs::path file(const std::string& extension) const { return folder_ / (unit_.stem + extension); }
  fs::path log(const std::string& target) const { return file("." + target + ".log"); }

  // Calls `work` once for all targets that share its result; a second call repeats the first one's error.
  template <class Work>
  void once(const std::string& what, const Work& work) {
    const auto known = front_end_.find(what);
    const auto error = known != front_end_.end() ? known->second : front_end_[what] = in_child(work, log(what));
    if (!error.empty()) throw DeviceError(error);
  }

  void spirv(OfflineResult& result) {
    once("spv", [&] { write_file(file(".spv"), compiler_.spirv(unit_.input)); });
    result.files.push_back(unit_.stem + ".spv");
  }

  void nvidia(const std::string& target, OfflineResult& result) {
    once("ptx", [&] { write_file(file(".ptx"), compiler_.ptx(unit_.input, ptx_processor, tools_.cuda)); });
    result.files.push_back(unit_.stem + ".ptx");
    if (!tools_.missing(Vendor::nvidia).empty()) return;
    const auto cubin = file("." + target + ".cubin");
    result.kernels = parse_ptxas_messages(
        run_tool(tools_, tools_.ptxas, {"-v", "-arch=" + target, file(".ptx").string(), "-o", cubin.string()}));
    result.files.push_back(cubin.filename());
  }

  void intel(const std::string& target, OfflineResult& result) {
    spirv(result);
    if (!tools_.missing(Vendor::intel).empty()) return;
    const auto binary = file("." + target + ".bin");
    run_tool(tools_, tools_.ocloc,
             {"compile", "-spirv_input", "-file", file(".spv").string(), "-device", target, "-output", binary.string(),
              "-output_no_suffix", "-q"});
    // Some releases add an extension of their own.
    for (const char* extension : {".bin", ".spv"})
      if (!fs::exists(binary) && fs::exists(binary.string() + extension))
        fs::rename(binary.string() + extension, binary);
    result.kernels = parse_intel_binary(contents_of(binary));
    result.files.push_back(binary.filename());
  }

  void amd(const std::string& target, OfflineResult& result) {
    const auto named = [&](const char* extension) { return file("." + target + extension).string(); };
    once(target, [&] { compiler_.write_amd_bitcode(unit_.input, target, named(".bc")); });
    result.files.push_back(fs::path(named(".bc")).filename());
    if (!tools_.missing(Vendor::amd).empty()) return;
    const auto run = [&](const char* program, const std::vector<std::string>& arguments) {
      auto path = tools_.llvm / program;
      if (!fs::exists(path)) path += "-23";
      run_tool(tools_, path, arguments);
    };
    const auto library = [&](const std::string& name) { return (tools_.device_libraries / (name + ".bc")).string(); };
    const bool wave64 = target.starts_with("gfx9");
    // The builtins of SPIR-V that DPC++'s front end calls; see the file.
    write_file(named(".builtins.ll"), embedded_text("sycl/spirv_builtins_amdgcn.ll"));
    run("llvm-link", {named(".bc"), named(".builtins.ll"), "-o", named(".1.bc")});
    run("llvm-link", {"--only-needed", named(".1.bc"), library("ocml"), library("ockl"),
                      library("oclc_isa_version_" + target.substr(3)), library("oclc_finite_only_off"),
                      library("oclc_unsafe_math_off"), library("oclc_correctly_rounded_sqrt_on"),
                      library("oclc_daz_opt_off"), library("oclc_abi_version_500"),
                      library(wave64 ? "oclc_wavefrontsize64_on" : "oclc_wavefrontsize64_off"), "-o", named(".2.bc")});
    const std::string triple = "-mtriple=amdgcn-amd-amdhsa", processor = "-mcpu=" + target;
    run("opt", {triple, processor, "-internalize-public-api-list=__sycl_kernel_*",
                "-passes=internalize,globaldce,default<O3>", named(".2.bc"), "-o", named(".3.bc")});
    run("llc", {"-O3", triple, processor, named(".3.bc"), "-filetype=asm", "-o", named(".s")});
    run("llvm-mc", {"--triple=amdgcn-amd-amdhsa", processor, "-filetype=obj", named(".s"), "-o", named(".o")});
    run("ld.lld", {"-shared", "--no-undefined", named(".o"), "-o", named(".co")});
    for (const char* extension : {".builtins.ll", ".1.bc", ".2.bc", ".3.bc", ".o"}) fs::remove(named(extension));
    result.kernels = parse_amd_assembly(contents_of(named(".s")));
    result.files.push_back(fs::path(named(".s")).filename());
    result.files.push_back(fs::path(named(".co")).filename());
  }

  const RuntimeCompiler& compiler_;
  const OfflineUnit& unit_;
  const OfflineTools& tools_;
  const fs::path& folder_;
  std::map<std::string, std::string> front_end_;  // errors of the parts that targets share
};

nlohmann::json to_json(const OfflineResult& result) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& k : result.kernels)
    kernels.push_back({k.name, k.registers, k.spill, k.stack, k.local_memory, k.simd, k.calls});
  return {result.unit, result.target, result.files, kernels, result.error};
}

OfflineResult from_json(const nlohmann::json& json) {
  OfflineResult result{.unit = json[0], .target = json[1], .files = json[2], .error = json[4]};
  for (const auto& k : json[3])
    result.kernels.push_back({.name = k[0],
                              .registers = k[1],
                              .spill = k[2],
                              .stack = k[3],
                              .local_memory = k[4],
                              .simd = k[5],
                              .calls = k[6]});
  return result;
}

}  // namespace

std::vector<OfflineUnit> offline_units(std::span<const KernelUnit* const> kernel_units) {
  std::vector<OfflineUnit> units;
  for (const auto* unit : kernel_units) {
    OfflineUnit offline{unit->name(),
                        stem_of(unit->file(), unit->definitions()),
                        is_for_cpus(unit->file()),
                        {std::string(unit->file()), unit->source(), embedded_headers(), compiler_options(*unit)}};
    units.push_back(std::move(offline));
  }
  std::sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return units;
}

OfflineUnit offline_unit(const fs::path& source, const std::vector<std::string>& definitions) {
  if (!fs::exists(source))
    throw_input_error("{} does not exist; name a kernel source, such as sycl/gemm.sycl", source.string());
  OfflineUnit unit{source.string(),
                   stem_of(source.filename().native(), definitions),
                   is_for_cpus(source.native()),
                   {source.string(), inlined_source(source.string(), contents_of(source)), {}, {}}};
  if (!definitions.empty()) unit.name += fmt::format(" [{}]", fmt::join(definitions, " "));
  unit.input.options = {"-iquote.", "-Wall", "-Wextra"};
  for (const auto& definition : definitions) unit.input.options.push_back("-D" + definition);
  return unit;
}

std::vector<OfflineResult> compile_offline(std::span<const OfflineUnit> units, std::span<const OfflineTarget> targets,
                                           const OfflineTools& tools, const fs::path& folder, int jobs) {
  const RuntimeCompiler compiler;  // loaded once, before the children are forked
  std::vector<fs::path> result_files;
  std::list<ChildProcess> running;
  const auto wait_for_one = [&] {
    wait_for_any_child();
    running.remove_if([](ChildProcess& child) { return child.poll().has_value(); });
  };
  for (const auto& unit : units) {
    while (running.size() >= static_cast<std::size_t>(jobs)) wait_for_one();
    const auto& file = result_files.emplace_back(folder / (unit.stem + ".results"));
    running.push_back(ChildProcess::start(
        [&] {
          UnitBuild build(compiler, unit, tools, folder);
          nlohmann::json all = nlohmann::json::array();
          for (const auto& target : targets)
            if (!unit.for_cpus || target.vendor == Vendor::spirv) all.push_back(to_json(build.build(target)));
          write_file(file, all.dump());
          return 0;
        },
        {}));
  }
  while (!running.empty()) wait_for_one();
  std::vector<OfflineResult> results;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto text = contents_of(result_files[u]);
    if (text.empty()) throw_device_error("{}: the process that built it ended without a result", units[u].name);
    for (const auto& result : nlohmann::json::parse(text)) results.push_back(from_json(result));
    fs::remove(result_files[u]);
  }
  return results;
}

}  // namespace cambium
