#include "streams/data/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/file.hpp"

namespace cambium {
namespace {

// Reads a file, and decompresses it if it is gzip: libarchive's own gzip filter does not check the checksum.
class GzipReader {
 public:
  GzipReader(const std::filesystem::path& file, const DataFile& refused) : refused_(refused), block_(1 << 17) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
      throw_input_error("{}: not a file. Check the path.", file.string());
    input_ = gzopen(file.c_str(), "rb");
    if (input_ == nullptr) throw_file_error(file, "read", errno);
    gzbuffer(input_, 1 << 17);
  }
  ~GzipReader() { gzclose(input_); }
  GzipReader(const GzipReader&) = delete;

  // Points `data` to the next block and returns its size; 0 at the end.
  std::size_t next(const void** data) {
    *data = block_.data();
    const int count = gzread(input_, block_.data(), static_cast<unsigned>(block_.size()));
    int code = Z_OK;
    const char* text = gzerror(input_, &code);
    if (count < 0 && code == Z_ERRNO) throw_file_error(refused_.shown, "read", errno);
    if (code == Z_BUF_ERROR) refused_.refuse("the file is cut short");
    if (count < 0 || code < 0) refused_.refuse("the file is damaged ({})", text);
    return static_cast<std::size_t>(count);
  }

 private:
  const DataFile& refused_;
  std::vector<std::uint8_t> block_;
  gzFile input_ = nullptr;
};

// Unpacks a file with libarchive. No exception may pass through libarchive's C code: the callback stores it, and
// check() throws it afterwards.
class Unpacker {
 public:
  Unpacker(const std::filesystem::path& file, const DataFile& refused, bool tar)
      : refused_(refused), input_(file, refused), reader_(archive_read_new(), archive_read_free) {
    archive_read_support_filter_xz(reader_.get());
    if (tar) {
      archive_read_support_format_tar(reader_.get());
    } else {
      archive_read_support_format_raw(reader_.get());
      archive_read_support_format_empty(reader_.get());
    }
    check(archive_read_open(reader_.get(), this, nullptr, read_input, nullptr));
  }

  // Moves to the next entry; null at the end of the archive.
  archive_entry* next_entry() {
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(reader_.get(), &entry);
    if (code == ARCHIVE_EOF) {
      check(ARCHIVE_OK);
      return nullptr;
    }
    check(code);
    return entry;
  }

  // Returns the bytes of the current entry. `expected` is their number as far as it is known.
  std::vector<std::uint8_t> unpack(const DataFile& file, std::size_t limit, std::size_t expected = 0) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(std::min(expected, limit));
    for (;;) {
      const void* block = nullptr;
      std::size_t count = 0;
      la_int64_t offset = 0;
      const int code = archive_read_data_block(reader_.get(), &block, &count, &offset);
      if (code == ARCHIVE_EOF) break;
      check(code);
      if (static_cast<std::size_t>(offset) != bytes.size()) file.refuse("the file has holes");
      if (count > limit - bytes.size())
        file.refuse("the file has more than the {} bytes that it should have", grouped(limit));
      const auto* first = static_cast<const std::uint8_t*>(block);
      bytes.insert(bytes.end(), first, first + count);
    }
    check(ARCHIVE_OK);
    return bytes;
  }

  // Reads the rest of the file: its checksum is at the end.
  void finish() {
    const void* ignored = nullptr;
    while (input_.next(&ignored) > 0) {
    }
  }

 private:
  static la_ssize_t read_input(archive* reader, void* self, const void** data) {
    auto& unpacker = *static_cast<Unpacker*>(self);
    try {
      return static_cast<la_ssize_t>(unpacker.input_.next(data));
    } catch (...) {
      unpacker.failure_ = std::current_exception();
      archive_set_error(reader, EIO, "unreadable");
      return -1;
    }
  }

  void check(int code) {
    if (failure_) std::rethrow_exception(failure_);
    if (code == ARCHIVE_OK) return;
    const char* text = archive_error_string(reader_.get());
    refused_.refuse("the file is damaged or cut short ({})", text == nullptr ? "no reason given" : text);
  }

  const DataFile& refused_;
  GzipReader input_;
  std::exception_ptr failure_;
  std::unique_ptr<archive, decltype(&archive_read_free)> reader_;
};

}  // namespace

DataFile read_data_file(const std::filesystem::path& file, const std::string& data_set, std::size_t limit) {
  DataFile result{.shown = file.string(), .data_set = data_set, .bytes = {}};
  Unpacker unpacker(file, result, false);
  std::error_code unknown;
  const auto size = std::filesystem::file_size(file, unknown);
  if (unpacker.next_entry() != nullptr) result.bytes = unpacker.unpack(result, limit, unknown ? 0 : size);
  unpacker.finish();
  return result;
}

std::vector<DataFile> read_members(const std::filesystem::path& archive, const std::string& data_set,
                                   const std::vector<Member>& wanted) {
  const DataFile whole{.shown = archive.string(), .data_set = data_set, .bytes = {}};
  std::vector<std::optional<DataFile>> found(wanted.size());
  Unpacker unpacker(archive, whole, true);
  while (archive_entry* entry = unpacker.next_entry()) {
    const char* path = archive_entry_pathname(entry);
    if (path == nullptr || archive_entry_filetype(entry) != AE_IFREG) continue;
    const std::string name = std::filesystem::path(path).filename().string();
    const auto member = std::find_if(wanted.begin(), wanted.end(), [&](const Member& m) { return m.name == name; });
    if (member == wanted.end()) continue;
    auto& file = found[static_cast<std::size_t>(member - wanted.begin())];
    if (file) whole.refuse("the archive has the member {} twice", name);
    file = DataFile{.shown = fmt::format("{}({})", archive.string(), path), .data_set = data_set, .bytes = {}};
    file->bytes = unpacker.unpack(*file, member->limit);
  }
  unpacker.finish();
  std::vector<DataFile> result;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!found[i]) whole.refuse("the archive lacks {}", wanted[i].name);
    result.push_back(std::move(*found[i]));
  }
  return result;
}

}  // namespace cambium
