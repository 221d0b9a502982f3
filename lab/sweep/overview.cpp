#include "lab/sweep/overview.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/duration.hpp"
#include "base/terminal.hpp"
#include "lab/sweep/cost.hpp"

namespace cambium {
namespace {

constexpr double redraw_seconds = 0.5;
constexpr std::size_t most_lines = 8;  // of running cells
constexpr std::streamoff longest_line = 1 << 20;

// The last whole line of a file that is being written.
std::string last_line(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  const std::streamoff size = stream.tellg(), from = std::max<std::streamoff>(0, size - longest_line);
  std::string text(static_cast<std::size_t>(size - from), '\0');
  stream.seekg(from);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos || end == 0) return {};
  const std::size_t begin = text.rfind('\n', end - 1);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1));
}

}  // namespace

Overview::Overview(const Experiment& experiment, const SweepFolder& folder, std::vector<std::size_t> cells, bool quiet)
    : experiment_(experiment),
      folder_(folder),
      cells_(std::move(cells)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()) {
  for (const std::size_t cell : cells_) {
    states_[cell] = State::waiting;
    total_weight_ += weights_[cell] = work_of(experiment_.cells[cell].config).weight();
  }
}

Overview::~Overview() { clear(); }

std::size_t Overview::count(State state) const {
  return static_cast<std::size_t>(
      std::count_if(states_.begin(), states_.end(), [&](const auto& entry) { return entry.second == state; }));
}

std::string Overview::name(std::size_t cell) const {
  const auto& name = experiment_.cells[cell].name;
  return fmt::format("{} {}", cell + 1, name.empty() ? "(open)" : name);
}

void Overview::set(std::size_t cell, State state, const std::string& note) {
  State& known = states_.at(cell);
  if (known == state) return;
  known = state;
  if (quiet_ || note.empty()) return;
  clear();
  fmt::print(stderr, "{}: {}  ({} of {} done)\n", name(cell), note, count(State::done), cells_.size());
}

double Overview::share_done(std::size_t cell) const {
  switch (states_.at(cell)) {
    case State::done:
      return 1;
    case State::waiting:
    case State::lost:
    case State::failed:
      return 0;
    default:
      break;
  }
  const auto& own = experiment_.cells[cell];
  if (own.open()) return 0;
  const auto line = nlohmann::json::parse(last_line(folder_.cell(own.name) / "metrics.jsonl"), nullptr, false);
  if (!line.is_object() || !line.contains("epoch") || !line["epoch"].is_number()) return 0;
  const double phase = line["epoch"].get<double>() / own.config.periods();
  if (!own.config.ticket) return phase;
  return line.value("phase", "") == "ticket" ? 0.5 + 0.5 * phase : 0.5 * phase;
}

double Overview::weight_done() const {
  double sum = 0;
  for (const std::size_t cell : cells_) sum += weights_.at(cell) * share_done(cell);
  return sum;
}

std::string Overview::time_left() const {
  const double now = weight_done(), seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  double failed = 0;
  for (const std::size_t cell : cells_)
    if (const State state = states_.at(cell); state == State::failed || state == State::lost)
      failed += weights_.at(cell);
  if (now <= weight_before_ || seconds < 1) return {};
  const double left = (total_weight_ - failed - now) / (now - weight_before_) * seconds;
  return fmt::format(", about {} left", duration_text(left));
}

void Overview::show() {
  if (weight_before_ < 0) weight_before_ = weight_done();
  if (quiet_ || !terminal_) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_shown_).count() < redraw_seconds) return;
  last_shown_ = now;
  clear();
  const std::size_t width = terminal_width(STDERR_FILENO, 80);
  auto text = fmt::format("{} of {} cells done", count(State::done), cells_.size());
  for (const auto& [state, name] :
       {std::pair(State::failed, "failed"), std::pair(State::lost, "lost"), std::pair(State::running, "running"),
        std::pair(State::queued, "queued"), std::pair(State::elsewhere, "elsewhere")})
    if (const auto cells = count(state); cells > 0) text += fmt::format(", {} {}", cells, name);
  text += time_left();
  std::vector<std::string> lines;
  const double share = total_weight_ > 0 ? weight_done() / total_weight_ : 1;
  if (width > text.size() + 14) {
    const std::size_t bar = std::min<std::size_t>(width - text.size() - 4, 40);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
    text = fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(bar - filled, '.'), text);
  }
  lines.push_back(text);
  for (const std::size_t cell : cells_)
    if (const State state = states_.at(cell);
        (state == State::running || state == State::elsewhere) && lines.size() <= most_lines)
      lines.push_back(fmt::format("  {:3.0f} %  {}{}", 100 * share_done(cell), name(cell),
                                  state == State::elsewhere ? "  (by another process)" : ""));
  for (const auto& line : lines) fmt::print(stderr, "{}\n", line.substr(0, width - 1));
  std::fflush(stderr);
  lines_drawn_ = lines.size();
}

void Overview::clear() {
  for (; lines_drawn_ > 0; --lines_drawn_) fmt::print(stderr, "\x1b[1A\x1b[2K");
  std::fflush(stderr);
}

}  // namespace cambium
