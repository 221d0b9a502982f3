// The tables of diagnostics as text: cohorts.csv, which a run appends to, and parities.csv, made from it.
//
// One header line, commas, no quotes; a missing value is an empty field. Numbers have as many digits as it takes to
// read the same value back. Columns: docs/diagnostics.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/run_columns.hpp"
#include "plasticity/parity.hpp"

namespace cambium {

// Lines end with a line break.
std::string cohort_header();
std::string format(const RunColumns& run, const CohortRow& row);
std::string parity_header();
std::string format(const RunColumns& run, const ParityRow& row);

struct CohortRecord {
  RunColumns run;
  CohortRow row;
};

// Reads cohorts.csv. Throws InputError, naming file and line, unless every line is as it was written; `file` is for
// that message.
std::vector<CohortRecord> parse_cohorts(std::string_view text, const std::string& file);
std::vector<CohortRecord> read_cohorts(const std::filesystem::path& file);

}  // namespace cambium
