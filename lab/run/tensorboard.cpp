#include "lab/run/tensorboard.hpp"

#include <bit>
#include <boost/crc.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
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

// CRC-32C, rotated and offset, as the format requires.
std::string masked_crc(const std::string& bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return bytes_of(static_cast<std::uint32_t>(std::rotr(static_cast<std::uint32_t>(crc.checksum()), 15) + 0xa282ead8u));
}

std::string record_of(const std::string& event) {
  const auto length = bytes_of(static_cast<std::uint64_t>(event.size()));
  return fmt::format("{}{}{}{}", length, masked_crc(length), event, masked_crc(event));
}

// A line of metrics.jsonl. A value that is null there is NaN.
EpochRecord record_of_line(const std::string& line, const std::filesystem::path& file) {
  try {
    const auto json = nlohmann::json::parse(line);
    EpochRecord record{.phase = json.at("phase"), .step = json.at("step"), .rate = json.at("lr")};
    const std::size_t seeds = json.at("active_units").size();
    const auto value = [&](const char* name, std::size_t seed) {
      const auto& number = json.at(name).at(seed);
      return number.is_null() ? std::nan("") : number.get<double>();
    };
    for (std::size_t i = 0; i < seeds; ++i)
      record.seeds.push_back({.train_loss = value("train_loss", i),
                              .train_accuracy = value("train_accuracy", i),
                              .test_loss = value("test_loss", i),
                              .test_accuracy = value("test_accuracy", i),
                              .active_units = json.at("active_units").at(i)});
    return record;
  } catch (const nlohmann::json::exception& wrong) {
    throw_input_error("{}: a line is damaged: {}. Start again in another folder.", file.string(), wrong.what());
  }
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
  const auto metrics = run / "metrics.jsonl";
  std::ifstream lines(metrics);
  for (std::string line; std::getline(lines, line);) add(record_of_line(line, metrics));
}

void TensorBoard::add(const EpochRecord& record) {
  // The ticket's curves begin at step 0 again, beside those of the cycles.
  const auto step = static_cast<std::int64_t>(record.step);
  const double time = now();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto put = [&](const std::string& name, double value) {
      if (std::isfinite(value))
        files_[i].stream << tensorboard_record(time, step, fmt::format("{}/{}", record.phase, name),
                                               static_cast<float>(value));
    };
    const EpochRecord::Seed& seed = record.seeds.at(i);
    put("lr", record.rate);
    put("train_loss", seed.train_loss);
    put("train_accuracy", seed.train_accuracy);
    put("test_loss", seed.test_loss);
    put("test_accuracy", seed.test_accuracy);
    for (std::size_t layer = 0; layer < seed.active_units.size(); ++layer)
      put(fmt::format("active_{}", layer + 1), seed.active_units[layer]);
    if (!files_[i].stream.flush()) throw_file_error(files_[i].name, "written", errno);
  }
}

}  // namespace cambium
