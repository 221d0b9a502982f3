// What people call the things that are shown, and the colours that tell them apart.
//
// Names are those of configuration keys, of measures (lab/results/cell_result.hpp), of quantities of parities.csv
// (plasticity/parity.hpp) and of columns of epochs.csv.
#pragma once

#include <string>
#include <vector>

namespace cambium {

// Something that can be measured, and how it is shown.
struct Shown {
  std::string name;    // in files
  std::string words;   // on an axis or over a column: "accuracy"
  double factor = 1;   // shares are shown as percent
  std::string unit{};  // "%", "points"

  std::string label() const { return unit.empty() ? words : words + " (" + unit + ")"; }
};

const std::vector<Shown>& measures_shown();       // of cells
const std::vector<Shown>& quantities_shown();     // of events
const std::vector<Shown>& epoch_columns_shown();  // of epochs
// Null when there is none of that name.
const Shown* find_shown(const std::vector<Shown>& all, const std::string& name);

std::string words_for_measure(const std::string& name);                        // "ticket accuracy"
std::string words_for_key(const std::string& key);                             // "growth rule"
std::string words_for_value(const std::string& key, const std::string& text);  // "GROW + Two-Speed", "20 %"
// Where the key is not told otherwise: "compactness 20 %", "5 cycles", but "GROW" alone.
std::string words_for_pair(const std::string& key, const std::string& text);

// A colour that is told apart by all eyes, on light and on dark ground, "#rrggbb". The same value of a key has the
// same colour everywhere where that can be; other values get theirs by their place among `count`, along a scale if
// they are `ordered`.
std::string colour_for(const std::string& key, const std::string& text, std::size_t place, std::size_t count,
                       bool ordered);

// The number of a shape, which tells apart what colours do not: likewise.
std::size_t marker_for(const std::string& key, const std::string& text, std::size_t place);

}  // namespace cambium
