// Learning rates over the epochs of a run.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace cambium {

// Constant, or cosine annealing to zero at epoch t_max (and up again after it, like PyTorch's CosineAnnealingLR). The
// rate is constant within an epoch. With `restart_every` > 0 the epochs are counted from 0 again after so many.
struct Schedule {
  enum class Kind { constant, cosine };

  Kind kind = Kind::constant;
  double rate = 0.01;
  std::int32_t t_max = 200;
  std::int32_t restart_every = 0;

  double at(std::int64_t epoch) const {
    if (kind == Kind::constant) return rate;
    if (restart_every > 0) epoch %= restart_every;
    const double progress = static_cast<double>(epoch) / static_cast<double>(t_max);
    return rate * (1.0 + std::cos(std::numbers::pi * progress)) / 2.0;
  }
};

}  // namespace cambium
