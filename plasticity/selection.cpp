#include "plasticity/selection.hpp"

#include "base/error.hpp"

namespace cambium {

const std::vector<SelectionRule>& selection_rules() {
  static const std::vector<SelectionRule> all{activation_rule(), gradient_rule(), gradmax_rule(), random_rule(),
                                              magnitude_rule()};
  return all;
}

std::vector<std::string> selection_rule_names() {
  std::vector<std::string> names;
  for (const auto& rule : selection_rules()) names.push_back(rule.name);
  return names;
}

const SelectionRule& selection_rule(const std::string& name) {
  for (const auto& rule : selection_rules())
    if (rule.name == name) return rule;
  throw_input_error("grow_score = {}: unknown rule; use one of {}", name, fmt::join(selection_rule_names(), ", "));
}

}  // namespace cambium
