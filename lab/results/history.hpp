// Writes and reads events.jsonl, the structural history of a run: a line per edit, seed and hidden layer.
//
// A line has the units that the edit chose in that layer, their scores, the donors of newborns, and the loss of the
// network on the event's batch before and after the edit. The reader checks that every line is the one that the
// configuration of the run requires at its place, and that its units can be grown or pruned.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/config/config.hpp"

namespace cambium {

// The lines of one edit, which happens after `epoch` epochs and `step` steps.
std::string history_lines(const Edit& edit, const RunConfig& config, const Architecture& architecture,
                          std::int32_t epoch, std::uint64_t step);

// NaN and infinity are written as null and read as NaN.
struct HistoryLine {
  std::int32_t event = 0, epoch = 0;
  std::uint64_t step = 0;
  std::uint32_t seed = 0;
  std::string layer;
  std::int32_t active_before = 0, active_after = 0;
  std::vector<std::int32_t> units;                          // in the order of choice
  std::vector<double> scores;                               // of these units
  std::optional<double> runner_up;                          // the best score that was not chosen; none if all were
  std::map<std::string, std::vector<std::int32_t>> donors;  // by name, the donor of each unit; -1: none
  double loss_before = 0, loss_after = 0;
  std::optional<double> loss_rewound;  // if weights were rewound
  double logit_distance = 0;
};

class History {
 public:
  // Reads all complete edits. An incomplete one at the end (the run is writing it, or was killed while it did) is
  // skipped with a note. `source`: the name in messages. Throws InputError with the line.
  History(const std::string& text, const std::string& source, const RunConfig& config,
          const Architecture& architecture);
  // If the file does not exist, the history has no edits.
  static History read(const std::filesystem::path& file, const RunConfig& config, const Architecture& architecture);

  std::int32_t edits() const;
  // `edit` counts from 0.
  const HistoryLine& line(std::int32_t edit, std::size_t seed, std::size_t layer) const;
  const std::vector<std::string>& notes() const { return notes_; }
  // Active units before the first edit and after the last.
  const Structure& first() const { return first_; }
  const Structure& last() const { return last_; }

 private:
  Structure first_, last_;
  std::size_t layers_;
  std::vector<HistoryLine> lines_;
  std::vector<std::string> notes_;
};

struct Range {
  double lowest = 0, highest = 0;
};

// One edit over all seeds: ranges of the chosen scores and of the runners-up, means of the other values.
struct EditSummary {
  struct Layer {
    std::string name;
    std::int32_t active_before = 0, active_after = 0;
    std::optional<Range> chosen, runner_up;  // none if no seed has a value
  };
  std::int32_t event = 0, epoch = 0;
  std::uint64_t step = 0;
  std::vector<Layer> layers;
  double loss_before = 0, loss_after = 0;
  std::optional<double> loss_rewound;
  double logit_distance = 0;
};
std::vector<EditSummary> summarise(const History& history);

// The life of one unit in one network.
struct UnitLife {
  enum class Kind { always, born, pruned, never };  // active from the start, since an edit, until an edit, never
  Kind kind = Kind::never;
  // Of the edit that chose the unit.
  const HistoryLine* line = nullptr;
  std::size_t rank = 0;  // from 1, in the order of choice
  std::int32_t candidates = 0;
};
UnitLife life_of(const History& history, std::size_t seed, std::size_t layer, std::int32_t unit);

}  // namespace cambium
