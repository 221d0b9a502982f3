#include "plasticity/intervention.hpp"

namespace cambium {

const std::vector<Intervention>& interventions() {
  static const std::vector<Intervention> all{net2wider(), moment_transplant(), two_speed()};
  return all;
}

std::vector<std::string> intervention_names() {
  std::vector<std::string> names;
  for (const auto& entry : interventions()) names.push_back(entry.name);
  return names;
}

const Intervention& intervention(const std::string& name) {
  for (const auto& entry : interventions())
    if (entry.name == name) return entry;
  throw_input_error("intervention = {}: there is no such intervention; there are: {}", name,
                    fmt::join(intervention_names(), ", "));
}

}  // namespace cambium
