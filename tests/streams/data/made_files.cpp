#include "tests/streams/data/made_files.hpp"

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

// An instruction of a pickle with a number of `bytes` bytes.
std::string instruction(char name, std::size_t value, int bytes) {
  std::string text(1, name);
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string short_text(const std::string& text) { return instruction('U', text.size(), 1) + text; }

std::string list(const std::vector<std::uint16_t>& values) {
  std::string text = "](";
  for (const auto value : values) text += value < 256 ? instruction('K', value, 1) : instruction('M', value, 2);
  return text + "e";
}

// An array as NumPy pickles it: a function call, then a state of version, shape, type, order and bytes.
std::string array(const std::string& function, const std::string& shape, const std::string& element,
                  const std::string& order, const std::string& by_columns, const Bytes& bytes) {
  const std::string null(1, '\0'), unset = instruction('J', 0xffffffff, 4);
  return function + "q\x06" + "cnumpy\nndarray\nq\x07K" + null + "\x85q\x08U\x01" + "b\x87q\x09Rq\x0a" + "(K\x01" +
         shape + "cnumpy\ndtype\n" + short_text(element) + "K" + null + "K\x01\x87Rq\x0b(K\x03" + short_text(order) +
         "NNN" + unset + unset + "K" + null + "tb" + by_columns + instruction('T', bytes.size(), 4) +
         std::string(bytes.begin(), bytes.end()) + "tb";
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

std::string MadeBatch::text() const {
  const auto shape = instruction('M', count, 2) + instruction('M', width, 2) + "\x86";
  std::string text = "\x80\x02}q\x01(";
  text += short_text("batch_label") + "q\x02" + short_text("training batch 1 of 5") + "q\x03" + short_text(key) +
          "q\x04" + list(labels) + short_text("data") + array(function, shape, element, "|", by_columns, pixels);
  if (mean)
    text +=
        short_text("mean") + array(function, instruction('M', 3072, 2) + "\x85", "f8", "<", "\x89", noise(8 * 3072));
  return text + short_text("filenames") + "](" + short_text("a.png") + "h\x03" + "eu.";
}

Bytes MadeBatch::bytes() const {
  const auto content = text();
  return {content.begin(), content.end()};
}

Bytes npy_with_header(const std::string& header, const Bytes& values) {
  Bytes bytes{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  for (const int shift : {0, 8}) bytes.push_back(static_cast<std::uint8_t>(header.size() >> shift));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

Bytes npy(const std::vector<std::size_t>& shape, const Bytes& values, const std::string& type) {
  std::string sizes;
  for (const auto size : shape) sizes += std::to_string(size) + ", ";
  auto header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  header.resize((10 + header.size()) / 64 * 64 + 64 - 11, ' ');
  return npy_with_header(header + "\n", values);
}

cambium::DataFile as_data_file(Bytes bytes, const std::string& name, const std::string& data_set) {
  return {.shown = name, .data_set = data_set, .bytes = std::move(bytes)};
}
