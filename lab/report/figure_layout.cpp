#include "lab/report/figure_layout.hpp"

#include <algorithm>
#include <cmath>

namespace cambium {
namespace {

constexpr double label_margin = 84, tick_margin = 46, right_margin = 14, legend_row = 20;

std::vector<Block> blocks_of(const Figure& figure) {
  std::vector<Block> blocks;
  bool single_before = false;
  for (const auto& group : figure.groups) {
    const bool single = group.title.empty() && group.plots.size() == 1;
    bool join = single && single_before;
    if (join)
      for (const auto& entry : group.legend)
        for (const auto& other : blocks.back().legend) join = join && (entry.label != other.label || entry == other);
    single_before = single;
    if (!join) blocks.push_back({group.title, group.same_scale && !single, {}, {}});
    for (const auto& plot : group.plots) blocks.back().plots.push_back(&plot);
    for (const auto& entry : group.legend)
      if (auto& all = blocks.back().legend; std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
  }
  // Consecutive blocks with the same legend show it once.
  for (std::size_t i = blocks.size(); i-- > 1;)
    if (blocks[i].legend == blocks[i - 1].legend) blocks[i].legend.clear();
  return blocks;
}

double longest_category(const Block& block) {
  double longest = 0;
  for (const auto* plot : block.plots)
    for (const auto& name : plot->categories) longest = std::max(longest, pixels_of(name));
  return longest;
}

}  // namespace

FigureLayout::FigureLayout(const Figure& figure) : blocks_(blocks_of(figure)) {
  if (blocks_.size() == 1 && blocks_.front().plots.size() == 1) width_ = 600;
  if (blocks_.size() == 1 && blocks_.front().plots.size() == 2) width_ = 840;
  double height = 6;
  for (const auto& block : blocks_) height += height_of(block);
  height_ = static_cast<int>(std::ceil(height));
}

double FigureLayout::height_of(const Block& block) const {
  const auto rows = (block.plots.size() + columns(block) - 1) / columns(block);
  return title_height(block) + legend_height(block) + static_cast<double>(rows) * row_height(block);
}

double FigureLayout::legend_height(const Block& block) const {
  const auto places = legend_places(block);
  return places.empty() ? 0 : places.back().second + legend_row + 4;
}

double FigureLayout::row_height(const Block& block) const {
  return top_margin(block) + plot_height(block) + bottom_margin(block);
}

std::vector<std::pair<double, double>> FigureLayout::legend_places(const Block& block) const {
  std::vector<std::pair<double, double>> places;
  double x = label_margin, y = 0;
  for (const auto& entry : block.legend) {
    const double width = 54 + pixels_of(entry.label);
    if (x > label_margin && x + width > width_) x = label_margin, y += legend_row;
    places.emplace_back(x, y);
    x += width;
  }
  return places;
}

std::size_t FigureLayout::columns(const Block& block) const {
  const std::size_t count = block.plots.size();
  if (count <= 3) return count;
  if (count == 4) return block.same_scale ? 4 : 2;
  return count <= 6 || count == 9 ? 3 : 4;
}

double FigureLayout::plot_height(const Block& block) const {
  return columns(block) <= 2 ? 230 : columns(block) == 3 ? 200 : 180;
}

double FigureLayout::plot_width(const Block& block) const {
  double margins = 0;
  for (std::size_t i = 0; i < columns(block); ++i) margins += left_margin(block, i) + right_margin;
  return std::min((width_ - margins) / static_cast<double>(columns(block)), 500.0);
}

double FigureLayout::left_margin(const Block& block, std::size_t column) const {
  return labelled(block, column) ? label_margin : tick_margin;
}

double FigureLayout::left_of(const Block& block, std::size_t column) const {
  double left = left_margin(block, column);
  for (std::size_t i = 0; i < column; ++i) left += left_margin(block, i) + plot_width(block) + right_margin;
  return left;
}

double FigureLayout::top_margin(const Block& block) const {
  const bool notes =
      std::any_of(block.plots.begin(), block.plots.end(), [](const Plot* plot) { return !plot->note.empty(); });
  return notes ? 46 : 30;
}

double FigureLayout::bottom_margin(const Block& block) const {
  return slanted(block) ? 18 + 0.6 * longest_category(block) : 50;
}

bool FigureLayout::slanted(const Block& block) const {
  std::size_t count = 1;
  for (const auto* plot : block.plots) count = std::max(count, plot->categories.size());
  return longest_category(block) > plot_width(block) / static_cast<double>(count);
}

double pixels_of(std::string_view text) {
  // Counts UTF-8 characters, not bytes.
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return 6.7 * static_cast<double>(letters);
}

std::vector<std::string> wrapped(std::string text, double pixels) {
  for (const std::string_view sign : {" / ", " − "})
    for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1))
      text.replace(at, sign.size(), "\u00a0" + std::string(sign.substr(1, sign.size() - 2)) + "\u00a0");
  std::vector<std::string> lines{""};
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (!lines.back().empty() && pixels_of(lines.back() + " " + word) > pixels) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

std::string shortened(const std::string& text, double pixels) {
  if (pixels_of(text) <= pixels) return text;
  std::size_t end = text.size();
  // Does not cut a UTF-8 character.
  while (end > 0 &&
         (pixels_of(text.substr(0, end)) + 7 > pixels || (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80))
    --end;
  return text.substr(0, end) + "…";
}

}  // namespace cambium
