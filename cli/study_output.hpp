// Prints and writes the results of experiments: tables on the terminal, CSV files, the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/study/claims.hpp"
#include "lab/study/comparison.hpp"

namespace cambium::cli {

// Prints the experiment's own [table] and a sentence on its result. Prints nothing if the experiment has no [table], or
// compares it with numbers of the study.
void print_own_table(const Experiment& experiment, const SweepFolder& folder);

// The result of one table or figure of the study.
struct StudyResult {
  std::string name;
  std::optional<Comparison> comparison;  // if the study prints numbers
  std::vector<CheckedClaim> claims;
};
StudyResult study_result(const Experiment& experiment, const Study& study);
void print(const StudyResult& result);

// Writes study/NAME.csv in the folder, if the result has a comparison (docs/results.md).
void write_comparison(const StudyResult& result, const SweepFolder& folder);
// Writes study/claims.csv in the folder: all claims that the existing runs decide (docs/results.md).
void write_claims(const Study& study, const SweepFolder& folder);

// Writes the report of a sweep, with a section on the study; returns the path of the page.
std::filesystem::path make_report(const std::filesystem::path& folder, const std::filesystem::path& out = {},
                                  const std::vector<std::string>& history = {});

}  // namespace cambium::cli
