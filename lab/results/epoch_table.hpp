// The record of a period (an epoch, or a task of a shifting stream), as a line of metrics.jsonl and as rows of
// epochs.csv. The columns of measurements are epoch_measures() in lab/results/measures.hpp.
#pragma once

#include <string>
#include <vector>

#include "lab/config/config.hpp"

namespace cambium {

struct EpochRecord {
  std::string phase;  // cycles or ticket
  std::int32_t cycle = 1, task = 1, period = 0;
  std::uint64_t step = 0;
  double rate = 0;
  struct Seed {
    double train_loss = 0, train_accuracy = 0, test_loss = 0, test_accuracy = 0;
    std::vector<std::int32_t> active_units;  // per hidden layer
  };
  std::vector<Seed> seeds;
};

std::string metrics_line(const EpochRecord& record);

std::string epoch_table_header(const Architecture& architecture);
std::string epoch_table_rows(const EpochRecord& record, const RunConfig& config);

}  // namespace cambium
