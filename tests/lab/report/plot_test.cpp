// The numbers of figures, from known results.

#include "lab/report/plot.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/results/cohort_table.hpp"
#include "lab/results/epoch_table.hpp"
#include "tests/streams/data/made_files.hpp"

using namespace cambium;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pair;

namespace {

// Cells with results that the test sets.
class Plots : public testing::Test {
 protected:
  void use(const std::string& cells, const std::string& panel) {
    experiment_ = parse_experiment(
        "[all]\nstream = 'fashion-mnist'\nseeds = '1..2'\nepochs = 6\ncycles = 3\n" + cells + "[[panel]]\n" + panel,
        "test.toml", "test", Scale::full, [](const std::string&) { return ""; });
  }
  // Sets the values of both seeds for the cell in that place.
  void give(std::size_t place, const std::string& measure, double first, double second) {
    auto& result = results_[place];
    result.seeds = {1, 2};
    result.measures[measure] = {first, second};
  }
  std::filesystem::path folder(std::size_t place) const {
    const auto path = folder_.path() / experiment_.cells.at(place).name;
    std::filesystem::create_directories(path);
    return path;
  }
  PlotGroup plots() {
    cells_.clear();
    for (const auto& [place, result] : results_) {
      const auto& cell = experiment_.cells.at(place);
      cells_.push_back({&cell, &result, folder(place), keys_of(cell.config)});
    }
    const auto panels = read_panels(experiment_);
    CellTables tables(panels);
    return make_plots(panels.front(), cells_, tables, experiment_.selected_key);
  }

  TemporaryFolder folder_;
  Experiment experiment_;
  std::map<std::size_t, CellResult> results_;
  std::vector<ShownCell> cells_;
};

const PlotSeries& series(const Plot& plot, const std::string& label) {
  for (const auto& each : plot.series)
    if (each.label == label) return each;
  throw std::out_of_range(label);
}

}  // namespace

TEST_F(Plots, OverAKeyShowMeansIntervalsAndSeeds) {
  use("[[cells]]\nmethod = 'dense'\n[[cells]]\nmethod = 'grow'\ncompactness = [0.5, 0.2]\n",
      "x = 'compactness'\ny = 'accuracy'\n");
  give(0, "accuracy", 0.8, 0.82);
  give(1, "accuracy", 0.7, 0.72);  // 50 %
  give(2, "accuracy", 0.6, 0.64);
  const auto group = plots();
  ASSERT_EQ(group.plots.size(), 1u);
  const auto& plot = group.plots[0];
  EXPECT_EQ(plot.x_label, "compactness (%)");
  EXPECT_EQ(plot.y_label, "accuracy (%)");
  const auto& grow = series(plot, "GROW");
  ASSERT_EQ(grow.means.size(), 1u);
  ASSERT_EQ(grow.means[0].size(), 2u);
  EXPECT_EQ(grow.means[0][0].x, 20);
  EXPECT_NEAR(grow.means[0][0].mean, 62, 1e-9);
  // Two values, 60 and 64: t(0.975, 1) = 12.706, deviation 2.8284, over the root of 2.
  EXPECT_NEAR(grow.means[0][0].half_width, 12.7062 * 2, 1e-3);
  EXPECT_EQ(grow.means[0][1].x, 50);
  EXPECT_NEAR(grow.means[0][1].mean, 71, 1e-9);
  EXPECT_EQ(grow.seeds.size(), 4u);
  EXPECT_THAT(grow.seeds[1], Pair(20, DoubleNear(64, 1e-9)));
  // DENSE has no compactness.
  EXPECT_EQ(series(plot, "DENSE").form, PlotSeries::Form::level);
  EXPECT_NEAR(series(plot, "DENSE").means[0][0].mean, 81, 1e-9);
}

TEST_F(Plots, AverageCellsAtTheSamePointSeedBySeed) {
  use("[[cells]]\nmethod = 'grow'\ncompactness = [0.2, 0.5]\n", "x = 'method'\ny = 'accuracy'\n");
  give(0, "accuracy", 0.1, 0.5);
  give(1, "accuracy", 0.3, 0.3);
  const auto group = plots();
  EXPECT_THAT(group.plots[0].categories, ElementsAre("GROW"));
  const auto& point = group.plots[0].series[0].means[0][0];
  EXPECT_NEAR(point.mean, 30, 1e-9);
  EXPECT_EQ(point.seeds, 2u);
  // The seeds' means are 20 and 40.
  EXPECT_NEAR(point.half_width, 12.7062 * 10, 1e-2);
  EXPECT_TRUE(group.legend.empty()) << "the categories of the axis name every series";
}

TEST_F(Plots, ShowOnlyMatchingCellsWithAPlotForEveryValue) {
  use("[[cells]]\nmethod = 'dense'\n[[cells]]\nmethod = ['grow', 'prune']\ncompactness = [0.2, 0.5]\n",
      "where = { method = ['dense', 'grow'] }\nx = 'method'\ny = 'accuracy'\npanels = 'compactness'\n");
  for (std::size_t i = 0; i < 5; ++i) give(i, "accuracy", 0.5, 0.5);
  const auto group = plots();
  ASSERT_EQ(group.plots.size(), 2u);
  EXPECT_EQ(group.plots[0].title, "compactness 20 %");
  EXPECT_EQ(group.plots[1].title, "compactness 50 %");
  // A cell without compactness is in every plot.
  for (const auto& plot : group.plots) {
    EXPECT_EQ(plot.series.size(), 2u);
    EXPECT_NO_THROW(series(plot, "DENSE"));
    EXPECT_NO_THROW(series(plot, "GROW"));
  }
}

TEST_F(Plots, SubtractTheMatchingCellSeedBySeed) {
  use("[[cells]]\nmethod = 'grow'\nactivation = ['relu', 'rsl']\ncompactness = [0.2, 0.5]\n",
      "x = 'compactness'\ny = 'accuracy'\nlines = 'method'\nminus = { activation = 'relu' }\n");
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& config = experiment_.cells[i].config;
    const bool rsl = config.activation.kind == Activation::Kind::rsl;
    const double more = config.compactness == 0.2 ? 0.1 : 0.3;
    give(i, "accuracy", rsl ? 0.5 + more : 0.5, rsl ? 0.2 + more : 0.2);
  }
  const auto group = plots();
  ASSERT_EQ(group.plots[0].series.size(), 1u);
  EXPECT_EQ(group.plots[0].y_label, "accuracy: RSL − ReLU (points)");
  const auto& means = group.plots[0].series[0].means[0];
  ASSERT_EQ(means.size(), 2u);
  EXPECT_NEAR(means[0].mean, 10, 1e-9);
  EXPECT_NEAR(means[0].half_width, 0, 1e-9);
  EXPECT_NEAR(means[1].mean, 30, 1e-9);
}

TEST_F(Plots, OfTwoMeasuresHaveAPointPerSeedAndAMeanPerLine) {
  use("[[cells]]\nmethod = ['grow', 'prune']\ncompactness = [0.2, 0.5]\n",
      "x = 'parity.event_gradient_log_parity'\ny = 'taa'\nspearman = true\n");
  const double xs[] = {-2, 1, -1, 2}, ys[] = {0.1, 0.3, 0.2, 0.4};  // grow, prune, grow, prune
  for (std::size_t i = 0; i < 4; ++i) {
    give(i, "parity.event_gradient_log_parity", xs[i] - 0.5, xs[i] + 0.5);
    give(i, "taa", ys[i], ys[i]);
  }
  results_[0].measures["taa"][1] = NAN;
  const auto group = plots();
  const auto& grow = series(group.plots[0], "GROW");
  EXPECT_EQ(grow.seeds.size(), 3u) << "a seed without a value has no point";
  EXPECT_NEAR(grow.means[0][0].x, (-2.5 + -1) / 2, 1e-9);
  EXPECT_NEAR(grow.means[0][0].mean, 15, 1e-9);
  EXPECT_EQ(group.plots[0].note, "Spearman 1.00 over 4 cells");
}

TEST_F(Plots, OfEventsUseTheTimePointThatTheQuantityDescribes) {
  use("[[cells]]\nmethod = ['grow', 'prune']\ncompactness = 0.2\n", "x = 'event'\ny = 'gradient_log_parity'\n");
  for (std::size_t i = 0; i < 2; ++i) {
    give(i, "accuracy", 0.5, 0.5);
    std::ofstream file(folder(i) / "parities.csv");
    file << parity_header();
    for (const std::uint32_t seed : {1u, 2u})
      for (const std::int32_t event : {1, 2})
        for (const auto point : {TimePoint::exit, TimePoint::post, TimePoint::end})
          file << format(columns_of(experiment_.cells[i].config),
                         ParityRow{seed,
                                   event,
                                   "all",
                                   "gradient_log_parity",
                                   1,
                                   {point, 0, 0},
                                   100.0 * static_cast<int>(point) + 10 * event + seed});
  }
  const auto group = plots();
  const auto values = [&](const std::string& label) {
    std::vector<double> means;
    for (const auto& point : series(group.plots[0], label).means[0]) means.push_back(point.mean);
    return means;
  };
  EXPECT_THAT(values("GROW"), ElementsAre(211.5, 221.5)) << "post";
  EXPECT_THAT(values("PRUNE"), ElementsAre(11.5, 21.5)) << "exit";
}

TEST_F(Plots, OverAgesAverageEventsAndOverEpochsHaveASegmentPerEvent) {
  const auto cells = "[[cells]]\nmethod = 'grow'\ncompactness = 0.2\n";
  const auto write = [&] {
    give(0, "accuracy", 0.5, 0.5);
    std::ofstream file(folder(0) / "parities.csv");
    file << parity_header();
    for (const std::uint32_t seed : {1u, 2u})
      for (const std::int32_t event : {1, 2})
        for (const std::int32_t age : {0, 1, 2})
          file << format(columns_of(experiment_.cells[0].config), ParityRow{seed,
                                                                            event,
                                                                            "all",
                                                                            "gradient_ratio",
                                                                            1,
                                                                            {age == 0   ? TimePoint::post
                                                                             : age == 2 ? TimePoint::end
                                                                                        : TimePoint::age,
                                                                             age, static_cast<double>(age)},
                                                                            event + 0.1 * age});
  };
  use(cells, "x = 'age'\ny = 'gradient_ratio'\n");
  write();
  auto group = plots();
  ASSERT_EQ(group.plots[0].series[0].means.size(), 1u);
  ASSERT_EQ(group.plots[0].series[0].means[0].size(), 3u);
  EXPECT_NEAR(group.plots[0].series[0].means[0][2].mean, 1.7, 1e-9) << "of 1.2 and 2.2";

  use(cells, "x = 'epoch'\ny = 'gradient_ratio'\n");
  write();
  group = plots();
  const auto& segments = group.plots[0].series[0].means;
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].front().x, 2) << "the first of three cycles ends after 2 of 6 epochs";
  EXPECT_EQ(segments[1].front().x, 4);
  EXPECT_EQ(segments[1].back().x, 6);
  EXPECT_NEAR(segments[1].back().mean, 2.2, 1e-9);
}

TEST_F(Plots, OverEpochsReadTheTableOfEpochs) {
  use("[[cells]]\nmethod = 'dense'\n", "x = 'epoch'\ny = 'test_accuracy'\n");
  give(0, "accuracy", 0.5, 0.5);
  const auto& config = experiment_.cells[0].config;
  std::ofstream file(folder(0) / "epochs.csv");
  file << epoch_table_header(architecture_of(config));
  for (const std::int32_t period : {1, 2}) {
    EpochRecord record{.phase = "cycles", .period = period};
    record.seeds = {{1, 0.1, 1, 0.1 * period, {256, 256}}, {1, 0.1, 1, 0.3 * period, {256, 256}}};
    file << epoch_table_rows(record, config);
  }
  file.close();
  const auto group = plots();
  const auto& curve = group.plots[0].series[0].means[0];
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_NEAR(curve[0].mean, 20, 1e-9);
  EXPECT_NEAR(curve[1].mean, 40, 1e-9);
}

TEST_F(Plots, AreOmittedIfTheyHaveNoValues) {
  use("[[cells]]\nmethod = ['grow', 'prune']\ncompactness = [0.2, 0.5]\n", "x = 'compactness'\ny = 'forgetting'\n");
  give(0, "accuracy", 0.5, 0.5);
  EXPECT_TRUE(plots().plots.empty());
}
