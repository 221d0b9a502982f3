#include "lab/run/tensorboard.hpp"

#include <bit>
#include <boost/crc.hpp>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"

namespace cambium {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// Numbers of fixed size, lowest byte first.
template <class T>
std::string bytes_of(T value) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

// Fields of protocol buffers: a key of number and kind, then the value.
enum Kind { varint_kind = 0, eight_bytes = 1, of_length = 2, four_bytes = 5 };
std::string field(int number, Kind kind, const std::string& value) {
  auto text = varint(static_cast<std::uint64_t>(number << 3 | kind));
  if (kind == of_length) text += varint(value.size());
  return text += value;
}

// CRC-32C, rotated and offset, as the format wants it.
std::string masked_crc(const std::string& bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return bytes_of(static_cast<std::uint32_t>(std::rotr(static_cast<std::uint32_t>(crc.checksum()), 15) + 0xa282ead8u));
}

std::string record_of(const std::string& event) {
  const auto length = bytes_of(static_cast<std::uint64_t>(event.size()));
  return fmt::format("{}{}{}{}", length, masked_crc(length), event, masked_crc(event));
}

}  // namespace

std::string tensorboard_version_record(double wall_time) {
  return record_of(field(1, eight_bytes, bytes_of(wall_time)) + field(3, of_length, "brain.Event:2"));
}

std::string tensorboard_record(double wall_time, std::int64_t step, std::string_view tag, float value) {
  const auto point = field(1, of_length, std::string(tag)) + field(2, four_bytes, bytes_of(value));
  const auto summary = field(1, of_length, point);
  return record_of(field(1, eight_bytes, bytes_of(wall_time)) +
                   field(2, varint_kind, varint(static_cast<std::uint64_t>(step))) + field(5, of_length, summary));
}

TensorBoard::TensorBoard(const std::filesystem::path& run, const std::vector<std::uint32_t>& seeds) {
  for (const std::uint32_t seed : seeds) {
    const auto folder = run / "tensorboard" / fmt::format("seed-{}", seed);
    make_folder(folder);
    File file{folder / "events.out.tfevents.cambium", {}};
    file.stream.open(file.name, std::ios::binary | std::ios::trunc);
    file.stream << tensorboard_version_record(now()) << std::flush;
    if (!file.stream) throw_file_error(file.name, "written", errno);
    files_.push_back(std::move(file));
  }
  std::ifstream metrics(run / "metrics.jsonl");
  for (std::string line; std::getline(metrics, line);) add(line);
}

void TensorBoard::add(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("step")) return;
  const auto phase = json.value("phase", "cycles");
  // The ticket's curves begin at step 0 again, beside those of the cycles.
  const auto step = json.at("step").get<std::int64_t>();
  const double time = now();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto put = [&](const std::string& name, const nlohmann::json& value) {
      if (value.is_number())
        files_[i].stream << tensorboard_record(time, step, fmt::format("{}/{}", phase, name), value.get<float>());
    };
    put("lr", json.value("lr", nlohmann::json()));
    for (const auto* name : {"train_loss", "train_accuracy", "test_loss", "test_accuracy"})
      if (json.contains(name) && json.at(name).size() > i) put(name, json.at(name)[i]);
    if (json.contains("active_units") && json.at("active_units").size() > i)
      for (std::size_t layer = 0; layer < json.at("active_units")[i].size(); ++layer)
        put(fmt::format("active_{}", layer + 1), json.at("active_units")[i][layer]);
    if (!files_[i].stream.flush()) throw_file_error(files_[i].name, "written", errno);
  }
}

}  // namespace cambium
