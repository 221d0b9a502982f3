#include "lab/study/study_section.hpp"

#include <fmt/format.h>

#include "base/html.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"
#include "lab/study/claims.hpp"
#include "lab/study/comparison.hpp"
#include "lab/study/result_table.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_open_rows = 60;

// Highlights a verdict that disagrees.
std::string verdict_cell(const std::string& words, bool wrong) {
  return fmt::format("<td{}>{}</td>", wrong ? " class=\"wrong\"" : "", escaped(words));
}

std::string comparison_table(const Comparison& comparison) {
  std::string html = "<div class=\"wide\"><table><thead><tr>";
  for (const auto& key : comparison.keys) html += fmt::format("<th scope=\"col\">{}</th>", escaped(key_label(key)));
  html += "<th scope=\"col\">measure</th>";
  for (const auto* title : {"study", "ours", "difference"})
    html += fmt::format("<th scope=\"col\" class=\"number\">{}</th>", title);
  html += "<th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n";
  for (const auto& number : comparison.numbers) {
    html += "<tr>";
    for (const auto& key : comparison.keys)
      html += fmt::format("<td>{}</td>", escaped(value_label(key, number.keys.at(key))));
    const bool missing = number.verdict == ComparedNumber::Verdict::missing;
    html +=
        fmt::format("<td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>",
                    escaped(measure_label(number.measure)), printed_text(number.printed, comparison.welch),
                    missing ? "" : estimate_text(number.ours, comparison.welch),
                    missing ? "" : fmt::format("{:+.{}f}", number.difference, comparison.welch ? 4 : 2));
    html += verdict_cell(name_of(number.verdict), number.verdict == ComparedNumber::Verdict::differs) + "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string claim_list(const std::vector<CheckedClaim>& claims) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th scope=\"col\" class=\"number\">claim</th>"
      "<th scope=\"col\"></th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n";
  for (const auto& [claim, ruling] : claims)
    html += fmt::format(
        "<tr><td class=\"number\">{}</td><td class=\"prose\">{}.{}<br><span class=\"note\">{}</span></td>{}</tr>\n",
        claim->number, escaped(claim->statement),
        claim->remark.empty() ? "" : fmt::format(" <span class=\"note\">({})</span>", escaped(claim->remark)),
        escaped(ruling.evidence), verdict_cell(name_of(ruling.verdict), ruling.verdict == Ruling::Verdict::fails));
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string study_section(const Experiment& experiment, const SweepFolder& folder) {
  std::string html;
  const auto table = read_table(experiment);
  const Findings findings(experiment, folder);
  // A user's experiment may have the name of one of the study's; only an equal file is the study's.
  const bool of_study =
      in_study(experiment.name) && study_experiment(experiment.name, experiment.scale).text == experiment.text;
  if (table && !table->rows.empty()) {
    const auto comparison = compare(*table, findings);
    const bool open = comparison.numbers.size() <= most_open_rows;
    html += fmt::format("<h3>{}</h3>\n<details{}><summary>{}</summary>\n{}</details>\n",
                        of_study ? "Comparison with the study" : "Comparison with the printed values",
                        open ? " open" : "", escaped(summary(comparison)), comparison_table(comparison));
  }
  if (of_study)
    if (const auto checked = check(claims_of(experiment.name), Study(folder, experiment.scale)); !checked.empty())
      html += fmt::format("<h3>The study's claims</h3>\n<p class=\"note\">{}</p>\n{}", escaped(summary(checked)),
                          claim_list(checked));
  if (const auto sentence = conclusion(findings); !sentence.empty())
    html += fmt::format("<p>{}</p>\n", escaped(sentence));
  return html;
}

}  // namespace cambium
