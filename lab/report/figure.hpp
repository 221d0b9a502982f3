// The figure of an experiment: its panels over the cells that are done, drawn by gnuplot.
//
//   FOLDER/NAME.gp    the script: `gnuplot NAME.gp` in FOLDER draws it again
//   FOLDER/NAME.dat   its data, a block per line; NAME.csv: the same as a table, for other programs
//   FOLDER/NAME.svg   the figure; text and axes have the colour of the text around, so it suits light and dark pages
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

// Of the experiment's panels, or of those that suit it where it has none.
Figure make_figure(const Experiment& experiment, const std::string& name, std::span<const ShownCell> cells);

// A figure as gnuplot wants it, and as a table: panel, line, x, mean, half_width, seeds.
struct FigureText {
  std::string script, data, table;
  int width = 0, height = 0;        // pixels
  std::size_t points_left_out = 0;  // of single seeds, where there are too many to be told apart
};
FigureText figure_text(const Figure& figure);

// A figure as an <svg> element to be put into a page.
struct DrawnFigure {
  std::string svg;
  int width = 0;  // pixels at which its text has the usual size
  std::size_t points_left_out = 0;
};
// Draws figures into a folder, all by one gnuplot. Throws EnvironmentError if gnuplot is missing or fails.
std::vector<DrawnFigure> draw(std::span<const Figure> figures, const std::filesystem::path& folder);

// What gnuplot made, as an element for pages: without fixed black and white, small, and with names of its own.
std::string tidy_svg(std::string svg, const std::string& name, const std::string& title);

}  // namespace cambium
