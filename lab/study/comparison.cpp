#include "lab/study/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"
#include "lab/results/run_columns.hpp"

namespace cambium {
namespace {

using Verdict = ComparedNumber::Verdict;

constexpr double significant = 0.05;

void judge_mean(ComparedNumber& number, const Findings& findings) {
  number.ours = findings.points(number.keys, number.measure);
  number.difference = number.ours.mean - number.printed.value;
  const double own = number.ours.half_width;
  number.joint = std::hypot(own, std::isnan(number.printed.half_width) ? own : number.printed.half_width);
  number.verdict = std::abs(number.difference) <= number.joint ? Verdict::agrees : Verdict::differs;
}

void judge_p_value(ComparedNumber& number, const Findings& findings) {
  const auto sample = [&](const char* side) {
    CellKeys keys = number.keys;
    keys.erase("first");
    keys.erase("second");
    keys["variant"] = number.keys.at(side);
    if (keys["variant"] == "dense") keys.erase("compactness");  // DENSE has no compactness
    return findings.estimate(keys, number.measure);
  };
  const auto test = welch_test(sample("first"), sample("second"));
  if (std::isnan(test.p)) throw MissingRuns("too few seeds for a test");
  number.ours = {0, test.p, NAN, NAN};
  number.difference = test.p - number.printed.value;
  number.joint = NAN;
  number.verdict = (test.p < significant) == (number.printed.value < significant) ? Verdict::agrees : Verdict::differs;
}

std::string number_text(double mean, double half_width, bool p_value) {
  if (p_value) return fmt::format("{:.4f}", mean);
  return std::isnan(half_width) ? fmt::format("{:.2f}", mean) : fmt::format("{:.2f} ± {:.2f}", mean, half_width);
}

// The width on a terminal: ± has two bytes and one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char each) { return (each & 0xC0) != 0x80; }));
}

}  // namespace

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      numbers.begin(), numbers.end(), [&](const ComparedNumber& number) { return number.verdict == verdict; }));
}

Comparison compare(const PrintedTable& table, const Findings& findings) {
  Comparison result{.keys = table.keys, .welch = table.welch};
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < table.measures.size(); ++i) {
      if (!row.numbers[i]) continue;
      ComparedNumber number{.keys = row.keys, .measure = table.measures[i], .printed = *row.numbers[i]};
      number.difference = number.joint = NAN;
      try {
        (table.welch ? judge_p_value : judge_mean)(number, findings);
      } catch (const MissingRuns& missing) {
        number.why_missing = missing.what();
      }
      result.numbers.push_back(std::move(number));
    }
  return result;
}

const char* name_of(Verdict verdict) {
  return verdict == Verdict::agrees ? "agrees" : verdict == Verdict::differs ? "differs" : "not enough runs";
}

std::string summary(const Comparison& comparison) {
  const auto missing = comparison.count(Verdict::missing);
  return fmt::format("{} of {} {}, {} not{}", comparison.count(Verdict::agrees), comparison.numbers.size(),
                     comparison.welch ? "on the same side of 0.05" : "within the joint interval",
                     comparison.count(Verdict::differs),
                     missing == 0 ? "" : fmt::format("; not enough runs for {}", missing));
}

std::string printed_text(const PrintedNumber& number, bool p_value) {
  return number_text(number.value, number.half_width, p_value);
}

std::string estimate_text(const Estimate& estimate, bool p_value) {
  return number_text(estimate.mean, estimate.half_width, p_value);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] + 2 - width_of(row[i]), ' ');
    }
    text += "\n";
  }
  return text;
}

std::string to_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& key : comparison.keys) rows[0].push_back(key_label(key));
  rows[0].insert(rows[0].end(), {"", "study", "ours", "difference", ""});
  const CellKeys* last = nullptr;
  for (const auto& number : comparison.numbers) {
    auto& row = rows.emplace_back();
    // Consecutive rows with equal keys show them only once.
    for (const auto& key : comparison.keys)
      row.push_back(last != nullptr && *last == number.keys ? "" : value_label(key, number.keys.at(key)));
    last = &number.keys;
    row.push_back(measure_label(number.measure));
    row.push_back(printed_text(number.printed, comparison.welch));
    if (number.verdict == Verdict::missing)
      row.insert(row.end(), {"", "", fmt::format("not enough runs: {}", number.why_missing)});
    else
      row.insert(row.end(),
                 {estimate_text(number.ours, comparison.welch),
                  fmt::format("{:+.{}f}", number.difference, comparison.welch ? 4 : 2), name_of(number.verdict)});
  }
  return aligned(rows);
}

std::string to_csv(const Comparison& comparison) {
  std::string text =
      fmt::format("{},measure,printed,printed_half_width,ours,half_width,seeds,difference,joint,verdict\n",
                  fmt::join(comparison.keys, ","));
  for (const auto& number : comparison.numbers) {
    for (const auto& key : comparison.keys) text += number.keys.at(key) + ",";
    const bool missing = number.verdict == Verdict::missing;
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", number.measure, number.printed.value,
                        table_number(number.printed.half_width), missing ? "" : table_number(number.ours.mean),
                        missing ? "" : table_number(number.ours.half_width), number.ours.count,
                        table_number(number.difference), table_number(number.joint), name_of(number.verdict));
  }
  return text;
}

}  // namespace cambium
