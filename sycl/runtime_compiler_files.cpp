// Gives DPC++'s runtime compiler a file that it carries inside itself but searches in the wrong folder.
//
// libsycl-jit of DPC++ 2026.2 holds its files in memory below /sycl-jit-toolchain. For NVIDIA it opens
// /lib/clang/23/lib/nvptx64-nvidia-cuda/libspirv.l64.signed_char.bc, without that prefix, and every kernel fails with
// "Error opening file". No compiler option changes the path. The program therefore defines open64, through which the
// library reads real files (the linker option --export-dynamic-symbol makes it visible there), and answers a failed
// open below /lib/clang/ with the library's own file. Nothing is changed on disk, and other files are opened as usual.
// A user of an NVIDIA GPU need not do anything.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view searched_folder = "/lib/clang/", toolchain = "/sycl-jit-toolchain";

struct Search {
  std::string path;
  std::string_view contents;
};

// The library's table has one entry per file.
struct TableEntry {
  const char* path;
  std::uint64_t path_size;
  const char* contents;
  std::uint64_t contents_size;
};

bool within(const dl_phdr_info& library, const void* address, std::uint64_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    const auto start = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && begin >= start && size <= segment.p_memsz &&
        begin - start <= segment.p_memsz - size)
      return true;
  }
  return false;
}

// Looks for the entry in the part of the library that holds constant pointers.
int search_library(dl_phdr_info* library, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (std::string_view(library->dlpi_name).find("libsycl-jit.so") == std::string_view::npos) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    const char* begin = reinterpret_cast<const char*>((library->dlpi_addr + segment.p_vaddr + 7) & ~std::uintptr_t{7});
    const char* end = reinterpret_cast<const char*>(library->dlpi_addr + segment.p_vaddr + segment.p_filesz);
    for (; begin + sizeof(TableEntry) <= end; begin += sizeof(void*)) {
      TableEntry entry;
      std::memcpy(&entry, begin, sizeof entry);
      if (entry.path_size != search.path.size() || !within(*library, entry.path, entry.path_size) ||
          std::memcmp(entry.path, search.path.data(), search.path.size()) != 0 ||
          !within(*library, entry.contents, entry.contents_size))
        continue;
      search.contents = {entry.contents, entry.contents_size};
      return 1;
    }
  }
  return 0;
}

// A descriptor of a copy in memory, or -1.
int open_carried_file(const char* path) {
  Search search{std::string(toolchain) + path, {}};
  if (dl_iterate_phdr(search_library, &search) == 0) return -1;
  const int descriptor = memfd_create("sycl-jit-toolchain", MFD_CLOEXEC);
  for (auto rest = search.contents; descriptor >= 0 && !rest.empty();) {
    const auto written = write(descriptor, rest.data(), rest.size());
    if (written <= 0) {
      close(descriptor);
      return -1;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (descriptor >= 0) lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int open64(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const int opened = openat(AT_FDCWD, path, flags, mode);
  if (opened >= 0 || errno != ENOENT || std::strncmp(path, searched_folder.data(), searched_folder.size()) != 0)
    return opened;
  const int carried = open_carried_file(path);
  if (carried < 0) errno = ENOENT;
  return carried;
}
