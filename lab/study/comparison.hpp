// Compares printed values with the results of this program, number by number.
//
// A mean agrees if the difference is at most the joint half-width sqrt(h1^2 + h2^2) of the two intervals; if none is
// printed, ours is used for both. A p-value agrees if both values are on the same side of 0.05.
#pragma once

#include "lab/study/printed_table.hpp"

namespace cambium {

struct ComparedNumber {
  enum class Verdict { agrees, differs, missing };

  CellKeys keys;
  std::string measure;
  PrintedNumber printed;
  Estimate ours;          // in percent; for a p-value only the mean is set
  double difference = 0;  // ours minus printed
  double joint = 0;       // joint half-width
  Verdict verdict = Verdict::missing;
  std::string why_missing;
};

struct Comparison {
  std::vector<std::string> keys;  // of the rows, in order
  bool welch = false;
  std::vector<ComparedNumber> numbers;

  std::size_t count(ComparedNumber::Verdict verdict) const;
};

Comparison compare(const PrintedTable& table, const Findings& findings);

const char* name_of(ComparedNumber::Verdict verdict);
// "12 of 24 within the joint interval, 10 not; 2 not enough runs".
std::string summary(const Comparison& comparison);

std::string printed_text(const PrintedNumber& number, bool p_value);
std::string estimate_text(const Estimate& estimate, bool p_value);
// Pads the fields of all rows to the width of their column.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// A line per number, for a terminal.
std::string to_text(const Comparison& comparison);
// A row per number (docs/results.md).
std::string to_csv(const Comparison& comparison);

}  // namespace cambium
