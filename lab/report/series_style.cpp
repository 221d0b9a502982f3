#include "lab/report/series_style.hpp"

#include <array>
#include <cmath>
#include <map>

namespace cambium {
namespace {

// After the palettes of Okabe and Ito and of Tol. Their lightness is medium, which is legible on white and on black.
const std::map<std::string, std::string>& known_colours() {
  static const std::map<std::string, std::string> colours{{"dense", "#8a8f98"},
                                                          {"dense+random", "#b0884a"},
                                                          {"grow", "#1f7fc4"},
                                                          {"prune", "#d55e00"},
                                                          {"grow+two_speed", "#d99a00"},
                                                          {"grow+moment_transplant", "#cc79a7"},
                                                          {"grow+net2wider", "#49a9dd"},
                                                          {"grow+gradmax", "#009e73"},
                                                          {"grow+rsl", "#8264d6"},
                                                          {"dense+rsl", "#5f6b7a"},
                                                          {"prune+rsl", "#a8442a"},
                                                          {"relu", "#1f7fc4"},
                                                          {"rsl", "#8264d6"},
                                                          {"activation", "#1f7fc4"},
                                                          {"gradient", "#e07b00"}};
  return colours;
}

constexpr std::array categorical{"#1f7fc4", "#d55e00", "#009e73", "#cc79a7",
                                 "#d99a00", "#8264d6", "#49a9dd", "#8a8f98"};
// A scale from dark to light would be illegible on a dark or on a light background, so the hue varies instead.
constexpr std::array scale{"#7a4fc0", "#3b76d1", "#159aa8", "#3aa655", "#c9a000", "#e0702a"};

}  // namespace

std::string colour_for(const std::string& key, const std::string& text, std::size_t place, std::size_t count,
                       bool ordered) {
  if (key == "variant" || key == "method" || key == "activation" || key == "grow_score")
    if (const auto found = known_colours().find(text); found != known_colours().end()) return found->second;
  if (key == "quantity") {
    const bool gradient = text.find("gradient") != std::string::npos;
    const bool activation = text.find("activation") != std::string::npos;
    if (gradient != activation) return known_colours().at(gradient ? "gradient" : "activation");
  }
  if (!ordered || count < 2) return categorical[place % categorical.size()];
  const auto at = static_cast<double>(place) / static_cast<double>(count - 1) * (scale.size() - 1);
  return scale[static_cast<std::size_t>(std::lround(at))];
}

std::size_t marker_for(const std::string& key, const std::string& text, std::size_t place) {
  static const std::map<std::string, std::size_t> known{
      {"dense", 3},          {"grow", 0},         {"prune", 2},   {"grow+two_speed", 1}, {"grow+moment_transplant", 4},
      {"grow+net2wider", 5}, {"grow+gradmax", 3}, {"grow+rsl", 1}};
  if (key == "variant" || key == "method")
    if (const auto found = known.find(text); found != known.end()) return found->second;
  return place;
}

}  // namespace cambium
