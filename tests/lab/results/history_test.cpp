// The structural history of a run: round trip, damaged lines, and summaries of edits and units.

#include "lab/results/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plasticity/choice.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two hidden layers of 16 units, two seeds; grows from 2 units to 8, or prunes from 16 to 8, in three edits.
RunConfig config_of(const ConfigText& more) {
  ConfigText text{{"data", "mnist"}, {"hidden", "16"}, {"epochs", "8"},       {"cycles", "4"},
                  {"batch", "2000"}, {"seeds", "3,8"}, {"compactness", "0.5"}};
  for (const auto& [key, value] : more) text[key] = value;
  return make_config(text);
}

// The edits of such a run: the best of scores that differ by unit, layer and event.
class MadeHistory : public testing::Test {
 protected:
  void make(const ConfigText& more) {
    config_ = config_of(more);
    architecture_ = architecture_of(config_);
    const bool grows = config_.method == Method::grow;
    Structure now = grows ? random_structure(architecture_, config_.seeds, planned_units(config_, architecture_, 0))
                          : Structure(architecture_, 2);
    structures_ = {now};
    edits_.clear();
    for (std::int32_t event = 1; event <= 3; ++event) {
      Edit edit{.event = static_cast<std::uint32_t>(event), .before = now, .after = now};
      const auto planned = planned_units(config_, architecture_, event);
      for (std::size_t layer = 0; layer < 2; ++layer) {
        auto& choices = edit.choices.emplace_back();
        for (std::int32_t r = 0; r < 2; ++r) {
          std::vector<float> scores;
          for (int unit = 0; unit < 16; ++unit)
            scores.push_back(static_cast<float>((unit * 7 + event * 3 + r * 5 + static_cast<int>(layer)) % 16) / 16);
          const std::int32_t count = std::abs(planned[layer] - now.active(layer, r));
          choices.push_back(grows ? highest_inactive(scores, now.mask(layer, r), count)
                                  : lowest_active(scores, now.mask(layer, r), count));
          std::vector<std::uint8_t> mask(now.mask(layer, r).begin(), now.mask(layer, r).end());
          for (const std::int32_t unit : choices.back().units) mask[static_cast<std::size_t>(unit)] ^= 1;
          edit.after.set_mask(layer, r, mask);
        }
      }
      edit.loss_before = {1.0 + event, 2.0 + event};
      edit.loss_after = {1.5 + event, 2.75 + event};
      if (!grows) edit.loss_rewound = {2.0, 2.5};
      edit.logit_distance = {0.25, 0.75};
      add_donors(edit);
      now = edit.after;
      structures_.push_back(now);
      edits_.push_back(std::move(edit));
    }
  }

  // The first active unit of its network gives to all newborns, and no one to the last of them.
  void add_donors(Edit& edit) const {
    if (config_.grow.interventions.empty()) return;
    Donors donors(2, std::vector<std::int32_t>(32, -1));
    for (std::size_t layer = 0; layer < 2; ++layer)
      for (std::size_t r = 0; r < 2; ++r) {
        const auto mask = edit.before.mask(layer, static_cast<std::int32_t>(r));
        const auto donor = static_cast<std::int32_t>(std::find(mask.begin(), mask.end(), 1) - mask.begin());
        const auto& units = edit.choices[layer][r].units;
        for (std::size_t i = 0; i + 1 < units.size(); ++i)
          donors[layer][r * 16 + static_cast<std::size_t>(units[i])] = donor;
      }
    edit.donors["donor"] = donors;
  }

  std::string text() const {
    std::string lines;
    for (const auto& edit : edits_) {
      const auto epoch = static_cast<std::int32_t>(2 * edit.event);
      lines += history_lines(edit, config_, architecture_, epoch, 30u * static_cast<std::uint64_t>(epoch));
    }
    return lines;
  }
  std::vector<json> lines() const {
    std::vector<json> parsed;
    std::istringstream stream(text());
    for (std::string line; std::getline(stream, line);) parsed.push_back(json::parse(line));
    return parsed;
  }
  static std::string joined(const std::vector<json>& lines) {
    std::string text;
    for (const auto& line : lines) text += line.dump() + "\n";
    return text;
  }
  History read(const std::string& text) const { return {text, "some/events.jsonl", config_, architecture_}; }
  std::string refused(const std::string& text) const {
    return refusal([&] { read(text); });
  }
  // The message when one line says something else.
  std::string refused_with(std::size_t line, const std::string& key, const json& value) const {
    auto all = lines();
    all.at(line)[key] = value;
    return refused(joined(all));
  }

  const ConfigText grow_{{"method", "grow"}}, prune_{{"method", "prune"}};
  RunConfig config_;
  Architecture architecture_;
  std::vector<Edit> edits_;
  std::vector<Structure> structures_;  // before the first edit, and after each
};

TEST_F(MadeHistory, WrittenLinesReadBack) {
  for (const auto& more : {grow_, prune_, ConfigText{{"method", "grow"}, {"intervention", "net2wider"}}}) {
    make(more);
    const auto history = read(text());
    ASSERT_EQ(history.edits(), 3);
    EXPECT_THAT(history.notes(), IsEmpty());
    EXPECT_EQ(history.first(), structures_.front());
    EXPECT_EQ(history.last(), structures_.back());
    for (std::int32_t edit = 0; edit < 3; ++edit)
      for (std::size_t seed = 0; seed < 2; ++seed)
        for (std::size_t layer = 0; layer < 2; ++layer) {
          const Edit& made = edits_[static_cast<std::size_t>(edit)];
          const HistoryLine& line = history.line(edit, seed, layer);
          EXPECT_EQ(line.event, edit + 1);
          EXPECT_EQ(line.epoch, 2 * (edit + 1));
          EXPECT_EQ(line.step, 60u * static_cast<std::uint64_t>(edit + 1));
          EXPECT_EQ(line.seed, seed == 0 ? 3u : 8u);
          EXPECT_EQ(line.layer, layer == 0 ? "fc1" : "fc2");
          EXPECT_EQ(line.units, made.choices[layer][seed].units);
          EXPECT_THAT(line.scores, testing::ElementsAreArray(made.choices[layer][seed].scores));
          EXPECT_EQ(line.runner_up, made.choices[layer][seed].runner_up);
          EXPECT_EQ(line.loss_before, made.loss_before[seed]);
          EXPECT_EQ(line.loss_after, made.loss_after[seed]);
          EXPECT_EQ(line.loss_rewound.has_value(), config_.method == Method::prune);
          EXPECT_EQ(line.loss_rewound.value_or(0), config_.method == Method::prune ? made.loss_rewound[seed] : 0);
          EXPECT_EQ(line.logit_distance, made.logit_distance[seed]);
          EXPECT_EQ(line.donors.size(), config_.grow.interventions.size());
          for (std::size_t i = 0; i < line.units.size() && !line.donors.empty(); ++i)
            EXPECT_EQ(line.donors.at("donor")[i],
                      made.donors.at("donor")[layer][seed * 16 + static_cast<std::size_t>(line.units[i])]);
        }
  }
}

TEST_F(MadeHistory, AMissingFileIsAHistoryWithoutEdits) {
  make(grow_);
  const TemporaryFolder folder;
  const auto history = History::read(folder.path() / "events.jsonl", config_, architecture_);
  EXPECT_EQ(history.edits(), 0);
  EXPECT_EQ(history.last(), structures_.front());
  EXPECT_THAT(history.notes(), IsEmpty());
}

TEST_F(MadeHistory, AnIncompleteLastLineIsSkippedWithANote) {
  make(grow_);
  const auto whole = text();
  const auto cut = whole.substr(0, whole.size() - 1);  // even when nothing but the line break is missing
  const auto history = read(cut);
  EXPECT_EQ(history.edits(), 2);
  EXPECT_EQ(history.last(), structures_[2]);
  EXPECT_THAT(history.notes(), ElementsAre(HasSubstr("some/events.jsonl: the last line is incomplete"),
                                           AllOf(HasSubstr("event 3"), HasSubstr("3 lines of 4"))));
  EXPECT_THAT(read(whole.substr(0, 20)).notes(), ElementsAre(HasSubstr("incomplete")));
}

TEST_F(MadeHistory, AnIncompleteEditIsSkippedWithANote) {
  make(prune_);
  auto all = lines();
  all.resize(5);
  const auto history = read(joined(all));
  EXPECT_EQ(history.edits(), 1);
  EXPECT_EQ(history.last(), structures_[1]);
  EXPECT_THAT(history.notes(), ElementsAre(AllOf(HasSubstr("event 2"), HasSubstr("1 lines of 4"))));
}

TEST_F(MadeHistory, LinesOfAnotherPlaceAreRejected) {
  make(grow_);
  const std::tuple<const char*, json, const char*> cases[] = {
      {"event", 3, "instead of 2"},          {"epoch", 5, "instead of 4"},
      {"step", 121, "instead of 120"},       {"seed", 3, "instead of 8"},
      {"layer", "fc2", "instead of fc1"},    {"method", "prune", "instead of grow"},
      {"rule", "random", "activation"},      {"active_before", 3, "instead of 4"},
      {"active_after", 7, "instead of 6"},   {"layer", json(), "instead of fc1"},
      {"event", "2", "not a whole number"},  {"event", 2.0, "not a whole number"},
      {"seed", -8, "instead of 8"},          {"seed", 4294967304, "instead of 8"},
      {"step", 1.8e19, "not a whole number"}};
  for (const auto& [key, value, why] : cases)  // the seventh line is that of event 2, seed 8, fc1
    EXPECT_THAT(refused_with(6, key, value),
                AllOf(HasSubstr("some/events.jsonl line 7: "), HasSubstr(key), HasSubstr(why)));
}

TEST_F(MadeHistory, DamagedValuesAreRejected) {
  make({{"method", "grow"}, {"intervention", "net2wider"}});
  const auto line = lines().at(6);
  const int unit = line.at("units").at(0), born_before = lines().at(2).at("units").at(0);
  const int never = edits_[1].choices[0][1].units.back();  // not active before this edit
  const std::tuple<const char*, json, const char*> cases[] = {{"units", json({unit, 16}), "unit 16"},
                                                              {"units", json({unit, -1}), "unit -1"},
                                                              {"units", json({unit, 1e300}), "not a whole number"},
                                                              {"units", json({unit, unit}), "is already active"},
                                                              {"units", json({unit, born_before}), "is already active"},
                                                              {"units", json({unit}), "1 units"},
                                                              {"units", 5, "not a list"},
                                                              {"scores", json({0.5}), "1 scores"},
                                                              {"scores", json({0.5, "high"}), "not a number"},
                                                              {"scores", json(), "not a list"},
                                                              {"runner_up", "none", "not a number"},
                                                              {"donor", json({0}), "donor for 2 units has 1"},
                                                              {"donor", json({-2, -1}), "unit -2"},
                                                              {"donor", json({never, -1}), "not active"},
                                                              {"loss_before", json::array(), "loss_before"},
                                                              {"loss_after", true, "loss_after"},
                                                              {"logit_distance", "far", "logit_distance"},
                                                              {"loss_rewound", "x", "loss_rewound"},
                                                              {"moment_donor", json({1, 1}), "moment_donor"},
                                                              {"surprise", 1, "surprise"}};
  for (const auto& [key, value, why] : cases)
    EXPECT_THAT(refused_with(6, key, value), AllOf(HasSubstr("some/events.jsonl line 7: "), HasSubstr(why)))
        << key << " = " << value;
}

TEST_F(MadeHistory, AMissingValueIsRejectedByName) {
  make({{"method", "grow"}, {"intervention", "net2wider"}});
  const auto line = lines().at(6);
  for (const auto& [key, value] : line.items()) {
    auto all = lines();
    all.at(6).erase(key);
    EXPECT_THAT(refused(joined(all)), AllOf(HasSubstr("line 7: " + key), HasSubstr("missing")));
  }
}

TEST_F(MadeHistory, LinesThatAreNotAJsonObjectAreRejected) {
  make(grow_);
  for (const std::string line : {"", "{", "[1]", "7", "{\"event\":1}", "\xff\xfe", "null", "{}x"})
    EXPECT_THAT(refused(joined({lines().at(0)}) + line + "\n"), HasSubstr("some/events.jsonl line 2: ")) << line;
}

TEST_F(MadeHistory, TooManyLinesAreRejected) {
  make(grow_);
  EXPECT_THAT(refused(text() + "{}\n"), AllOf(HasSubstr("line 13"), HasSubstr("12 lines")));
  const auto dense = make_config({{"data", "mnist"}, {"hidden", "16"}});
  EXPECT_THAT(refusal([&] { History("{}\n", "events", dense, architecture_of(dense)); }), HasSubstr("events line 1"));
}

TEST_F(MadeHistory, APrunedUnitCannotBePrunedAgain) {
  make(prune_);
  auto units = lines().at(4).at("units");
  units[1] = lines().at(0).at("units").at(0);
  EXPECT_THAT(refused_with(4, "units", units), AllOf(HasSubstr("line 5"), HasSubstr("is already inactive")));
}

TEST_F(MadeHistory, NaNAndInfinityReadBackAsNaN) {
  make(grow_);
  edits_[0].choices[0][0].scores[1] = NAN;
  edits_[0].loss_after[0] = INFINITY;
  const auto history = read(text());
  EXPECT_TRUE(std::isnan(history.line(0, 0, 0).scores[1]));
  EXPECT_TRUE(std::isnan(history.line(0, 0, 0).loss_after));
}

TEST_F(MadeHistory, ASummaryHasRangesAndMeansOverTheSeeds) {
  make(prune_);
  const auto summaries = summarise(read(text()));
  ASSERT_EQ(summaries.size(), 3u);
  const auto& summary = summaries[1];
  EXPECT_EQ(summary.event, 2);
  EXPECT_EQ(summary.epoch, 4);
  EXPECT_EQ(summary.step, 120u);
  EXPECT_EQ(summary.loss_before, (3.0 + 4.0) / 2);
  EXPECT_EQ(summary.loss_after, (3.5 + 4.75) / 2);
  EXPECT_EQ(summary.loss_rewound, 2.25);
  EXPECT_EQ(summary.logit_distance, 0.5);
  ASSERT_EQ(summary.layers.size(), 2u);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    std::vector<float> chosen, next;
    for (const auto& choice : edits_[1].choices[layer]) {
      chosen.insert(chosen.end(), choice.scores.begin(), choice.scores.end());
      next.push_back(*choice.runner_up);
    }
    const auto& of_layer = summary.layers[layer];
    EXPECT_EQ(of_layer.active_before, 13);
    EXPECT_EQ(of_layer.active_after, 10);
    EXPECT_EQ(of_layer.chosen->lowest, *std::min_element(chosen.begin(), chosen.end()));
    EXPECT_EQ(of_layer.chosen->highest, *std::max_element(chosen.begin(), chosen.end()));
    EXPECT_EQ(of_layer.runner_up->lowest, std::min(next[0], next[1]));
    EXPECT_EQ(of_layer.runner_up->highest, std::max(next[0], next[1]));
  }
}

TEST_F(MadeHistory, TheLifeOfEveryUnitAgreesWithTheMasks) {
  for (const auto& more : {grow_, prune_}) {
    make(more);
    const auto history = read(text());
    for (std::size_t seed = 0; seed < 2; ++seed)
      for (std::size_t layer = 0; layer < 2; ++layer)
        for (std::int32_t unit = 0; unit < 16; ++unit) {
          const auto active = [&](std::size_t edits) {
            return structures_[edits].mask(layer, static_cast<std::int32_t>(seed))[static_cast<std::size_t>(unit)] != 0;
          };
          const auto life = life_of(history, seed, layer, unit);
          if (active(0) == active(3)) {
            EXPECT_EQ(life.kind, active(0) ? UnitLife::Kind::always : UnitLife::Kind::never);
            EXPECT_EQ(life.line, nullptr);
            continue;
          }
          std::size_t edit = 1;
          while (active(edit) == active(0)) ++edit;
          EXPECT_EQ(life.kind, active(0) ? UnitLife::Kind::pruned : UnitLife::Kind::born);
          ASSERT_NE(life.line, nullptr);
          EXPECT_EQ(life.line->event, static_cast<std::int32_t>(edit));
          EXPECT_EQ(life.line->units.at(life.rank - 1), unit);
          std::int32_t candidates = 0;
          const auto before = structures_[edit - 1].mask(layer, static_cast<std::int32_t>(seed));
          for (const auto mask : before) candidates += (mask != 0) == active(0);
          EXPECT_EQ(life.candidates, candidates);
        }
  }
}

}  // namespace
}  // namespace cambium
