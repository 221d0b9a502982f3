// Pieces that the checks of claims are made of: figures that are noted while they are looked at, and what they decide.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>

#include "lab/study/claims.hpp"

namespace cambium {

// The study's levels of compactness.
inline const std::array<std::string, 4> levels{"0.2", "0.3", "0.4", "0.5"};

class Evidence {
 public:
  // Notes a figure, and whether it is as claimed.
  void add(bool as_claimed, const std::string& figure) {
    holds_ = holds_ && as_claimed;
    figures_.push_back(as_claimed ? figure : figure + " (no)");
  }
  void note(const std::string& figure) { figures_.push_back(figure); }

  Ruling ruling() const {
    return {holds_ ? Ruling::Verdict::holds : Ruling::Verdict::fails, fmt::format("{}", fmt::join(figures_, "; "))};
  }

 private:
  bool holds_ = true;
  std::vector<std::string> figures_;
};

// "20 %".
inline std::string percent(const std::string& level) { return fmt::format("{:.0f} %", 100 * std::stod(level)); }

// Of a list of means: does every one lie above, or below, the one before?
inline bool rises(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}
inline bool falls(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::less_equal<>()) == values.end();
}

// A method on a data set, at a level; DENSE has none.
inline CellKeys method_at(const std::string& method, const std::string& level) {
  return {{"method", method}, {"compactness", method == "dense" ? "" : level}};
}
inline CellKeys with(CellKeys keys, const CellKeys& more) {
  keys.insert(more.begin(), more.end());
  return keys;
}

}  // namespace cambium
