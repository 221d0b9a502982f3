// Activation: recruits the units that would be active most often. The study's default.
//   score(j) = fraction of the images with phi(z[j]) > tau

#include "plasticity/scores.hpp"

namespace cambium {

SelectionRule activation_rule() {
  return {.name = "activation", .help = "how often a unit would be active", .score = activation_rates};
}

}  // namespace cambium
