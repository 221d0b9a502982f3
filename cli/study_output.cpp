#include "cli/study_output.hpp"

#include <fmt/format.h>

#include "base/durable_file.hpp"
#include "lab/report/report.hpp"
#include "lab/study/result_table.hpp"
#include "lab/study/study_section.hpp"

namespace cambium::cli {
namespace {

void write_file(const SweepFolder& folder, const std::string& name, const std::string& text) {
  const auto path = folder.path() / "study";
  std::filesystem::create_directories(path);
  DurableFile::write(path / name, text);
}

}  // namespace

void print_own_table(const Experiment& experiment, const SweepFolder& folder) {
  const auto table = read_table(experiment);
  if (!table || !table->rows.empty()) return;
  const Findings findings(experiment, folder);
  fmt::print("\n{}\nMeans over seeds in percent, ± half the 95 % interval.\n\n{}", experiment.title,
             to_text(*table, experiment, findings));
  if (const auto sentence = conclusion(findings); !sentence.empty()) fmt::print("\n{}\n", sentence);
}

StudyResult study_result(const Experiment& experiment, const Study& study) {
  StudyResult result{.name = experiment.name};
  if (const auto table = read_table(experiment); table && !table->rows.empty())
    result.comparison = compare(*table, study.of(experiment.name));
  result.claims = check(claims_of(experiment.name), study);
  return result;
}

void print(const StudyResult& result) {
  if (result.comparison) fmt::print("{}\n{}.\n", to_text(*result.comparison), summary(*result.comparison));
  if (!result.claims.empty())
    fmt::print("\nThe study's claims:\n\n{}\n{}.\n", to_text(result.claims), summary(result.claims));
}

void write_comparison(const StudyResult& result, const SweepFolder& folder) {
  if (result.comparison) write_file(folder, result.name + ".csv", to_csv(*result.comparison));
}

std::filesystem::path make_report(const std::filesystem::path& folder, const std::filesystem::path& out,
                                  const std::vector<std::string>& history) {
  const auto section = [&](const Experiment& experiment, std::span<const ShownCell>) {
    return study_section(experiment, SweepFolder(folder));
  };
  return write_report(folder, {.out = out, .history = history, .sections = {section}});
}

void write_claims(const Study& study, const SweepFolder& folder) {
  std::vector<CheckedClaim> decided;
  for (const auto& claim : claims())
    if (auto ruling = check(claim, study); ruling.verdict != Ruling::Verdict::not_enough)
      decided.push_back({&claim, std::move(ruling)});
  write_file(folder, "claims.csv", to_csv(decided));
}

}  // namespace cambium::cli
