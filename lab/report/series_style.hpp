// Colours and markers of the series of a plot.
#pragma once

#include <cstddef>
#include <string>

namespace cambium {

// A colour "#rrggbb" that is legible on light and dark backgrounds and distinguishable with colour blindness. Known
// values of a key (methods, activations) have the same colour in every figure; other values get one by their place
// among `count`, on a scale if they are `ordered`.
std::string colour_for(const std::string& key, const std::string& text, std::size_t place, std::size_t count,
                       bool ordered);

// The number of a marker shape; chosen like the colour.
std::size_t marker_for(const std::string& key, const std::string& text, std::size_t place);

}  // namespace cambium
