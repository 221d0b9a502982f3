// What came out of experiments, for people: tables on the terminal, and beside the study's where it prints them.
#pragma once

#include "lab/study/claims.hpp"
#include "lab/study/comparison.hpp"

namespace cambium::cli {

// The table of an experiment that compares with nothing, and a sentence on it; nothing where its file has none.
void show_own_table(const Experiment& experiment, const SweepFolder& folder);

// What was found out about one table or figure of the study.
struct Outcome {
  std::string name;
  std::optional<Comparison> comparison;  // of a table that the study prints
  std::vector<CheckedClaim> claims;
};
Outcome outcome_of(const Experiment& experiment, const Study& study);
void show(const Outcome& outcome);

// In study/ of the folder: NAME.csv of a comparison; claims.csv, all that can be decided (docs/results.md).
void write_comparison(const Outcome& outcome, const SweepFolder& folder);
void write_claims(const Study& study, const SweepFolder& folder);

// The page of a sweep, with what there is to say about the study; returns where it is.
std::filesystem::path make_report(const std::filesystem::path& folder, const std::filesystem::path& out = {},
                                  const std::vector<std::string>& history = {});

}  // namespace cambium::cli
