// Printed figures beside ours, number by number, with a verdict on each.
//
// A mean agrees when it lies within the joint interval, sqrt(h1^2 + h2^2) of the two half-widths; where the study
// prints none, ours stands for both. A p-value agrees when it is on the same side of 0.05.
#pragma once

#include "lab/study/printed_table.hpp"

namespace cambium {

struct ComparedNumber {
  enum class Verdict { agrees, differs, missing };

  CellKeys keys;
  std::string measure;
  PrintedNumber printed;
  Estimate ours;          // in percent; of a p-value, only its mean
  double difference = 0;  // ours less the printed one
  double joint = 0;       // half-width of the joint interval
  Verdict verdict = Verdict::missing;
  std::string why_missing;
};

struct Comparison {
  std::vector<std::string> keys;  // of the rows, in their order
  bool welch = false;
  std::vector<ComparedNumber> numbers;

  std::size_t count(ComparedNumber::Verdict verdict) const;
};

Comparison compare(const PrintedTable& table, const Findings& findings);

const char* name_of(ComparedNumber::Verdict verdict);
// "12 of 24 within the joint interval, 10 not; 2 not enough runs".
std::string summary(const Comparison& comparison);

std::string printed_text(const PrintedNumber& number, bool p_value);
std::string own_text(const Estimate& estimate, bool p_value);
// Rows of text as columns that are as wide as what stands in them.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// A line per number, for a terminal.
std::string to_text(const Comparison& comparison);
// A row per number (docs/results.md).
std::string to_csv(const Comparison& comparison);

}  // namespace cambium
