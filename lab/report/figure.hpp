// The figure of an experiment: its panels, with the results of the cells that are done, drawn by gnuplot.
//
//   FOLDER/NAME.gp    the script: `gnuplot NAME.gp` in FOLDER draws the figure again
//   FOLDER/NAME.dat   the data of the script, one block per line
//   FOLDER/NAME.csv   the same data as a table for other programs
//   FOLDER/NAME.svg   the figure; text and axes take the colour of the surrounding text, for light and dark pages
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/report/plot.hpp"

namespace cambium {

struct Figure {
  std::string name, title;
  std::vector<PlotGroup> groups;

  bool empty() const;
};

// Draws the panels of the experiment file, or default_panels() if it has none.
Figure make_figure(const Experiment& experiment, const std::string& name, std::span<const ShownCell> cells);

// A figure as a gnuplot script and its data.
struct FigureText {
  std::string script, data;
  int width = 0, height = 0;        // pixels
  std::size_t points_left_out = 0;  // points of single seeds, which are omitted if there are too many
};
FigureText figure_text(const Figure& figure);
// CSV with the columns panel, line, x, mean, half_width, seeds.
std::string figure_table(const Figure& figure);

// A figure as an <svg> element of a page.
struct DrawnFigure {
  std::string svg;
  int width = 0;  // pixels, at which its text has the size of the page's text
  std::size_t points_left_out = 0;
};
// Draws figures into a folder with one gnuplot process. Throws EnvironmentError if gnuplot is missing or fails.
std::vector<DrawnFigure> draw(std::span<const Figure> figures, const std::filesystem::path& folder);

}  // namespace cambium
