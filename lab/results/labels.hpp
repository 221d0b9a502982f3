// Labels for people of configuration keys and their values. Labels of measures: lab/results/measures.hpp.
#pragma once

#include <string>

namespace cambium {

// "growth rule": the label in the schema of keys (lab/config/key.hpp). Also for `variant` and for event, age and epoch,
// the x axes of figures.
std::string key_label(const std::string& key);
// "GROW + Two-Speed", "20 %".
std::string value_label(const std::string& key, const std::string& text);
// The value, with its key if it is a number: "compactness 20 %", "5 cycles", "GROW".
std::string key_value_label(const std::string& key, const std::string& text);

}  // namespace cambium
