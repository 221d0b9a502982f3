#include "lab/run/progress.hpp"

#include "base/duration.hpp"
#include "base/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace cambium {
namespace {

constexpr double redraw_seconds = 0.1, line_seconds = 30, window_seconds = 5;

double between(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

Progress::Progress(std::uint64_t total, std::uint64_t done, bool quiet)
    : total_(total),
      started_at_(done),
      done_(done),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_shown_(start_),
      window_start_(start_),
      window_done_(done) {}

Progress::~Progress() { clear(); }

double Progress::seconds() const { return between(start_, Clock::now()); }

double Progress::steps_per_second() const {
  if (rate_ > 0) return rate_;
  return static_cast<double>(done_ - started_at_) / std::max(seconds(), 1e-9);
}

void Progress::show(std::uint64_t done, const std::string& state) {
  done_ = done;
  const auto now = Clock::now();
  if (between(window_start_, now) >= window_seconds) {
    rate_ = static_cast<double>(done - window_done_) / between(window_start_, now);
    window_start_ = now;
    window_done_ = done;
  }
  if (quiet_ || between(last_shown_, now) < (terminal_ ? redraw_seconds : line_seconds)) return;
  last_shown_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(total_, 1));
  const double left = static_cast<double>(total_ - done) / std::max(steps_per_second(), 1e-9);
  const auto numbers =
      fmt::format("{:3.0f}%  {}  {:.0f} steps/s  {} left", 100 * share, state, steps_per_second(), duration_text(left));
  if (!terminal_) {
    fmt::print(stderr, "{}\n", numbers);
    return;
  }
  const std::size_t width = terminal_width(STDERR_FILENO, 80);
  std::string line;
  if (width > numbers.size() + 12) {
    const std::size_t bar = std::min<std::size_t>(width - numbers.size() - 4, 40);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
    line = fmt::format("[{}{}] ", std::string(filled, '#'), std::string(bar - filled, '.'));
  }
  line += numbers;
  fmt::print(stderr, "\r\x1b[K{}", line.substr(0, width - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace cambium
