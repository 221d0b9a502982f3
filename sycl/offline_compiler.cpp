#include "sycl/offline_compiler.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

// DPC++ 2026.2's back end crashes on structs passed by value from sm_70 on; ptxas assembles this PTX for newer GPUs.
constexpr const char* ptx_processor = "sm_60";
constexpr const char* intel_targets[] = {"tgllp", "dg2", "mtl", "pvc", "bmg"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

fs::path on_path(const std::string& program) {
  std::stringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = fs::path(folder) / program; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void write_file(const fs::path& file, std::string_view contents) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  stream.close();
  if (!stream) throw_input_error("{} cannot be written: {}", file.string(), std::strerror(errno));
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
std::string run_tool(const OfflineTools& tools, const fs::path& program, std::vector<std::string> arguments,
                     const fs::path& log) {
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
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), input = open("/dev/null", O_RDONLY);
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  auto messages = contents_of(log);
  fs::remove(log);
  if (status != 0)
    throw_device_error("{} {}:\n{}", program.filename().string(),
                       WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                                           : fmt::format("failed with exit code {}", WEXITSTATUS(status)),
                       messages.substr(0, 4000));
  return messages;
}

// Runs `work` in a child, whose faults do not end this process. Returns an error message, or nothing.
template <class Work>
std::string in_child(const Work& work, const fs::path& log) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    // A crash prints the compiler's own stack dump, which says nothing to a user.
    const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(output, 1);
    dup2(output, 2);
    try {
      work();
    } catch (const std::exception& error) {
      write_file(log, error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const auto messages = contents_of(log);
  fs::remove(log);
  if (WIFSIGNALED(status))
    return fmt::format("the runtime compiler crashed with signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  if (status != 0)
    return messages.empty() ? fmt::format("the runtime compiler ended with {}", WEXITSTATUS(status)) : messages;
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
    result.kernels = parse_ptxas_messages(run_tool(
        tools_, tools_.ptxas, {"-v", "-arch=" + target, file(".ptx").string(), "-o", cubin.string()}, log(target)));
    result.files.push_back(cubin.filename());
  }

  void intel(const std::string& target, OfflineResult& result) {
    spirv(result);
    if (!tools_.missing(Vendor::intel).empty()) return;
    const auto binary = file("." + target + ".bin");
    run_tool(tools_, tools_.ocloc,
             {"compile", "-spirv_input", "-file", file(".spv").string(), "-device", target, "-output", binary.string(),
              "-output_no_suffix", "-q"},
             log(target));
    // Some releases add an extension of their own.
    for (const char* extension : {".bin", ".spv"})
      if (!is_there(binary) && is_there(binary.string() + extension)) fs::rename(binary.string() + extension, binary);
    result.kernels = parse_intel_binary(contents_of(binary));
    result.files.push_back(binary.filename());
  }

  void amd(const std::string& target, OfflineResult& result) {
    const auto named = [&](const char* extension) { return file("." + target + extension).string(); };
    once(target, [&] { compiler_.write_amd_bitcode(unit_.input, target, named(".bc")); });
    result.files.push_back(fs::path(named(".bc")).filename());
    if (!tools_.missing(Vendor::amd).empty()) return;
    const auto run = [&](const char* program, std::vector<std::string> arguments) {
      auto path = tools_.llvm / program;
      if (!is_there(path)) path += "-23";
      run_tool(tools_, path, std::move(arguments), log(target));
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

OfflineTarget OfflineTarget::parse(const std::string& name) {
  const auto digits_after = [&](std::size_t at) {
    return name.size() > at && name.find_first_not_of("0123456789abcdef", at) == std::string::npos && name[at] >= '0' &&
           name[at] <= '9';
  };
  if (name == "spirv") return {name, Vendor::spirv};
  if (std::find(std::begin(intel_targets), std::end(intel_targets), name) != std::end(intel_targets))
    return {name, Vendor::intel};
  if (name.starts_with("sm_") && digits_after(3)) return {name, Vendor::nvidia};
  if (name.starts_with("gfx") && digits_after(3)) return {name, Vendor::amd};
  throw_input_error(
      "unknown target '{}'. Known: spirv; NVIDIA sm_80, sm_90 and other sm_NN; Intel {}; AMD gfx90a, "
      "gfx1100 and other gfxNNN",
      name, fmt::join(intel_targets, ", "));
}

OfflineTools OfflineTools::find(const fs::path& root) {
  OfflineTools tools;
  tools.root = root;
  if (const char* variable = std::getenv("CAMBIUM_GPU_ROOT"); root.empty() && variable != nullptr)
    tools.root = variable;
  if (!tools.root.empty()) {
    if (!is_there(tools.root / "usr/bin"))
      throw_input_error("{} is not a folder with offline compilers. Make one: setup/gpu_root.sh {}",
                        tools.root.string(), tools.root.string());
    tools.root = fs::canonical(tools.root);
    for (const auto& entry : fs::directory_iterator(tools.root / "usr/bin"))
      if (entry.path().filename().string().starts_with("ocloc")) tools.ocloc = entry.path();
    if (is_there(tools.root / "usr/lib/llvm-23/bin/llc")) tools.llvm = tools.root / "usr/lib/llvm-23/bin";
    tools.device_libraries = tools.root / "usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode";
  }
  if (tools.ocloc.empty()) tools.ocloc = on_path("ocloc");
  if (tools.llvm.empty())
    tools.llvm =
        is_there("/usr/lib/llvm-23/bin/llc") ? fs::path("/usr/lib/llvm-23/bin") : on_path("llc-23").parent_path();
  for (const char* folder : {"/usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode"})
    if (!is_there(tools.device_libraries / "ocml.bc")) tools.device_libraries = folder;
  if (!is_there(tools.device_libraries / "ocml.bc")) tools.device_libraries.clear();

  std::vector<fs::path> toolkits;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* folder = std::getenv(variable)) toolkits.emplace_back(folder);
  if (const auto ptxas = on_path("ptxas"); !ptxas.empty())
    toolkits.push_back(fs::canonical(ptxas).parent_path().parent_path());
  toolkits.emplace_back("/usr/local/cuda");
  for (const auto& toolkit : toolkits) {
    if (tools.ptxas.empty() && is_there(toolkit / "bin/ptxas")) tools.ptxas = toolkit / "bin/ptxas";
    if (tools.cuda.empty() && is_there(toolkit / "nvvm/libdevice")) tools.cuda = toolkit;
  }
  return tools;
}

std::string OfflineTools::missing(Vendor vendor) const {
  constexpr const char* make_root = "run setup/gpu_root.sh build/gpu-root and pass --tools build/gpu-root";
  switch (vendor) {
    case Vendor::spirv:
      return {};
    case Vendor::nvidia:
      if (ptxas.empty()) return "ptxas not found: put the CUDA toolkit on PATH or name it by CUDA_PATH";
      return {};
    case Vendor::intel:
      return ocloc.empty() ? fmt::format("ocloc not found: {}", make_root) : "";
    case Vendor::amd:
      if (llvm.empty()) return fmt::format("LLVM 23 not found: {}", make_root);
      if (device_libraries.empty()) return fmt::format("ROCm's device libraries not found: {}", make_root);
      return {};
  }
  return {};
}

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
  if (!is_there(source))
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
  struct Job {
    pid_t process = 0;
    fs::path results;
  };
  std::vector<Job> started(units.size());
  std::vector<OfflineResult> results;
  std::size_t next = 0;
  int running = 0;
  const auto wait_for_one = [&] {
    int status = 0;
    waitpid(-1, &status, 0);
    --running;
  };
  for (; next < units.size(); ++next) {
    if (running >= jobs) wait_for_one();
    started[next].results = folder / (units[next].stem + ".results");
    fflush(nullptr);
    started[next].process = fork();
    if (started[next].process == 0) {
      UnitBuild build(compiler, units[next], tools, folder);
      nlohmann::json all = nlohmann::json::array();
      for (const auto& target : targets)
        if (!units[next].for_cpus || target.vendor == Vendor::spirv) all.push_back(to_json(build.build(target)));
      write_file(started[next].results, all.dump());
      _exit(0);
    }
    ++running;
  }
  while (running > 0) wait_for_one();
  for (std::size_t u = 0; u < units.size(); ++u) {
    const auto text = contents_of(started[u].results);
    if (text.empty()) throw_device_error("{}: the process that built it ended without a result", units[u].name);
    for (const auto& result : nlohmann::json::parse(text)) results.push_back(from_json(result));
    fs::remove(started[u].results);
  }
  return results;
}

}  // namespace cambium
