#include "tests/streams/made_files.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>

namespace {

using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;

void check(archive* writer, int code) {
  if (code != ARCHIVE_OK) throw std::runtime_error(archive_error_string(writer));
}

Bytes write_archive(const std::vector<std::pair<std::string, Bytes>>& members, Packing packing, bool raw) {
  std::size_t room = 1 << 20, used = 0;
  for (const auto& [name, bytes] : members) room += 2 * bytes.size() + 4096;
  Bytes result(room);
  Writer writer(archive_write_new(), archive_write_free);
  if (packing == Packing::gzip) check(writer.get(), archive_write_add_filter_gzip(writer.get()));
  if (packing == Packing::xz) check(writer.get(), archive_write_add_filter_xz(writer.get()));
  check(writer.get(), raw ? archive_write_set_format_raw(writer.get()) : archive_write_set_format_ustar(writer.get()));
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  check(writer.get(), archive_write_open_memory(writer.get(), result.data(), result.size(), &used));
  for (const auto& [name, bytes] : members) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    check(writer.get(), archive_write_header(writer.get(), entry.get()));
    archive_write_data(writer.get(), bytes.data(), bytes.size());
  }
  check(writer.get(), archive_write_close(writer.get()));
  result.resize(used);
  return result;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "cambium-streams-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path& file, const Bytes& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + file.string());
}

Bytes read_whole(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Bytes packed(const Bytes& bytes, Packing packing) {
  return packing == Packing::none ? bytes : write_archive({{"data", bytes}}, packing, true);
}

Bytes tar(const std::vector<std::pair<std::string, Bytes>>& members, Packing packing) {
  return write_archive(members, packing, false);
}

Bytes noise(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

Bytes idx(const std::vector<std::uint32_t>& shape, const Bytes& values) {
  Bytes bytes{0, 0, 8, static_cast<std::uint8_t>(shape.size())};
  for (const auto size : shape)
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(size >> shift));
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

cambium::DataFile as_data_file(Bytes bytes, const std::string& name) {
  return {.shown = name, .data_set = "mnist", .bytes = std::move(bytes)};
}
