#include "lab/config/config_reader.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cambium {

Reader::Reader(const ConfigText& given) : given_(given) {
  for (const auto& [key, value] : given) check_name(key, "configuration");
}

std::string Reader::text(const std::string& key, const std::string& otherwise) {
  read_.insert(key);
  const auto found = given_.find(key);
  return found == given_.end() ? otherwise : found->second;
}

std::string Reader::choice(const std::string& key, const std::string& otherwise,
                           const std::vector<std::string>& choices) {
  const std::string value = text(key, otherwise);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  const auto near = nearest(value, choices);
  throw_input_error("{} = {}: {}it is one of {}", key, value,
                    near.empty() ? "" : fmt::format("did you mean {}? ", near), fmt::join(choices, ", "));
}

double Reader::number(const std::string& key, double otherwise, double lowest, double highest) {
  const std::string value = text(key, fmt::format("{}", otherwise));
  double result = 0;
  if (!parse_number(value, result) || !(result >= lowest) || !(result <= highest))
    throw_input_error("{} = {}: it is a number from {} to {}", key, value, lowest, highest);
  return result;
}

std::int32_t Reader::count(const std::string& key, std::int32_t otherwise, std::int32_t highest) {
  const std::string value = text(key, fmt::format("{}", otherwise));
  std::int32_t result = 0;
  if (!parse_number(value, result) || result < 1 || result > highest)
    throw_input_error("{} = {}: it is a whole number from 1 to {}", key, value, highest);
  return result;
}

bool Reader::yes(const std::string& key, bool otherwise) {
  const std::string value = text(key, otherwise ? "yes" : "no");
  if (value == "yes" || value == "true") return true;
  if (value == "no" || value == "false") return false;
  throw_input_error("{} = {}: it is yes or no", key, value);
}

void Reader::refuse_the_rest() const {
  for (const auto& [key, value] : given_)
    if (!read_.contains(key))
      throw_input_error("{} = {}: it has no effect here ({}); leave it out", key, value, fmt::join(choices_, ", "));
}

void Reader::decided(const std::string& key, const std::string& value) { choices_.push_back(key + " " + value); }

}  // namespace cambium
