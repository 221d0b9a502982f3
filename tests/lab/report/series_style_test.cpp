// Colours of the series of a plot.

#include "lab/report/series_style.hpp"

#include <gmock/gmock.h>

#include <set>
#include <vector>

using namespace cambium;

TEST(SeriesStyle, GivesEachMethodOfTheStudyItsOwnFixedColour) {
  std::set<std::string> colours;
  const std::vector<std::string> variants{"dense",          "grow",        "prune",
                                          "grow+two_speed", "grow+rsl",    "grow+moment_transplant",
                                          "grow+net2wider", "grow+gradmax"};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto colour = colour_for("variant", variants[i], i, variants.size(), false);
    EXPECT_EQ(colour, colour_for("variant", variants[i], 0, 1, true));
    colours.insert(colour);
  }
  EXPECT_EQ(colours.size(), variants.size());
}
