// Where everything in a figure stands, in pixels: blocks of plots one below the other, each with its key above it, so
// that no key covers data.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/report/figure.hpp"

namespace cambium {

// Plots that stand together, under one key.
struct Block {
  std::string title;
  bool same_scale = false;
  std::vector<const Plot*> plots;
  std::vector<LegendEntry> legend;
};

class FigureLayout {
 public:
  explicit FigureLayout(const Figure& figure);  // which outlives it

  const std::vector<Block>& blocks() const { return blocks_; }
  int width() const { return width_; }
  int height() const { return height_; }

  // Of a block: its title, its key, rows of plots.
  double height_of(const Block& block) const;
  double title_height(const Block& block) const { return block.title.empty() ? 6 : 28; }
  double key_height(const Block& block) const;
  double row_height(const Block& block) const;
  // Where entries of the key stand: pixels from the left, and from the top of the key.
  std::vector<std::pair<double, double>> key_places(const Block& block) const;

  // Of a plot: what its axes enclose, and the margins around that.
  std::size_t columns(const Block& block) const;
  double plot_width(const Block& block) const;
  double plot_height(const Block& block) const;
  double left_of(const Block& block, std::size_t column) const;
  double top_margin(const Block& block) const;
  // Plots of a group measure the same: only the first of a row says what.
  bool labelled(const Block& block, std::size_t column) const { return column == 0 || block.title.empty(); }
  // Whether names on the x axis must be, in order not to overlap.
  bool slanted(const Block& block) const;

 private:
  double bottom_margin(const Block& block) const;
  double left_margin(const Block& block, std::size_t column) const;

  std::vector<Block> blocks_;
  int width_ = 960, height_ = 0;
};

// The width of text in the font of figures, about.
double pixels_of(std::string_view text);
// Text that is too wide for so many pixels, in lines, where what is compared stays together; or cut, with an ellipsis.
std::vector<std::string> wrapped(std::string text, double pixels);
std::string shortened(const std::string& text, double pixels);

}  // namespace cambium
