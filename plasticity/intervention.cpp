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
  const auto names = intervention_names();
  const auto near = nearest(name, names);
  throw_input_error("intervention = {}: {}use one or several of {}", name,
                    near.empty() ? "" : fmt::format("did you mean {}? ", near), fmt::join(names, ", "));
}

}  // namespace cambium
