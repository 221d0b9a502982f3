#include "tests/lab/report/made_sweep.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "lab/results/cohort_table.hpp"
#include "lab/results/epoch_table.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

// A deterministic value in [-1, 1].
double noise(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u + c * 0x94d049bb133111ebu + 1;
  for (int i = 0; i < 3; ++i) x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(x >> 11) / 4503599627370496.0 - 1;
}

std::uint64_t number_of(const std::string& text) {
  return std::accumulate(text.begin(), text.end(), std::uint64_t{7},
                         [](std::uint64_t sum, char c) { return sum * 131 + static_cast<unsigned char>(c); });
}

Json summary(const std::vector<double>& values) {
  return {{"mean", std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())},
          {"seeds", values}};
}

// The mean accuracy of this kind of run.
double level(const RunConfig& config) {
  const double base = 0.55 + 0.2 * noise(number_of(config.curriculum.stream));
  const double own = 0.02 * noise(number_of(config.variant()));
  if (config.method == Method::grow) return base + own + 0.06 * config.compactness;
  if (config.method == Method::prune) return base + own - 0.05 + 0.08 * config.compactness;
  return base;
}

std::vector<double> measure(const RunConfig& config, const std::string& name, double shift) {
  std::vector<double> values;
  for (const auto seed : config.seeds)
    values.push_back(level(config) + shift + 0.006 * noise(seed, number_of(name), number_of(run_id(config))));
  return values;
}

void add_measures(Json& json, const RunConfig& config, double shift) {
  json["accuracy"] = summary(measure(config, "accuracy", shift));
  const auto kind = config.stream().kind;
  if (kind != StreamEntry::Kind::shifting) json["taa_epochs"] = summary(measure(config, "taa_epochs", shift - 0.05));
  if (kind == StreamEntry::Kind::iid) {
    json["taa_cycles"] = summary(measure(config, "taa_cycles", shift - 0.04));
    return;
  }
  for (const auto* name :
       {"taa_tasks", "pooled_accuracy", "early_tasks", "taoa", "early_window_01", "early_window_05", "early_window_10"})
    json[name] = summary(measure(config, name, shift - 0.03));
}

// The log parity of newborns, or of kept units.
double parity(const RunConfig& config, bool gradient, std::int32_t event, double age, std::uint32_t seed) {
  const double own = 0.3 * noise(number_of(config.variant())) + 0.05 * noise(seed, static_cast<std::uint64_t>(event));
  if (config.method == Method::prune) return (gradient ? 0.4 : 0.9) - 0.15 * event + own * 0.3;
  return gradient ? -2.2 + 1.4 * (1 - std::exp(-age / 12)) + own
                  : 0.5 - 0.1 * event - 0.4 * (1 - std::exp(-age / 4)) + own;
}

std::string parities(const RunConfig& config) {
  std::string text = parity_header();
  const auto columns = columns_of(config);
  for (const auto seed : config.seeds)
    for (std::int32_t event = config.events().first(); event < config.cycles; ++event) {
      const auto put = [&](const std::string& quantity, const Moment& moment, double value) {
        text += format(columns, ParityRow{seed, event, "fc1", quantity, 1, moment, value + 1});
        text += format(columns, ParityRow{seed, event, "all", quantity, 1, moment, value});
        text += format(columns, ParityRow{seed, event, "all", quantity, 8, moment, value + 2});
      };
      const auto compare = [&](const Moment& moment) {
        for (const bool gradient : {false, true}) {
          const double value = parity(config, gradient, event, moment.age_epochs, seed);
          const std::string signal = gradient ? "gradient" : "activation";
          put(signal + "_log_parity", moment, value);
          put(signal + "_ratio", moment, std::exp(value));
        }
      };
      const std::int32_t last = config.cycle_end(event + 1) - config.cycle_end(event);
      if (config.method == Method::prune) {
        compare({TimePoint::exit, 0, 0});
        put("mask_stability", {TimePoint::post_mask, 0, 0}, -0.02 * event + 0.003 * noise(seed));
        put("survivor_stability", {TimePoint::post, 0, 0}, -0.05 * event + 0.003 * noise(seed, 2));
        continue;
      }
      compare({TimePoint::post, 0, 0});
      for (std::int32_t age = 1; age <= last; ++age) compare({TimePoint::age, age * 10, static_cast<double>(age)});
      compare({TimePoint::end, last * 10, static_cast<double>(last)});
    }
  return text;
}

std::string epochs(const RunConfig& config, const Architecture& architecture) {
  std::string text = epoch_table_header(architecture);
  for (std::int32_t period = 1, cycle = 1; period <= config.periods(); ++period) {
    if (period > config.cycle_end(cycle)) ++cycle;
    EpochRecord record{.phase = "cycles", .cycle = cycle, .period = period, .rate = config.schedule.rate};
    const auto units = config.edits()
                           ? planned_units(config, architecture, cycle - config.events().first())
                           : std::vector<std::int32_t>(architecture.hidden.begin(), architecture.hidden.end());
    const double share = 1 - std::exp(-6.0 * period / config.periods());
    for (const auto seed : config.seeds)
      record.seeds.push_back({2 - share, level(config) * share, 2 - share,
                              level(config) * share + 0.004 * noise(seed, static_cast<std::uint64_t>(period)), units});
    text += epoch_table_rows(record, config);
  }
  return text;
}

// Edits that change the first units that can be changed.
std::string events(const RunConfig& config, const Architecture& architecture) {
  std::string text;
  auto structure = start_of_edits(config, architecture);
  for (std::int32_t event = config.events().first(), edit = 1; event < config.cycles; ++event, ++edit) {
    const auto after = planned_units(config, architecture, edit);
    const bool grow = config.method == Method::grow;
    for (std::size_t r = 0; r < config.seeds.size(); ++r)
      for (std::size_t layer = 0; layer < structure.layers(); ++layer) {
        const auto replica = static_cast<std::int32_t>(r);
        const auto before = structure.active(layer, replica);
        const auto old = structure.mask(layer, replica);
        std::vector<std::uint8_t> mask(old.begin(), old.end());
        std::vector<std::int32_t> units;
        for (std::size_t unit = 0; unit < mask.size(); ++unit)
          if ((mask[unit] == 1) != grow && units.size() < static_cast<std::size_t>(std::abs(after[layer] - before))) {
            mask[unit] = grow ? 1 : 0;
            units.push_back(static_cast<std::int32_t>(unit));
          }
        structure.set_mask(layer, replica, mask);
        Json line{{"event", event},
                  {"epoch", config.cycle_end(event)},
                  {"step", config.curriculum.first_step(config.cycle_end(event))},
                  {"seed", config.seeds[r]},
                  {"layer", architecture.hidden_name(layer)},
                  {"method", name_of(config.method)},
                  {"rule", config.rule()},
                  {"active_before", before},
                  {"active_after", after[layer]},
                  {"units", units},
                  {"scores", std::vector<double>(units.size(), 0.5)},
                  {"runner_up", 0.4},
                  {"loss_before", 1.0},
                  {"loss_after", 1.1},
                  {"logit_distance", 0.3}};
        if (!grow) line["loss_rewound"] = 2.3;
        for (const auto& name : config.grow.interventions)
          if (const auto& entry = intervention(name); entry.at_birth != nullptr)
            line[entry.donor_name] = std::vector<std::int32_t>(units.size(), -1);
        text += line.dump() + "\n";
      }
  }
  return text;
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

void make_run(const RunConfig& config, const std::filesystem::path& folder, bool tables) {
  std::filesystem::create_directories(folder);
  Json result{{"cambium", CAMBIUM_VERSION}, {"config", to_json(config)}, {"seeds", config.seeds}};
  add_measures(result, config, 0);
  if (config.ticket) {
    result["ticket"] = Json::object();
    add_measures(result["ticket"], config, 0.02 - 0.06 * config.compactness);
    for (const auto& [name, value] : result["ticket"].items()) {
      std::vector<double> gains;
      for (std::size_t i = 0; i < config.seeds.size(); ++i)
        gains.push_back(0.004 * noise(config.seeds[i]) + value.at("seeds")[i].get<double>() -
                        result.at(name).at("seeds")[i].get<double>());
      result["ticket_minus_cycles"][name] = summary(gains);
    }
  }
  if (config.diagnostics)
    for (const auto seed : config.seeds) {
      const auto mean = [&](bool gradient, double age) {
        double sum = 0;
        for (std::int32_t event = 1; event < config.cycles; ++event) sum += parity(config, gradient, event, age, seed);
        return sum / std::max(1, config.cycles - 1);
      };
      Json entry{{"seed", seed}, {"batches", 1}};
      for (const bool gradient : {false, true}) {
        const std::string signal = gradient ? "gradient" : "activation";
        entry["early_" + signal + "_log_parity_5"] = mean(gradient, 3);
        entry["early_" + signal + "_log_parity_10"] = mean(gradient, 5);
        entry["event_" + signal + "_log_parity"] = mean(gradient, 0);
        entry["dead_" + signal] = 0;
      }
      entry["segment_activation_log_parity"] =
          config.method == Method::grow ? Json(mean(false, 15) - 0.4) : Json(nullptr);
      entry["survivor_stability"] = nullptr;
      result["diagnostics"].push_back(entry);
    }
  write(folder / "config.toml", to_toml(config));
  const Json began{{"began", "2026-01-02T03:04:05Z"},
                   {"at_step", 0},
                   {"cambium", CAMBIUM_VERSION},
                   {"device", "Made up"},
                   {"driver", "1.0"},
                   {"selector", "opencl:cpu:0"}};
  const Json ended{{"ended", "2026-01-02T03:05:05Z"},
                   {"at_step", 100},
                   {"why", "done"},
                   {"seconds", 60.0},
                   {"steps_per_second", 10}};
  write(folder / "sessions.jsonl", began.dump() + "\n" + ended.dump() + "\n");
  if (tables) {
    const auto architecture = architecture_of(config);
    write(folder / "epochs.csv", epochs(config, architecture));
    if (config.edits()) write(folder / "events.jsonl", events(config, architecture));
    if (config.diagnostics) write(folder / "parities.csv", parities(config));
  }
  write(folder / "result.json", result.dump(2));
}

void make_sweep(const Experiment& experiment, const SweepFolder& folder, const MadeSweep& options) {
  folder.keep(experiment);
  auto decided = experiment;
  for (const bool open : {false, true}) {
    if (open) decide_cells(decided, folder);
    for (std::size_t i = 0; i < decided.cells.size() && i < options.cells; ++i)
      if (experiment.cells[i].open() == open && !decided.cells[i].open() && !folder.done(decided.cells[i].name))
        make_run(decided.cells[i].config, folder.cell(decided.cells[i].name), options.tables);
  }
}

}  // namespace cambium
