// The reader of [[panel]] tables.

#include "lab/report/panel.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

using namespace cambium;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string grid = R"(
title = "A small one"
[all]
stream = "fashion-mnist"
[[cells]]
method = "dense"
[[cells]]
method = ["grow", "prune"]
compactness = [0.2, 0.5]
)";

Experiment experiment(const std::string& more) {
  return parse_experiment(grid + more, "small.toml", "small", Scale::full, [](const std::string&) { return ""; });
}

std::vector<Panel> panels(const std::string& keys) { return read_panels(experiment("[[panel]]\n" + keys)); }

std::string error_of(const std::string& keys) {
  try {
    panels(keys);
  } catch (const InputError& wrong) {
    return wrong.what();
  }
  return "no error";
}

}  // namespace

TEST(Panels, AreReadWithTheirDefaults) {
  const auto read = panels("title = 'ACC'\nx = 'compactness'\ny = 'accuracy'\n");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].title, "ACC");
  EXPECT_EQ(read[0].kind, Panel::Kind::over_key);
  EXPECT_THAT(read[0].y, ElementsAre("accuracy"));
  EXPECT_EQ(read[0].lines, "variant");
  EXPECT_TRUE(read[0].panels.empty());
}

TEST(Panels, HaveAKindThatFollowsFromX) {
  const auto kind = [](const std::string& x, const std::string& y) {
    return panels("x = '" + x + "'\ny = '" + y + "'\n").front().kind;
  };
  EXPECT_EQ(kind("event", "gradient_log_parity"), Panel::Kind::over_events);
  EXPECT_EQ(kind("age", "gradient_ratio"), Panel::Kind::over_ages);
  EXPECT_EQ(kind("epoch", "gradient_ratio"), Panel::Kind::over_epochs);
  EXPECT_EQ(kind("epoch", "test_accuracy"), Panel::Kind::over_epochs);
  EXPECT_EQ(kind("parity.event_gradient_log_parity", "taa"), Panel::Kind::cells);
  EXPECT_EQ(kind("activation_log_parity", "gradient_log_parity"), Panel::Kind::events);
}

TEST(Panels, HaveFiltersTimePointsAndReferences) {
  const auto read = panels(
      "where = { method = ['grow', 'prune'], compactness = 0.2 }\nx = 'event'\ny = 'activation_ratio'\nat = 'end'\n"
      "lines = 'compactness'\nreference = 1\n");
  EXPECT_THAT(read[0].where.at("method"), ElementsAre("grow", "prune"));
  EXPECT_THAT(read[0].where.at("compactness"), ElementsAre("0.2"));
  EXPECT_EQ(read[0].at, TimePoint::end);
  EXPECT_EQ(read[0].lines, "compactness");
  EXPECT_EQ(read[0].reference, 1.0);
}

TEST(Panels, WithAListOfYHaveOneLinePerName) {
  EXPECT_EQ(panels("x = 'epoch'\ny = ['activation_ratio', 'gradient_ratio']\n")[0].lines, "quantity");
  EXPECT_THAT(error_of("x = 'epoch'\ny = ['activation_ratio', 'gradient_ratio']\nlines = 'method'\n"),
              HasSubstr("lines = \"quantity\""));
}

TEST(Panels, ErrorsNameTheLineAndTheNearestName) {
  EXPECT_THAT(error_of("xx = 'compactness'\ny = 'accuracy'\n"),
              AllOf(HasSubstr("small.toml line 11:"), HasSubstr("unknown key 'xx' of a panel. Did you mean x?")));
  EXPECT_THAT(error_of("x = 'compactness'\ny = 'acuracy'\n"),
              AllOf(HasSubstr("small.toml line 12:"), HasSubstr("Did you mean accuracy?")));
  EXPECT_THAT(error_of("x = 'compactnes'\ny = 'accuracy'\n"), HasSubstr("Did you mean compactness?"));
  EXPECT_THAT(error_of("x = 'event'\ny = 'accuracy'\n"), HasSubstr("with x = event, y must be a quantity of events"));
  EXPECT_THAT(error_of("x = 'compactness'\ny = 'accuracy'\nlines = 'methd'\n"), HasSubstr("Did you mean method?"));
  EXPECT_THAT(error_of("x = 'compactness'\ny = 'accuracy'\npanels = 'colour'\n"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(error_of("x = 'compactness'\ny = 'accuracy'\nwhere = { methd = 'grow' }\n"),
              HasSubstr("Did you mean method?"));
  EXPECT_THAT(error_of("x = 'compactness'\ny = 'accuracy'\nwhere = { method = 'gorw' }\n"),
              HasSubstr("no cell has method = gorw. Its values are dense, grow, prune."));
  EXPECT_THAT(error_of("x = 'event'\ny = 'gradient_ratio'\nat = 'later'\n"), HasSubstr("Choose exit, post_mask"));
  EXPECT_THAT(error_of("x = 'compactness'\ny = 'accuracy'\nat = 'post'\n"),
              HasSubstr("at names a time point of events"));
  EXPECT_THAT(error_of("y = 'accuracy'\n"), HasSubstr("the panel needs x"));
  EXPECT_THAT(error_of("x = 'lr'\n"), HasSubstr("the panel needs y"));
  EXPECT_THAT(error_of("x = 'lr'\ny = 'accuracy'\nreference = 'one'\n"), HasSubstr("reference is a number"));
  EXPECT_THAT(error_of("x = 'event'\ny = 'gradient_ratio'\nminus = { method = 'grow' }\n"),
              HasSubstr("minus needs a key"));
  EXPECT_THAT(error_of("x = 'lr'\ny = 'accuracy'\nspearman = true\n"), HasSubstr("measures on both axes"));
}

TEST(Panels, DefaultToAccuracyAndTicketAccuracy) {
  const auto defaults = default_panels(experiment(""));
  ASSERT_EQ(defaults.size(), 2u);
  EXPECT_EQ(defaults[0].x, "compactness");
  EXPECT_THAT(defaults[0].y, ElementsAre("accuracy"));
  EXPECT_THAT(defaults[1].y, ElementsAre("ticket.accuracy"));
}

TEST(Panels, OfTheBundledExperimentsAreValid) {
  std::size_t figures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(EXPERIMENTS_FOLDER)) {
    if (entry.path().extension() != ".toml") continue;
    for (const auto scale : {Scale::full, Scale::quick}) {
      const auto read = read_experiment(entry.path(), scale);
      const auto panels = read_panels(read);
      if (!read.name.starts_with("figure-")) continue;
      ++figures;
      EXPECT_FALSE(panels.empty()) << read.name;
    }
  }
  EXPECT_EQ(figures, 2u * 17);
}
