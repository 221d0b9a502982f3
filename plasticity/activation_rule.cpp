// Activation: units that would often be active are recruited first. The study's default.
//   score(j) = share of the images with phi(z[j]) > tau

#include "plasticity/scores.hpp"

namespace cambium {

SelectionRule activation_rule() {
  return {.name = "activation", .help = "how often a unit would be active", .score = activation_rates};
}

}  // namespace cambium
