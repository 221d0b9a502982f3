// The registry of measures: every quantity that result files, tables and figures show, declared once in measures.cpp
// with its name in files, its label for people, its unit, and how it is computed.
//
// To add a measure, add one entry to the list it belongs to, and a test in tests/lab/results/measures_test.cpp:
//   phase_measures()     one value per seed and phase, in result.json
//   parity_measures()    one value per seed, in the diagnostics of result.json
//   epoch_measures()     one value per seed and period, in metrics.jsonl and epochs.csv
//   event_quantities()   one value per seed and event, in parities.csv; plasticity/parity.cpp computes them
//
// Names in files, the x and y of experiment files, axis labels and table headings all come from these lists.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lab/results/epoch_table.hpp"
#include "lab/results/task_scores.hpp"
#include "plasticity/parity.hpp"

namespace cambium {

struct Measure {
  std::string name;    // in files
  std::string label;   // for people: "accuracy"
  double factor = 1;   // multiplies the value of a file to give the value in `unit`
  std::string unit{};  // "%", "points", or none

  // "accuracy (%)": the label of an axis or the heading of a column.
  std::string label_with_unit() const { return unit.empty() ? label : label + " (" + unit + ")"; }
};

// Computed for the cycles of a run and, if it has one, for the ticket.
struct PhaseMeasure {
  Measure measure;
  bool (*applies)(const RunConfig& config) = nullptr;
  std::function<double(const SeedScores& scores)> value;
};
const std::vector<PhaseMeasure>& phase_measures();

// A second name for a phase measure; which one depends on the kind of stream. Readers of result.json add it.
struct AliasMeasure {
  Measure measure;
  const char* (*in_cycles)(StreamEntry::Kind kind) = nullptr;
  const char* (*in_ticket)(StreamEntry::Kind kind) = nullptr;  // null: the ticket does not have it
};
const std::vector<AliasMeasure>& alias_measures();

struct ParityMeasure {
  Measure measure;
  std::variant<double ParitySummary::*, std::int32_t ParitySummary::*> value;
};
const std::vector<ParityMeasure>& parity_measures();

struct EpochMeasure {
  Measure measure;
  double EpochRecord::Seed::*value = nullptr;
};
const std::vector<EpochMeasure>& epoch_measures();

// The same as plain lists, by the names that users write. Cells: accuracy, ticket.accuracy, gain.accuracy, ...,
// parity.early_gradient_log_parity_5, ... (lab/results/cell_result.hpp).
const std::vector<Measure>& cell_measures();
const std::vector<Measure>& event_quantities();
const std::vector<Measure>& epoch_columns();

// Null if the list has no measure of that name.
const Measure* find_measure(std::span<const Measure> measures, const std::string& name);
std::vector<std::string> names_of(std::span<const Measure> measures);
// The label of a measure of cells; the name itself if the registry does not have it.
std::string measure_label(const std::string& name);

// A measure's values, one per seed.
struct MeasuredValues {
  std::string name;
  std::vector<double> values;
};
// The phase measures that apply to the run, in the order of phase_measures().
std::vector<MeasuredValues> phase_values(const RunConfig& config, const PhaseScores& scores);
// Ticket minus cycles, measure by measure, and `taa_study`.
std::vector<MeasuredValues> gain_values(const std::vector<MeasuredValues>& cycles,
                                        const std::vector<MeasuredValues>& ticket);

}  // namespace cambium
