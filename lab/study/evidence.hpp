// Building blocks of the checks of claims: evidence that is collected value by value and decides the ruling.
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
  // Adds a value and whether it is as claimed; the claim holds if all are.
  void add(bool as_claimed, const std::string& figure) {
    holds_ = holds_ && as_claimed;
    figures_.push_back(as_claimed ? figure : figure + " (no)");
  }
  // Adds a value that does not decide.
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

// Whether every mean is above, or below, the one before.
inline bool rises(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}
inline bool falls(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::less_equal<>()) == values.end();
}

// The keys of a method at a level of compactness; DENSE has none.
inline CellKeys method_at(const std::string& method, const std::string& level) {
  return {{"method", method}, {"compactness", method == "dense" ? "" : level}};
}
inline CellKeys with(CellKeys keys, const CellKeys& more) {
  keys.insert(more.begin(), more.end());
  return keys;
}

}  // namespace cambium
