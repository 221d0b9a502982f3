// events.jsonl, the structural history of a run: a line per edit, seed and hidden layer, written and read.
//
// A line says which units the edit chose in that layer, by which scores, from whom newborns took something, and what
// the edit did to the network's loss on the event's batch. A reader trusts none of it: every line must be the one that
// the run's configuration has in that place, and change units that can be changed.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/config/config.hpp"

namespace cambium {

// The lines of one edit, made after `epoch` epochs and `step` steps.
std::string history_lines(const Edit& edit, const RunConfig& config, const Architecture& architecture,
                          std::int32_t epoch, std::uint64_t step);

// A number that was none is NaN.
struct HistoryLine {
  std::int32_t event = 0, epoch = 0;
  std::uint64_t step = 0;
  std::uint32_t seed = 0;
  std::string layer;
  std::int32_t active_before = 0, active_after = 0;
  std::vector<std::int32_t> units;                          // the first to be chosen first
  std::vector<double> scores;                               // theirs
  std::optional<double> runner_up;                          // the score of the next; none when all were chosen
  std::map<std::string, std::vector<std::int32_t>> donors;  // by name, of each unit; -1 for no one
  double loss_before = 0, loss_after = 0;
  std::optional<double> loss_rewound;  // where weights were rewound
  double logit_distance = 0;
};

class History {
 public:
  // Whole edits; what else is in the text (an edit that is being written, or was when the run was killed) is left out
  // and noted. `source` is what messages call it. Throws InputError, which names the line.
  History(const std::string& text, const std::string& source, const RunConfig& config,
          const Architecture& architecture);
  // No file is a history without edits.
  static History read(const std::filesystem::path& file, const RunConfig& config, const Architecture& architecture);

  std::int32_t edits() const;
  // Of the edit'th one, from 0.
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

// One edit over all seeds: ranges of what was chosen and what came next, means of the rest.
struct EditSummary {
  struct Layer {
    std::string name;
    std::int32_t active_before = 0, active_after = 0;
    std::optional<Range> chosen, runner_up;  // none when there was none
  };
  std::int32_t event = 0, epoch = 0;
  std::uint64_t step = 0;
  std::vector<Layer> layers;
  double loss_before = 0, loss_after = 0;
  std::optional<double> loss_rewound;
  double logit_distance = 0;
};
std::vector<EditSummary> summarise(const History& history);

// What became of one unit in one network.
struct UnitLife {
  enum class Kind { always, born, pruned, never };  // active so far, since an edit, until an edit, at no time
  Kind kind = Kind::never;
  // Of the edit that it was chosen at.
  const HistoryLine* line = nullptr;
  std::size_t rank = 0;  // 1 for the first that was chosen
  std::int32_t candidates = 0;
};
UnitLife life_of(const History& history, std::size_t seed, std::size_t layer, std::int32_t unit);

}  // namespace cambium
