// The layout of a figure in pixels: blocks of plots from top to bottom, each with its legend above it, so that legends
// cover no data.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/report/figure.hpp"

namespace cambium {

// Plots that share a legend.
struct Block {
  std::string title;
  bool same_scale = false;
  std::vector<const Plot*> plots;
  std::vector<LegendEntry> legend;
};

class FigureLayout {
 public:
  explicit FigureLayout(const Figure& figure);  // the figure outlives the layout

  const std::vector<Block>& blocks() const { return blocks_; }
  int width() const { return width_; }
  int height() const { return height_; }

  // Heights of a block: its title, its legend and its rows of plots.
  double height_of(const Block& block) const;
  double title_height(const Block& block) const { return block.title.empty() ? 6 : 28; }
  double legend_height(const Block& block) const;
  double row_height(const Block& block) const;
  // Positions of the legend entries: from the left, and from the top of the legend.
  std::vector<std::pair<double, double>> legend_places(const Block& block) const;

  // Sizes of a plot: the area inside its axes and the margins around it.
  std::size_t columns(const Block& block) const;
  double plot_width(const Block& block) const;
  double plot_height(const Block& block) const;
  double left_of(const Block& block, std::size_t column) const;
  double top_margin(const Block& block) const;
  // Whether the plot of a column has a y label. Plots of a group have the same one, so only the first of a row shows
  // it.
  bool labelled(const Block& block, std::size_t column) const { return column == 0 || block.title.empty(); }
  // Whether category names on the x axis are slanted because they would overlap otherwise.
  bool slanted(const Block& block) const;

 private:
  double bottom_margin(const Block& block) const;
  double left_margin(const Block& block, std::size_t column) const;

  std::vector<Block> blocks_;
  int width_ = 960, height_ = 0;
};

// The approximate width of a text in the font of figures.
double pixels_of(std::string_view text);
// The text in lines of at most so many pixels, without breaks around " / " and " − "; or cut, with an ellipsis.
std::vector<std::string> wrapped(std::string text, double pixels);
std::string shortened(const std::string& text, double pixels);

}  // namespace cambium
