#include "sycl/runtime_compiler.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "sycl/kernel_library.hpp"
#include "sycl/runtime.hpp"

namespace cambium {
namespace {

// The release of the library whose interface is declared below; DPC++ 2026.2.
constexpr std::string_view known_soname = "libsycl-jit.so.23.1";

// The library's types, as far as they are used. Functions take and return them by value.
namespace abi {

enum Format : std::uint32_t { format_spirv = 2, format_ptx = 3, format_amdgcn = 4 };
enum OptionId { option_target_cpu = 1, option_target_features = 2 };

struct MemoryFile {
  const char* path;
  const char* contents;
};
template <class T>
struct View {
  const T* begin;
  std::size_t size;
};
template <class T>
struct Array {
  T* values;
  std::size_t size;
};
struct Image {
  std::uint32_t format;
  std::uint64_t address_bits;
  const char* start;
  std::uint64_t size;
  Array<char*> symbols;
  Array<void*> properties;
};
struct Result {
  std::int32_t error;
  Array<Image> images;
  char* options;
  Array<char> ir;
  char* log;
  char reserve[256];  // for members of later releases
};
struct Option {
  explicit Option(int option) : id(option) {}
  virtual ~Option() = default;
  const int id;
};
struct TextOption : Option {
  TextOption(int option, const std::string& value) : Option(option), text{new char[value.size() + 1], value.size()} {
    std::memcpy(text.values, value.c_str(), value.size() + 1);
  }
  Array<char> text;  // the library keeps it
};

// A result that is returned through memory is the first argument on x86-64.
using CompileSycl = void (*)(Result*, MemoryFile source, View<MemoryFile> headers, View<const char*> options,
                             View<char> cached_ir, bool save_ir, std::uint32_t format);
using AddOption = void (*)(Option**);

// Functions that the library does not export. The names hold their signatures: a changed one is not found.
constexpr std::string_view link_device_libraries =
    "_ZN12jit_compiler19linkDeviceLibrariesERN4llvm6ModuleERKNS0_3opt12InputArgListERNSt3__112basic_stringIcNS7_11char_"
    "traitsIcEENS7_9allocatorIcEEEENS_12BinaryFormatE";
constexpr std::string_view file_stream_constructor = "_ZN4llvm14raw_fd_ostreamC1EibbNS_11raw_ostream11OStreamKindE";
constexpr std::string_view write_bitcode =
    "_ZN4llvm18WriteBitcodeToFileERKNS_6ModuleERNS_11raw_ostreamEbPKNS_18ModuleSummaryIndexEbPNSt3__15arrayIjLm5EEE";
using FileStreamConstructor = void (*)(void* stream, int descriptor, bool close, bool unbuffered, int kind);
using WriteBitcode = void (*)(const void* module, void* stream, bool, const void*, bool, void*);

}  // namespace abi

std::string soname_of(void* library) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  std::size_t name = 0, strings = 0;
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
  }
  return name == 0 ? "" : reinterpret_cast<const char*>(strings + name);
}

// Addresses in this process of functions that are in the library's symbol table but not exported.
std::map<std::string_view, char*> local_functions(void* library, const std::filesystem::path& file,
                                                  std::span<const std::string_view> names) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) throw_device_error("{}: {}", file.string(), dlerror());
  const auto descriptor = open_file(file, O_RDONLY);
  const auto size = std::filesystem::file_size(file);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (mapped == MAP_FAILED) throw_file_error(file, "mapped into memory", errno);
  const char* bytes = static_cast<const char*>(mapped);
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(bytes);
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes + header->e_shoff);
  std::map<std::string_view, char*> found;
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(bytes + sections[s].sh_offset);
    const char* strings = bytes + sections[sections[s].sh_link].sh_offset;
    for (std::size_t i = 0; i < sections[s].sh_size / sizeof *symbols; ++i)
      for (const auto name : names)
        if (name == strings + symbols[i].st_name)
          found[name] = reinterpret_cast<char*>(map->l_addr + symbols[i].st_value);
  }
  munmap(mapped, size);
  for (const auto name : names)
    if (!found.contains(name))
      throw_device_error("{} has no function {}; machine code for AMD needs the library of the pinned wheels",
                         file.string(), name);
  return found;
}

// State of write_amd_bitcode, which ends the process.
abi::FileStreamConstructor make_stream;
abi::WriteBitcode write_module;
UniqueFd bitcode;

// Replaces linkDeviceLibraries, which receives the module that the front end made.
void write_module_and_exit(void* /*result*/, const void* module) {
  alignas(16) static char stream[4096];
  make_stream(stream, bitcode.get(), /*close=*/false, /*unbuffered=*/true, /*kind=*/0);
  write_module(module, stream, false, nullptr, false, nullptr);
  _exit(0);
}

// Overwrites the beginning of a function by a jump.
void redirect(char* function, void (*target)(void*, const void*)) {
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // movabs $target, %rax; jmp *%rax
  const auto address = reinterpret_cast<std::uint64_t>(target);
  std::memcpy(jump + 2, &address, sizeof address);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(function) & ~(page - 1);
  if (mprotect(reinterpret_cast<void*>(first), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    throw_device_error("the runtime compiler's code cannot be changed in memory: {}", std::strerror(errno));
  std::memcpy(function, jump, sizeof jump);
}

}  // namespace

RuntimeCompiler::RuntimeCompiler() : file_(sycl_library_directory() / "libsycl-jit.so") {
  library_ = dlopen(file_.c_str(), RTLD_NOW);
  if (library_ == nullptr) throw_device_error("the runtime compiler cannot be loaded: {}", dlerror());
  if (const auto soname = soname_of(library_); soname != known_soname)
    throw_device_error("{} is {}, but this program can only call {}. Use the pinned wheels: make build", file_.string(),
                       soname.empty() ? "a library without a version" : soname, known_soname);
  for (const char* name : {"compileSYCL", "addToJITConfiguration"})
    if (dlsym(library_, name) == nullptr)
      throw_device_error("{} has no function {}. Use the pinned wheels: make build", file_.string(), name);
}

std::string RuntimeCompiler::compile(const RuntimeCompilerInput& input, unsigned format, const std::string& processor,
                                     const std::string& features, std::span<const std::string> more_options) const {
  if (!processor.empty()) {
    const auto add = reinterpret_cast<abi::AddOption>(dlsym(library_, "addToJITConfiguration"));
    abi::Option* cpu = new abi::TextOption(abi::option_target_cpu, processor);
    abi::Option* feature = new abi::TextOption(abi::option_target_features, features);
    add(&cpu);
    add(&feature);
  }
  // The compiler tells the language by the extension.
  const std::string name = input.file + ".cpp";
  std::vector<std::string> header_texts;  // ended by a zero, which a string_view need not be
  std::vector<std::string> header_paths;
  for (const auto& header : input.headers) {
    header_paths.emplace_back(header.path);
    header_texts.emplace_back(header.text);
  }
  std::vector<abi::MemoryFile> headers;
  for (std::size_t i = 0; i < header_paths.size(); ++i)
    headers.push_back({header_paths[i].c_str(), header_texts[i].c_str()});
  std::vector<const char*> options;
  for (const auto& option : input.options) options.push_back(option.c_str());
  for (const auto& option : more_options) options.push_back(option.c_str());

  const auto compile_sycl = reinterpret_cast<abi::CompileSycl>(dlsym(library_, "compileSYCL"));
  static abi::Result result;
  compile_sycl(&result, {name.c_str(), input.text.c_str()}, {headers.data(), headers.size()},
               {options.data(), options.size()}, {nullptr, 0}, /*save_ir=*/false, format);
  if (result.error != 0) {
    const std::string log = result.log == nullptr ? "no reason given" : result.log;
    throw_device_error(
        "{} does not compile:\n{}", input.file,
        located_messages(log, std::regex_replace(name, std::regex("[^A-Za-z0-9_/]"), "\\$&"), input.file));
  }
  if (result.images.size != 1 || result.images.values[0].size == 0)
    throw_device_error("{}: the runtime compiler made {} images, one is expected", input.file, result.images.size);
  const auto& image = result.images.values[0];
  return std::string(image.start, image.size);
}

std::string RuntimeCompiler::spirv(const RuntimeCompilerInput& input) const {
  return compile(input, abi::format_spirv, "", "", {});
}

std::string RuntimeCompiler::ptx(const RuntimeCompilerInput& input, const std::string& processor,
                                 const std::filesystem::path& toolkit) const {
  std::vector<std::string> options;
  if (!toolkit.empty()) options.push_back("--cuda-path=" + toolkit.string());
  return compile(input, abi::format_ptx, processor, "+ptx75", options);
}

void RuntimeCompiler::write_amd_bitcode(const RuntimeCompilerInput& input, const std::string& processor,
                                        const std::filesystem::path& file) const {
  const std::string_view names[] = {abi::link_device_libraries, abi::file_stream_constructor, abi::write_bitcode};
  const auto functions = local_functions(library_, std::filesystem::canonical(file_), names);
  make_stream = reinterpret_cast<abi::FileStreamConstructor>(functions.at(abi::file_stream_constructor));
  write_module = reinterpret_cast<abi::WriteBitcode>(functions.at(abi::write_bitcode));
  bitcode = open_file(file, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(functions.at(abi::link_device_libraries), write_module_and_exit);
  const std::string options[] = {"-fno-sycl-libspirv", "-Wno-unsafe-libspirv-not-linked", "-nogpulib"};
  compile(input, abi::format_amdgcn, processor, "", options);
  throw_device_error("{}: the runtime compiler did not reach the point where its bitcode is taken", input.file);
}

}  // namespace cambium
