// The page and the figure files of a report, from generated results.

#include "lab/report/report.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "lab/report/figure.hpp"
#include "tests/lab/report/made_sweep.hpp"
#include "tests/lab/report/well_formed.hpp"
#include "tests/streams/data/made_files.hpp"

using namespace cambium;
using testing::HasSubstr;
using testing::Not;

namespace {

const std::string grid = R"(
[all]
stream = "fashion-mnist"
epochs = 10
seeds = "1..3"
[[cells]]
method = "dense"
[[cells]]
method = ["grow", "prune"]
compactness = [0.2, 0.5]
)";

class Reports : public testing::Test {
 protected:
  static Experiment experiment(const std::string& text, const std::string& name = "small",
                               const std::string& other = grid) {
    return parse_experiment(text, name + ".toml", name, Scale::full, [&](const std::string&) { return other; });
  }
  SweepFolder sweep() const { return SweepFolder(folder_.path() / "sweep"); }
  std::string report(const ReportOptions& options = {}) const {
    return read_text_file(write_report(folder_.path() / "sweep", options));
  }
  std::string error(const std::string& name, const ReportOptions& options = {}) const {
    try {
      write_report(folder_.path() / name, options);
    } catch (const InputError& wrong) {
      return wrong.what();
    }
    return "no error";
  }
  std::filesystem::path figure(const std::string& file) const {
    return folder_.path() / "sweep" / "report" / "figures" / file;
  }

  TemporaryFolder folder_;
};

void expect_clean(const std::string& html) {
  EXPECT_EQ(not_well_formed(html), "");
  EXPECT_FALSE(std::regex_search(seen_text(html), std::regex("\\b(nan|inf)\\b", std::regex::icase)));
  for (const auto* elsewhere : {"src=\"", "href=\"http", "url(", "@import", "<script"})
    EXPECT_EQ(html.find(elsewhere), std::string::npos) << elsewhere << ": the page is to need nothing from elsewhere";
}

}  // namespace

TEST_F(Reports, ShowCellsFiguresDevicesAndHistories) {
  make_sweep(experiment("title = 'A small one'\n" + grid), sweep());
  const auto html = report();
  expect_clean(html);
  EXPECT_THAT(html, HasSubstr("<h1>A small one</h1>"));
  EXPECT_THAT(html, HasSubstr("5 of 5 cells done"));
  EXPECT_THAT(html, HasSubstr("Made up"));  // the device
  EXPECT_THAT(html, HasSubstr("Structural history"));
  EXPECT_THAT(html, HasSubstr("edit by edit"));
  const auto figures = std::regex("<svg");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), figures), std::sregex_iterator()), 2);
  for (const auto& cell : experiment(grid).cells) EXPECT_THAT(html, HasSubstr("cells/" + cell.name + "/"));
  EXPECT_THAT(html, HasSubstr("cambium sweep " + (folder_.path() / "sweep/experiments/full/small.toml").string()));
}

TEST_F(Reports, ShowMeanAndIntervalOfTheResults) {
  const auto small = experiment(grid);
  make_sweep(small, sweep());
  const auto& cell = small.cells[1];
  std::ifstream file(sweep().cell(cell.name) / "result.json");
  const auto accuracy = nlohmann::json::parse(file).at("accuracy").at("seeds").get<std::vector<double>>();
  ASSERT_EQ(accuracy.size(), 3u);
  const double mean = (accuracy[0] + accuracy[1] + accuracy[2]) / 3;
  double squares = 0;
  for (const double value : accuracy) squares += (value - mean) * (value - mean);
  const double half_width = 4.30265 * std::sqrt(squares / 2 / 3);  // Student's t, 2 degrees of freedom, 0.975
  EXPECT_THAT(report(),
              HasSubstr(fmt::format("{:.2f}<span class=\"pm\"> ± {:.2f}</span>", 100 * mean, 100 * half_width)));
}

TEST_F(Reports, WriteScriptAndDataBesideEveryFigure) {
  make_sweep(experiment(grid), sweep());
  report();
  for (const auto* kind : {"svg", "gp", "dat", "csv"})
    EXPECT_TRUE(std::filesystem::exists(figure("small." + std::string(kind)))) << kind;
  const auto svg = read_text_file(figure("small.svg"));
  EXPECT_EQ(not_well_formed(svg), "");
  EXPECT_NE(svg.find("currentColor"), std::string::npos);
  EXPECT_EQ(svg.find("black"), std::string::npos);
  const auto table = read_text_file(figure("small.csv"));
  EXPECT_THAT(table, HasSubstr("panel,line,x,mean,half_width,seeds\n"));
  EXPECT_THAT(table, HasSubstr("\nTest accuracy,GROW,20,"));
  EXPECT_FALSE(std::filesystem::exists(figure("gnuplot.log")));
}

TEST_F(Reports, ShowSharedCellsOnce) {
  make_sweep(experiment("title = 'Figure 2'\nlike = 'small'\n[[panel]]\ntitle = 'Birth'\nx = 'event'\ny = "
                        "'gradient_log_parity'\nlines = 'method'\n[[panel]]\ntitle = 'Life'\nx = 'epoch'\ny = "
                        "['activation_ratio', 'gradient_ratio']\nwhere = { method = 'grow' }\npanels = 'compactness'\n",
                        "figure-2"),
             sweep());
  const auto html = report();
  expect_clean(html);
  EXPECT_THAT(html, HasSubstr("It shows the cells of"));
  EXPECT_THAT(html, HasSubstr("Birth"));
  EXPECT_THAT(html, HasSubstr("compactness 50 %"));
  EXPECT_TRUE(std::filesystem::exists(figure("figure-2.svg")));
  EXPECT_TRUE(std::filesystem::exists(figure("small.svg")));
}

TEST_F(Reports, EscapeTitlesAndNames) {
  const std::string hostile = "<script>alert(1)</script> & \"q\" `touch pwned`; $(touch pwned) 'x' \\";
  make_sweep(experiment("title = '''" + hostile + "'''\n" + grid + "[[panel]]\ntitle = '''" + hostile +
                            "'''\nx = 'compactness'\ny = 'accuracy'\n",
                        "a 'b' `touch pwned` & <i>"),
             sweep());
  const auto html = report();
  expect_clean(html);
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;"));
  EXPECT_FALSE(std::filesystem::exists(figure("pwned")));
  EXPECT_FALSE(std::filesystem::exists("pwned"));
}

TEST_F(Reports, ListFailedAndUnfinishedCells) {
  const auto small = experiment(grid);
  make_sweep(small, sweep(), {.cells = 3});
  sweep().record(small.cells[3].name, {.exit_code = 3, .log_tail = "the <device> is gone"});
  const auto html = report();
  expect_clean(html);
  EXPECT_THAT(html, HasSubstr("3 of 5 cells done"));
  EXPECT_THAT(html, HasSubstr("1 cell failed"));
  EXPECT_THAT(html, HasSubstr("the &lt;device&gt; is gone"));
  EXPECT_THAT(html, HasSubstr("1 cell not done yet"));
}

TEST_F(Reports, OfASweepWithoutResultsSayThatThereAreNone) {
  sweep().keep(experiment(grid));
  const auto html = report();
  expect_clean(html);
  EXPECT_THAT(html, HasSubstr("There are no results yet"));
}

TEST_F(Reports, ShowOneSeedWithoutAnInterval) {
  make_sweep(
      experiment("[all]\nstream = 'fashion-mnist'\nseeds = '1'\nepochs = 5\n[[cells]]\nmethod = ['dense', 'grow']\n"),
      sweep());
  expect_clean(report());
}

TEST_F(Reports, ShowStreamsAndSelectedKeys) {
  make_sweep(experiment(R"(
[[cells]]
stream = ["permuted-mnist", "split-mnist"]
method = ["dense", "grow"]
[select]
lr = [0.01, 0.001]
[[panel]]
x = "variant"
y = "average"
panels = "stream"
)"),
             sweep());
  const auto html = report();
  expect_clean(html);
  EXPECT_THAT(html, HasSubstr("Permuted MNIST"));
  EXPECT_THAT(html, HasSubstr("learning rate"));
}

TEST_F(Reports, ShowTheHistoryOfTheNamedCells) {
  const auto small = experiment(grid);
  make_sweep(small, sweep());
  const auto html = report({.history = {small.cells[4].name}});
  EXPECT_THAT(html, HasSubstr("PRUNE, Fashion-MNIST, 50 %: edit by edit"));
  EXPECT_THAT(html, Not(HasSubstr("GROW, Fashion-MNIST, 20 %: edit by edit")));
  EXPECT_THAT(error("sweep", {.history = {"nobody"}}), HasSubstr("--history nobody: no cell of that name is done"));
  EXPECT_THAT(error("sweep", {.history = {small.cells[0].name}}), HasSubstr("this run has no edits"));
}

TEST_F(Reports, InsertAdditionalSections) {
  make_sweep(experiment(grid), sweep());
  const auto html = report({.sections = {[](const Experiment& experiment, std::span<const ShownCell> cells) {
                              return fmt::format("<p>{} has {}</p>\n", experiment.name, cells.size());
                            }}});
  EXPECT_THAT(html, HasSubstr("<p>small has 5</p>"));
}

TEST_F(Reports, AreWrittenToTheGivenPath) {
  make_sweep(experiment(grid), sweep());
  const auto out = folder_.path() / "elsewhere" / "page.html";
  const auto html = report({.out = out});
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "elsewhere" / "figures" / "small.svg"));
  EXPECT_THAT(html, HasSubstr("href=\"../sweep/cells/"));
}

TEST_F(Reports, RejectFoldersThatAreNotASweep) {
  EXPECT_THAT(error("nowhere"), HasSubstr("there is no such folder"));
  std::filesystem::create_directories(folder_.path() / "run");
  std::ofstream(folder_.path() / "run" / "config.toml") << "stream = 'mnist'\n";
  EXPECT_THAT(error("run"), HasSubstr("the folder holds a single run"));
  std::filesystem::create_directories(folder_.path() / "other");
  EXPECT_THAT(error("other"), HasSubstr("there is no sweep in this folder"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "other")) << "a report creates no folder";
}

TEST_F(Reports, OmitPointsOfSingleSeedsIfThereAreTooMany) {
  Figure figure{.name = "many", .title = "Many"};
  PlotSeries series{.label = "GROW", .colour = "#1f7fc4", .means = {{{1, 0.5, 0.1, 10}, {2, 0.6, 0.1, 10}}}};
  figure.groups.push_back({.plots = {Plot{.title = "Many", .series = {series}}}});
  EXPECT_EQ(figure_text(figure).points_left_out, 0u);
  for (int i = 0; i < 5000; ++i) figure.groups[0].plots[0].series[0].seeds.emplace_back(1, 0.5);
  const auto text = figure_text(figure);
  EXPECT_EQ(text.points_left_out, 5000u);
  EXPECT_LT(text.data.size(), 1000u);
}

TEST_F(Reports, LimitTheYRangeIfIntervalsAreMuchWiderThanTheDifferencesOfMeans) {
  const auto range = [](double half_width) {
    Figure figure{.name = "range", .title = "Range"};
    PlotSeries series{
        .label = "GROW", .colour = "#1f7fc4", .means = {{{1, 10, half_width, 2}, {2, 20, half_width, 2}}}};
    figure.groups.push_back({.plots = {Plot{.title = "Range", .series = {series}}}});
    const auto script = figure_text(figure).script;
    std::smatch found;
    EXPECT_TRUE(std::regex_search(script, found, std::regex("set yrange \\[(.*):(.*)\\]")));
    return std::pair(std::stod(found[1]), std::stod(found[2]));
  };
  const auto narrow = range(1), wide = range(1000);
  EXPECT_LT(narrow.first, 9);
  EXPECT_GT(narrow.first, 8);
  EXPECT_GT(narrow.second, 21);
  EXPECT_GT(wide.first, 0);
  EXPECT_LT(wide.second, 30);
  EXPECT_GT(wide.second, 24);
}

TEST_F(Reports, QuoteTextsSoThatGnuplotRunsNoCommands) {
  Figure figure{.name = "it's `id`", .title = "x"};
  PlotSeries series{.label = "a'b`id`", .colour = "#1f7fc4", .means = {{{1, 10, 1, 2}}}};
  figure.groups.push_back({.plots = {Plot{.title = "'`id`'\n!id", .series = {series}}},
                           .legend = {{"a'b`id`", "#1f7fc4", 0, PlotSeries::Form::line}}});
  const auto script = figure_text(figure).script;
  EXPECT_THAT(script, HasSubstr("set title '''`id`'' !id' noenhanced"));
  EXPECT_THAT(script, HasSubstr("'a''b`id`'"));
  EXPECT_THAT(script, HasSubstr("set output './it''s `id`.svg'"));
}

TEST_F(Reports, DrawNoBandsForTwoSeeds) {
  const auto script = [](std::size_t seeds) {
    Figure figure{.name = "band", .title = "Band"};
    PlotSeries series{.label = "GROW",
                      .colour = "#1f7fc4",
                      .form = PlotSeries::Form::curve,
                      .means = {{{1, 10, 5, seeds}, {2, 20, 5, seeds}}}};
    figure.groups.push_back({.plots = {Plot{.title = "Band", .series = {series}}}});
    return figure_text(figure).script;
  };
  EXPECT_THAT(script(3), HasSubstr("filledcurves"));
  EXPECT_THAT(script(2), Not(HasSubstr("filledcurves")));
}
