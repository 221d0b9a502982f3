#include "lab/results/history.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text_file.hpp"

namespace cambium {
namespace {

// The names of the donor lists in the lines of such a run.
std::set<std::string> donor_names(const RunConfig& config) {
  std::set<std::string> names;
  for (const auto& name : config.grow.interventions)
    if (const auto& entry = intervention(name); entry.at_birth != nullptr) names.insert(entry.donor_name);
  return names;
}

// Reads the values of one line. Throws InputError if one is missing or has another type.
class LineReader {
 public:
  LineReader(const std::string& text, std::string where) : where_(std::move(where)) {
    try {
      json_ = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception&) {
      throw_input_error("{}: the line is not JSON; the file is damaged", where_);
    }
    if (!json_.is_object()) throw_input_error("{}: the line is not a JSON object; the file is damaged", where_);
  }

  bool has(const std::string& key) const { return json_.contains(key); }

  const nlohmann::json& get(const std::string& key) {
    read_.insert(key);
    if (!json_.contains(key)) throw_input_error("{}: {} is missing; the file is damaged", where_, key);
    return json_.at(key);
  }

  void expect_text(const std::string& key, const std::string& expected) {
    const auto& value = get(key);
    if (value != expected)
      throw_input_error("{}: {} is {} instead of {}; the file is damaged", where_, key, shortened(value), expected);
  }

  void expect_number(const std::string& key, std::int64_t expected) {
    if (const std::int64_t value = whole(key, get(key)); value != expected)
      throw_input_error("{}: {} is {} instead of {}; the file is damaged", where_, key, value, expected);
  }

  // NaN for null: JSON has no NaN and no infinity.
  double number(const std::string& key) { return number(key, get(key)); }

  std::vector<double> numbers(const std::string& key) {
    std::vector<double> values;
    for (const auto& value : array(key)) values.push_back(number(key, value));
    return values;
  }

  std::vector<std::int32_t> units(const std::string& key, std::int32_t lowest, std::int32_t width) {
    std::vector<std::int32_t> values;
    for (const auto& value : array(key)) {
      const std::int64_t unit = whole(key, value);
      if (unit < lowest || unit >= width)
        throw_input_error("{}: {} has unit {}, but the layer has {} units; the file is damaged", where_, key, unit,
                          width);
      values.push_back(static_cast<std::int32_t>(unit));
    }
    return values;
  }

  void reject_unread() const {
    for (const auto& [key, value] : json_.items())
      if (!read_.contains(key)) throw_input_error("{}: unknown key '{}'; the file is damaged", where_, key);
  }

 private:
  static std::string shortened(const nlohmann::json& value) {
    auto text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 40) + "...";
  }

  const nlohmann::json& array(const std::string& key) {
    const auto& value = get(key);
    if (!value.is_array())
      throw_input_error("{}: {} is {} and not a list; the file is damaged", where_, key, shortened(value));
    return value;
  }

  std::int64_t whole(const std::string& key, const nlohmann::json& value) const {
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
      throw_input_error("{}: {} is {} and not a whole number; the file is damaged", where_, key, shortened(value));
    return value.get<std::int64_t>();
  }

  double number(const std::string& key, const nlohmann::json& value) const {
    if (value.is_null()) return NAN;
    if (!value.is_number())
      throw_input_error("{}: {} is {} and not a number; the file is damaged", where_, key, shortened(value));
    return value.get<double>();
  }

  std::string where_;
  nlohmann::json json_;
  std::set<std::string> read_;
};

// Parses the line at a place of the history and checks it against the configuration of the run.
HistoryLine parse_line(const std::string& text, const std::string& where, const RunConfig& config,
                       const Architecture& architecture, std::size_t place) {
  const std::size_t layers = architecture.hidden.size(), each = layers * config.seeds.size();
  const std::size_t layer = place % layers;
  const auto edit = static_cast<std::int32_t>(place / each);
  HistoryLine line;
  line.event = config.events().first() + edit;
  line.epoch = config.cycle_end(line.event);
  line.step = config.curriculum.first_step(line.epoch);
  line.seed = config.seeds[place / layers % config.seeds.size()];
  line.layer = architecture.hidden_name(layer);
  line.active_before = planned_units(config, architecture, edit)[layer];
  line.active_after = planned_units(config, architecture, edit + 1)[layer];
  LineReader reader(text, where);
  reader.expect_number("event", line.event);
  reader.expect_number("epoch", line.epoch);
  reader.expect_number("step", static_cast<std::int64_t>(line.step));
  reader.expect_number("seed", line.seed);
  reader.expect_text("layer", line.layer);
  reader.expect_text("method", name_of(config.method));
  reader.expect_text("rule", config.rule());
  reader.expect_number("active_before", line.active_before);
  reader.expect_number("active_after", line.active_after);
  const std::int32_t width = architecture.hidden[layer];
  line.units = reader.units("units", 0, width);
  line.scores = reader.numbers("scores");
  if (!reader.get("runner_up").is_null()) line.runner_up = reader.number("runner_up");
  for (const auto& name : donor_names(config))
    if (!line.units.empty() || reader.has(name)) line.donors[name] = reader.units(name, -1, width);
  line.loss_before = reader.number("loss_before");
  line.loss_after = reader.number("loss_after");
  if (reader.has("loss_rewound")) line.loss_rewound = reader.number("loss_rewound");
  line.logit_distance = reader.number("logit_distance");
  reader.reject_unread();
  return line;
}

// Applies the line to the masks: its units become active or inactive in one layer of one network.
void apply(const HistoryLine& line, const std::string& where, std::size_t layer, std::int32_t replica,
           Structure& structure) {
  const auto count = static_cast<std::size_t>(std::abs(line.active_after - line.active_before));
  if (line.units.size() != count || line.scores.size() != count)
    throw_input_error("{}: {} units and {} scores, but the edit changes {} units; the file is damaged", where,
                      line.units.size(), line.scores.size(), count);
  const bool grows = line.active_after > line.active_before;
  const auto before = structure.mask(layer, replica);
  std::vector<std::uint8_t> after(before.begin(), before.end());
  for (const std::int32_t unit : line.units) {
    auto& active = after[static_cast<std::size_t>(unit)];
    if ((active != 0) == grows)
      throw_input_error("{}: unit {} of {} is already {}; the file is damaged", where, unit, line.layer,
                        grows ? "active" : "inactive");
    active ^= 1;
  }
  for (const auto& [name, donors] : line.donors) {
    if (donors.size() != count)
      throw_input_error("{}: {} for {} units has {} entries; the file is damaged", where, name, count, donors.size());
    for (const std::int32_t donor : donors)
      if (donor >= 0 && before[static_cast<std::size_t>(donor)] == 0)
        throw_input_error("{}: {} has unit {}, which is not active; the file is damaged", where, name, donor);
  }
  structure.set_mask(layer, replica, after);
}

// Extends a range; NaN is ignored.
void widen(std::optional<Range>& range, double value) {
  if (std::isnan(value)) return;
  if (!range) range = {value, value};
  range = {std::min(range->lowest, value), std::max(range->highest, value)};
}

}  // namespace

std::string history_lines(const Edit& edit, const RunConfig& config, const Architecture& architecture,
                          std::int32_t epoch, std::uint64_t step) {
  std::string lines;
  for (std::size_t r = 0; r < config.seeds.size(); ++r)
    for (std::size_t layer = 0; layer < edit.choices.size(); ++layer) {
      const Choice& choice = edit.choices[layer][r];
      const auto replica = static_cast<std::int32_t>(r);
      nlohmann::ordered_json line{{"event", edit.event},
                                  {"epoch", epoch},
                                  {"step", step},
                                  {"seed", config.seeds[r]},
                                  {"layer", architecture.hidden_name(layer)},
                                  {"method", name_of(config.method)},
                                  {"rule", config.rule()},
                                  {"active_before", edit.before.active(layer, replica)},
                                  {"active_after", edit.after.active(layer, replica)},
                                  {"units", choice.units},
                                  {"scores", choice.scores}};
      line["runner_up"] = choice.runner_up ? nlohmann::ordered_json(*choice.runner_up) : nlohmann::ordered_json();
      for (const auto& [name, donors] : edit.donors)
        for (const std::int32_t unit : choice.units)
          line[name].push_back(donors[layer][r * static_cast<std::size_t>(edit.after.full_width(layer)) +
                                             static_cast<std::size_t>(unit)]);
      line["loss_before"] = edit.loss_before[r];
      line["loss_after"] = edit.loss_after[r];
      if (!edit.loss_rewound.empty()) line["loss_rewound"] = edit.loss_rewound[r];
      line["logit_distance"] = edit.logit_distance[r];
      lines += line.dump() + "\n";
    }
  return lines;
}

History::History(const std::string& text, const std::string& source, const RunConfig& config,
                 const Architecture& architecture)
    : first_(start_of_edits(config, architecture)), last_(first_), layers_(architecture.hidden.size()) {
  const std::size_t each = layers_ * config.seeds.size();
  const std::size_t most = each * static_cast<std::size_t>(config.events().count());
  Structure now = first_;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const auto where = fmt::format("{} line {}", source, lines_.size() + 1);
    if (lines_.size() == most) throw_input_error("{}: this run has only {} lines; the file is damaged", where, most);
    lines_.push_back(parse_line(text.substr(begin, end - begin), where, config, architecture, lines_.size()));
    const std::size_t place = lines_.size() - 1;
    apply(lines_.back(), where, place % layers_, static_cast<std::int32_t>(place / layers_ % config.seeds.size()), now);
    if (lines_.size() % each == 0) last_ = now;
    begin = end + 1;
  }
  if (begin < text.size())
    notes_.push_back(fmt::format(
        "{}: the last line is incomplete and skipped: the run is writing it or was stopped while it did.", source));
  if (const std::size_t over = lines_.size() % each; over > 0) {
    notes_.push_back(fmt::format("{}: event {} is skipped, because only {} lines of {} are complete.", source,
                                 lines_.back().event, over, each));
    lines_.resize(lines_.size() - over);
  }
}

History History::read(const std::filesystem::path& file, const RunConfig& config, const Architecture& architecture) {
  std::string text;
  if (std::filesystem::exists(file)) text = read_text_file(file);
  return {text, file.string(), config, architecture};
}

std::int32_t History::edits() const { return static_cast<std::int32_t>(lines_.size() / layers_) / first_.replicas(); }

const HistoryLine& History::line(std::int32_t edit, std::size_t seed, std::size_t layer) const {
  const auto seeds = static_cast<std::size_t>(first_.replicas());
  return lines_.at((static_cast<std::size_t>(edit) * seeds + seed) * layers_ + layer);
}

std::vector<EditSummary> summarise(const History& history) {
  std::vector<EditSummary> summaries;
  const auto seeds = static_cast<std::size_t>(history.first().replicas());
  for (std::int32_t edit = 0; edit < history.edits(); ++edit) {
    const HistoryLine& any = history.line(edit, 0, 0);
    EditSummary summary{.event = any.event, .epoch = any.epoch, .step = any.step};
    for (std::size_t layer = 0; layer < history.first().layers(); ++layer) {
      const HistoryLine& of_layer = history.line(edit, 0, layer);
      auto& entry = summary.layers.emplace_back(
          EditSummary::Layer{of_layer.layer, of_layer.active_before, of_layer.active_after, {}, {}});
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        const HistoryLine& line = history.line(edit, seed, layer);
        for (const double score : line.scores) widen(entry.chosen, score);
        if (line.runner_up) widen(entry.runner_up, *line.runner_up);
      }
    }
    if (any.loss_rewound) summary.loss_rewound = 0.0;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const HistoryLine& line = history.line(edit, seed, 0);  // the losses are the same in the lines of all layers
      const auto count = static_cast<double>(seeds);
      summary.loss_before += line.loss_before / count;
      summary.loss_after += line.loss_after / count;
      if (summary.loss_rewound) *summary.loss_rewound += line.loss_rewound.value_or(NAN) / count;
      summary.logit_distance += line.logit_distance / count;
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

UnitLife life_of(const History& history, std::size_t seed, std::size_t layer, std::int32_t unit) {
  const auto replica = static_cast<std::int32_t>(seed);
  const bool from_start = history.first().mask(layer, replica)[static_cast<std::size_t>(unit)] != 0;
  for (std::int32_t edit = 0; edit < history.edits(); ++edit) {
    const HistoryLine& line = history.line(edit, seed, layer);
    const auto found = std::find(line.units.begin(), line.units.end(), unit);
    if (found == line.units.end()) continue;
    return {.kind = from_start ? UnitLife::Kind::pruned : UnitLife::Kind::born,
            .line = &line,
            .rank = static_cast<std::size_t>(found - line.units.begin()) + 1,
            .candidates = from_start ? line.active_before : history.first().full_width(layer) - line.active_before};
  }
  return {.kind = from_start ? UnitLife::Kind::always : UnitLife::Kind::never};
}

}  // namespace cambium
