// The tables of the diagnostics as text: cohorts.csv, to which a run appends, and parities.csv, which is computed from
// it.
//
// CSV with one header line and without quotes; a missing value is an empty field. Numbers read back as the same value.
// Columns: docs/diagnostics.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/run_columns.hpp"
#include "plasticity/parity.hpp"

namespace cambium {

// Every line ends with a line break.
std::string cohort_header();
std::string format(const RunColumns& run, const CohortRow& row);
std::string parity_header();
std::string format(const RunColumns& run, const ParityRow& row);

struct CohortRecord {
  RunColumns run;
  CohortRow row;
};

// Parse cohorts.csv. Throw InputError with file and line if a line is damaged; `file` is the name in that message.
std::vector<CohortRecord> parse_cohorts(std::string_view text, const std::string& file);
std::vector<CohortRecord> read_cohorts(const std::filesystem::path& file);

}  // namespace cambium
