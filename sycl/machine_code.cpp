#include "sycl/machine_code.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "base/error.hpp"

namespace cambium {
namespace {

constexpr std::string_view kernel_prefix = "__sycl_kernel_";  // how DPC++ names the entry point of a free function
constexpr std::string_view offset_suffix = "_with_offset";    // a second copy for launches with an offset, never used

std::string source_name(std::string_view symbol) {
  return std::string(symbol.starts_with(kernel_prefix) ? symbol.substr(kernel_prefix.size()) : symbol);
}

// DPC++'s and NVIDIA's own functions; ptxas lists them although it inlines them.
bool is_builtin(std::string_view function) {
  return function.find("__spirv_") != std::string_view::npos || function.starts_with("__nv_");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

int number_at(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The number in front of `words`: "Used 40 registers" has 40 before " registers". 0 if the words are missing.
int number_before(std::string_view line, std::string_view words) {
  const auto end = line.find(words);
  if (end == std::string_view::npos) return 0;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return number_at(line.substr(begin, end - begin));
}

// The text between quotes after `words`.
std::string_view quoted_after(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) return {};
  const auto begin = line.find('\'', at) + 1;
  if (begin == 0) return {};
  return line.substr(begin, line.find('\'', begin) - begin);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// "key: value" of a YAML line, without the "- " that begins a list entry.
struct YamlLine {
  std::size_t indent = 0;
  bool entry = false;
  std::string_view key, value;
};
YamlLine yaml_line(std::string_view line) {
  YamlLine result;
  result.indent = std::min(line.find_first_not_of(' '), line.size());
  auto rest = line.substr(result.indent);
  if (rest.starts_with("- ")) {
    result.entry = true;
    rest.remove_prefix(2);
  }
  const auto colon = rest.find(':');
  if (colon == std::string_view::npos) return result;
  result.key = trimmed(rest.substr(0, colon));
  result.value = trimmed(rest.substr(colon + 1));
  if (result.value.size() >= 2 && result.value.front() == '\'')
    result.value = result.value.substr(1, result.value.size() - 2);
  return result;
}

std::vector<KernelResources> sorted(std::vector<KernelResources> kernels) {
  std::erase_if(kernels, [](const auto& kernel) { return kernel.name.ends_with(offset_suffix); });
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return kernels;
}

}  // namespace

std::vector<KernelResources> parse_ptxas_messages(std::string_view messages) {
  std::vector<KernelResources> kernels;
  std::string entry, function;
  for (const auto line : lines_of(messages)) {
    if (const auto name = quoted_after(line, "Compiling entry function"); !name.empty()) {
      entry = name;
      kernels.push_back({.name = source_name(name), .simd = 32});
    } else if (const auto at = line.find("Function properties for "); at != std::string_view::npos) {
      function = trimmed(line.substr(at + std::strlen("Function properties for ")));
      if (!kernels.empty() && function != entry && !is_builtin(function)) kernels.back().calls = true;
    } else if (!kernels.empty() && function == entry && line.find("bytes stack frame") != std::string_view::npos) {
      kernels.back().stack = number_before(line, " bytes stack frame");
      kernels.back().spill = number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    } else if (!kernels.empty() && function == entry && line.find(" registers") != std::string_view::npos) {
      kernels.back().registers = number_before(line, " registers");
      kernels.back().local_memory = number_before(line, " bytes smem");
      kernels.back().stack = std::max(kernels.back().stack, number_before(line, " bytes cumulative stack size"));
    }
  }
  return sorted(kernels);
}

std::vector<KernelResources> parse_ze_info(std::string_view yaml) {
  std::vector<KernelResources> kernels;
  bool in_kernels = false;
  std::size_t entry_indent = 0;
  for (const auto line : lines_of(yaml)) {
    const auto [indent, entry, key, value] = yaml_line(line);
    if (key.empty() || key.front() == '#') continue;
    if (indent == 0 && !entry) {
      in_kernels = key == "kernels";
      entry_indent = 0;
      continue;
    }
    if (!in_kernels) continue;
    if (entry && key == "name" && (entry_indent == 0 || indent == entry_indent)) {
      entry_indent = indent;
      kernels.push_back({.name = source_name(value)});
    }
    if (kernels.empty()) continue;
    auto& kernel = kernels.back();
    if (key == "grf_count") kernel.registers = number_at(value);
    if (key == "simd_size") kernel.simd = number_at(value);
    if (key == "spill_size") kernel.spill = number_at(value);
    if (key == "private_size") kernel.stack = number_at(value);
    if (key == "slm_size") kernel.local_memory = number_at(value);
    if (key == "has_stack_calls") kernel.calls = value == "true";
  }
  std::erase_if(kernels, [](const auto& kernel) { return kernel.name == "Intel_Symbol_Table_Void_Program"; });
  return sorted(kernels);
}

std::vector<KernelResources> parse_intel_binary(std::string_view binary) {
  const auto read = [&]<class T>(T& value, std::size_t offset) {
    if (sizeof value > binary.size() || offset > binary.size() - sizeof value)
      throw_device_error("the Intel binary is cut short at byte {}", offset);
    std::memcpy(&value, binary.data() + offset, sizeof value);
  };
  Elf64_Ehdr header;
  read(header, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw_device_error("the Intel binary is not an ELF file");
  Elf64_Shdr names;
  read(names, header.e_shoff + header.e_shstrndx * sizeof names);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    read(section, header.e_shoff + i * sizeof section);
    const auto name = binary.substr(std::min<std::size_t>(names.sh_offset + section.sh_name, binary.size()));
    if (!name.starts_with(std::string_view(".ze_info\0", 9))) continue;
    if (section.sh_offset > binary.size() || section.sh_size > binary.size() - section.sh_offset)
      throw_device_error("the Intel binary's .ze_info is cut short");
    return parse_ze_info(binary.substr(section.sh_offset, section.sh_size));
  }
  throw_device_error("the Intel binary has no section .ze_info");
}

std::vector<KernelResources> parse_amd_assembly(std::string_view assembly) {
  // A function's instructions follow its label; s_swappc_b64 is a call.
  std::map<std::string, bool, std::less<>> calls;
  std::string function;
  for (const auto line : lines_of(assembly)) {
    if (line.starts_with("\t.type\t") && line.find("@function") != std::string_view::npos)
      function = line.substr(7, line.find(',') - 7);
    else if (line.find("\ts_swappc_b64") != std::string_view::npos)
      calls[function] = true;
  }

  std::vector<KernelResources> kernels;
  const auto metadata = assembly.find("amdhsa.kernels:");
  if (metadata == std::string_view::npos) return kernels;
  KernelResources kernel;
  const auto finish = [&] {
    if (kernel.name.empty()) return;
    if (const auto found = calls.find(kernel.name); found != calls.end()) kernel.calls = true;
    kernel.name = source_name(kernel.name);
    kernels.push_back(kernel);
    kernel = {};
  };
  for (const auto line : lines_of(assembly.substr(metadata))) {
    if (line.find(".end_amdgpu_metadata") != std::string_view::npos) break;
    const auto [indent, entry, key, value] = yaml_line(line);
    if (entry && indent == 2) finish();
    if (indent > 4 || (indent > 2 && entry)) continue;  // arguments
    if (key == ".name") kernel.name = value;
    if (key == ".vgpr_count") kernel.registers = number_at(value);
    if (key == ".vgpr_spill_count" || key == ".sgpr_spill_count") kernel.spill += number_at(value);
    if (key == ".private_segment_fixed_size") kernel.stack = number_at(value);
    if (key == ".group_segment_fixed_size") kernel.local_memory = number_at(value);
    if (key == ".wavefront_size") kernel.simd = number_at(value);
  }
  finish();
  return sorted(kernels);
}

}  // namespace cambium
