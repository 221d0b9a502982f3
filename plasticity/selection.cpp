#include "plasticity/selection.hpp"

#include "base/error.hpp"

// The functions that define the rules, each in the file of its name. A new rule is a line here.
#define SELECTION_RULES(RULE) \
  RULE(activation_rule)       \
  RULE(gradient_rule)         \
  RULE(gradmax_rule)          \
  RULE(random_rule)           \
  RULE(magnitude_rule)

namespace cambium {

#define DECLARE_RULE(rule) SelectionRule rule();
SELECTION_RULES(DECLARE_RULE)

const std::vector<SelectionRule>& selection_rules() {
#define CALL_RULE(rule) rule(),
  static const std::vector<SelectionRule> all{SELECTION_RULES(CALL_RULE)};
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
