#include "lab/run/task_table.hpp"

#include "lab/results/run_columns.hpp"

namespace cambium {
namespace {

bool fits_bytes(const RunConfig& config) { return config.curriculum.rows() < UINT8_MAX; }

}  // namespace

std::string task_table_header(const Architecture& architecture) {
  auto line = fmt::format("{},seed,phase,task,counts,steps,online_accuracy", run_columns);
  for (std::size_t i = 0; i < early_count; ++i) line += fmt::format(",{}", early_window_name(i));
  line += ",cumulative_accuracy,pooled_accuracy";
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer)
    line += ",active_" + architecture.hidden_name(layer);
  return line + "\n";
}

std::string task_table_rows(const RunConfig& config, const char* phase, std::int32_t task,
                            std::span<const double> online, const TaskEvaluation* examination,
                            const Structure& structure) {
  std::string rows;
  const auto front = format(columns_of(config));
  for (std::size_t r = 0; r < config.seeds.size(); ++r) {
    rows += fmt::format("{},{},{},{},{}", front, config.seeds[r], phase, task + 1, counts(config, task) ? 1 : 0);
    for (const double value : online.subspan(r * OnlineSums::size, OnlineSums::size))
      rows += fmt::format(",{}", table_number(value));
    rows += examination == nullptr
                ? std::string(",,")
                : fmt::format(",{},{}", table_number(examination->cumulative[r]), table_number(examination->pooled[r]));
    for (std::size_t layer = 0; layer < structure.layers(); ++layer)
      rows += fmt::format(",{}", structure.active(layer, static_cast<std::int32_t>(r)));
    rows += "\n";
  }
  return rows;
}

std::string matrix_header() { return fmt::format("{},seed,phase,after_task,on_task,accuracy,images\n", run_columns); }

std::string matrix_rows(const RunConfig& config, const char* phase, std::int32_t task, const TaskEvaluation& examination) {
  std::string rows;
  const auto front = format(columns_of(config));
  const std::size_t tasks = examination.tasks.size();
  for (std::size_t r = 0; r < config.seeds.size(); ++r)
    for (std::size_t k = 0; k < tasks; ++k)
      rows += fmt::format("{},{},{},{},{},{},{}\n", front, config.seeds[r], phase, task + 1, examination.tasks[k] + 1,
                          table_number(examination.accuracy[r * tasks + k]), examination.images[r * tasks + k]);
  return rows;
}

std::string online_header(const RunConfig& config) {
  auto header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                            fits_bytes(config) ? "|u1" : "<u2", config.curriculum.step_numbers(), config.seeds.size());
  // The data begin at a multiple of 64.
  const std::size_t front = 10, length = (front + header.size() + 1 + 63) / 64 * 64 - front;
  header.append(length - 1 - header.size(), ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(length & 0xff));
  bytes.push_back(static_cast<char>(length >> 8));
  bytes.append(header);
  return bytes;
}

std::string online_rows(const RunConfig& config, std::span<const std::int32_t> right) {
  std::string bytes;
  for (const std::int32_t value : right) {
    bytes += static_cast<char>(value < 0 ? 0xff : value & 0xff);
    if (!fits_bytes(config)) bytes += static_cast<char>(value < 0 ? 0xff : value >> 8);
  }
  return bytes;
}

}  // namespace cambium
