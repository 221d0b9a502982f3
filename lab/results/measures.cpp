#include "lab/results/measures.hpp"

#include <algorithm>
#include <numeric>

namespace cambium {
namespace {

using Kind = StreamEntry::Kind;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool always(const RunConfig&) { return true; }
bool is_iid(const RunConfig& config) { return config.stream().kind == Kind::iid; }
bool is_not_shifting(const RunConfig& config) { return config.stream().kind != Kind::shifting; }
bool has_tasks(const RunConfig& config) { return !is_iid(config); }
bool has_several_tasks(const RunConfig& config) {
  return has_tasks(config) && counting_tasks(config, config.curriculum.tasks) > 1;
}

Measure percent(std::string name, std::string label) { return {std::move(name), std::move(label), 100, "%"}; }

std::vector<PhaseMeasure> make_phase_measures() {
  std::vector<PhaseMeasure> all{
      {percent("accuracy", "accuracy"), always, [](const SeedScores& s) { return s.task_ends().back(); }},
      {percent("taa_epochs", "TAA over all epochs"), is_not_shifting,
       [](const SeedScores& s) { return mean(s.periods()); }},
      {percent("taa_cycles", "TAA over the ends of cycles"), is_iid,
       [](const SeedScores& s) { return mean(s.cycle_ends()); }},
      {percent("taa_tasks", "TAA over the ends of tasks"), has_tasks,
       [](const SeedScores& s) { return mean(s.task_ends()); }},
      {percent("pooled_accuracy", "accuracy, tasks pooled"), has_tasks,
       [](const SeedScores& s) { return s.pooled_accuracy(); }},
      {percent("early_tasks", "accuracy over the first tasks"), has_several_tasks,
       [](const SeedScores& s) { return mean(s.early_task_ends()); }},
      {percent("forgetting", "forgetting"), has_several_tasks, [](const SeedScores& s) { return s.forgetting(); }},
      {percent("taoa", "online accuracy"), has_tasks, [](const SeedScores& s) { return s.online_accuracy(); }}};
  for (std::size_t i = 0; i < early_count; ++i)
    all.push_back({percent(early_window_name(i),
                           fmt::format("accuracy over the first {:.0f} % of each task", 100 * early_shares[i])),
                   has_tasks, [i](const SeedScores& s) { return s.early_window(i); }});
  return all;
}

std::vector<AliasMeasure> make_alias_measures() {
  return {{percent("average", "average accuracy"),
           [](Kind kind) { return kind == Kind::iid        ? "accuracy"
                                  : kind == Kind::shifting ? "taoa"
                                                           : "taa_tasks"; },
           nullptr},
          {percent("taa", "TAA"), [](Kind kind) { return kind == Kind::iid ? "taa_cycles" : "taa_tasks"; },
           [](Kind kind) { return kind == Kind::iid ? "taa_epochs" : "taa_tasks"; }}};
}

std::vector<ParityMeasure> make_parity_measures() {
  using Summary = ParitySummary;
  return {
      {{"early_activation_log_parity_5", "early activation log parity (5 epochs)"}, &Summary::early_activation_5},
      {{"early_gradient_log_parity_5", "early gradient log parity (5 epochs)"}, &Summary::early_gradient_5},
      {{"early_activation_log_parity_10", "early activation log parity (10 epochs)"}, &Summary::early_activation_10},
      {{"early_gradient_log_parity_10", "early gradient log parity (10 epochs)"}, &Summary::early_gradient_10},
      {{"event_activation_log_parity", "activation log parity at the edits"}, &Summary::event_activation},
      {{"event_gradient_log_parity", "gradient log parity at the edits"}, &Summary::event_gradient},
      {{"segment_activation_log_parity", "activation log parity over all ages"}, &Summary::segment_activation},
      {{"survivor_stability", "survivors' activation, after − end"}, &Summary::survivor_stability},
      {{"survivor_stability_log", "survivors' activation, ln(after / end)"}, &Summary::survivor_stability_log},
      {{"mask_stability", "survivors' activation, masked − before"}, &Summary::mask_stability},
      {{"mask_stability_log", "survivors' activation, ln(masked / before)"}, &Summary::mask_stability_log},
      {{"dead_activation", "cohorts without activation"}, &Summary::dead_activation},
      {{"dead_gradient", "cohorts without gradient"}, &Summary::dead_gradient},
  };
}

std::vector<EpochMeasure> make_epoch_measures() {
  using Seed = EpochRecord::Seed;
  return {{{"train_loss", "training loss"}, &Seed::train_loss},
          {percent("train_accuracy", "training accuracy"), &Seed::train_accuracy},
          {{"test_loss", "test loss"}, &Seed::test_loss},
          {percent("test_accuracy", "test accuracy"), &Seed::test_accuracy}};
}

std::vector<Measure> make_event_quantities() {
  std::vector<Measure> all;
  for (const std::string signal : {"activation", "gradient"}) {
    all.push_back({signal + "_log_parity", "log " + signal + " parity"});
    all.push_back({signal + "_ratio", signal + " ratio"});
    all.push_back({"early_" + signal + "_log_parity_5", "log " + signal + " parity, epochs 1–5"});
    all.push_back({"early_" + signal + "_log_parity_10", "log " + signal + " parity, epochs 1–10"});
    all.push_back({"segment_" + signal + "_log_parity", "log " + signal + " parity, all epochs"});
    for (const std::string cohort : {"newborn", "kept", "pruned"})
      all.push_back({cohort + "_" + signal, signal + " of " + cohort + " units"});
  }
  all.push_back({"survivor_stability", "survivors' activation, after − end"});
  all.push_back({"survivor_stability_log", "survivors' activation, ln(after / end)"});
  all.push_back({"mask_stability", "survivors' activation, masked − before"});
  all.push_back({"mask_stability_log", "survivors' activation, ln(masked / before)"});
  all.push_back({"function_shock", "distance of the logits"});
  all.push_back({"loss_change", "change of the loss"});
  return all;
}

std::vector<Measure> make_cell_measures() {
  std::vector<Measure> phase, ticket, gain, all;
  const auto add = [&](const Measure& measure, bool in_ticket) {
    phase.push_back(measure);
    if (!in_ticket) return;
    ticket.push_back({"ticket." + measure.name, "ticket " + measure.label, measure.factor, measure.unit});
    gain.push_back({"gain." + measure.name, measure.label + ", ticket − cycles", measure.factor, "points"});
  };
  for (const auto& entry : alias_measures()) add(entry.measure, entry.in_ticket != nullptr);
  for (const auto& entry : phase_measures()) add(entry.measure, true);
  gain.push_back({"gain.taa_study", "TAA, ticket − cycles", 100, "points"});
  for (const auto* part : {&phase, &ticket, &gain}) all.insert(all.end(), part->begin(), part->end());
  for (const auto& entry : parity_measures()) {
    all.push_back(entry.measure);
    all.back().name = "parity." + entry.measure.name;
  }
  return all;
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

const std::vector<double>* find_values(const std::vector<MeasuredValues>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &found->values;
}

}  // namespace

const std::vector<PhaseMeasure>& phase_measures() {
  static const auto all = make_phase_measures();
  return all;
}

const std::vector<AliasMeasure>& alias_measures() {
  static const auto all = make_alias_measures();
  return all;
}

const std::vector<ParityMeasure>& parity_measures() {
  static const auto all = make_parity_measures();
  return all;
}

const std::vector<EpochMeasure>& epoch_measures() {
  static const auto all = make_epoch_measures();
  return all;
}

const std::vector<Measure>& cell_measures() {
  static const auto all = make_cell_measures();
  return all;
}

const std::vector<Measure>& event_quantities() {
  static const auto all = make_event_quantities();
  return all;
}

const std::vector<Measure>& epoch_columns() {
  static const auto all = [] {
    std::vector<Measure> columns;
    for (const auto& entry : epoch_measures()) columns.push_back(entry.measure);
    return columns;
  }();
  return all;
}

const Measure* find_measure(std::span<const Measure> measures, const std::string& name) {
  const auto found =
      std::find_if(measures.begin(), measures.end(), [&](const Measure& measure) { return measure.name == name; });
  return found == measures.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const Measure> measures) {
  std::vector<std::string> names;
  for (const auto& measure : measures) names.push_back(measure.name);
  return names;
}

std::string measure_label(const std::string& name) {
  const auto* measure = find_measure(cell_measures(), name);
  return measure == nullptr ? name : measure->label;
}

std::vector<MeasuredValues> phase_values(const RunConfig& config, const PhaseScores& scores) {
  std::vector<SeedScores> seeds;
  for (std::size_t seed = 0; seed < config.seeds.size(); ++seed) seeds.emplace_back(config, scores, seed);
  std::vector<MeasuredValues> result;
  for (const auto& [measure, applies, value] : phase_measures()) {
    if (!applies(config)) continue;
    auto& values = result.emplace_back(MeasuredValues{measure.name, {}}).values;
    for (const auto& seed : seeds) values.push_back(value(seed));
  }
  return result;
}

std::vector<MeasuredValues> gain_values(const std::vector<MeasuredValues>& cycles,
                                        const std::vector<MeasuredValues>& ticket) {
  std::vector<MeasuredValues> result;
  for (const auto& [name, values] : ticket) result.push_back({name, differences(values, *find_values(cycles, name))});
  // The study compares the mean over all epochs of the ticket with the mean over the ends of the cycles.
  const auto *epochs = find_values(ticket, "taa_epochs"), *ends = find_values(cycles, "taa_cycles");
  if (epochs != nullptr && ends != nullptr) result.push_back({"taa_study", differences(*epochs, *ends)});
  return result;
}

}  // namespace cambium
