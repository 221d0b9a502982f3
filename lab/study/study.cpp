#include "lab/study/study.hpp"

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "lab/config/config.hpp"

namespace cambium {
namespace {

std::string name_of_file(const EmbeddedFile& file) {
  return std::filesystem::path(std::string(file.path)).stem().string();
}

std::string text_of_study(const std::string& name) {
  for (const auto& file : study_files())
    if (name_of_file(file) == name) return std::string(file.text);
  const auto names = study_names();
  const auto near = nearest(name, names);
  throw_input_error(
      "the study has no {}. {}", name,
      near.empty() ? fmt::format("It has {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

// The sort key of a name: tables, then figures, then claims, each by number.
auto place_of(const std::string& name) {
  const std::size_t dash = name.find('-');
  const auto kind = name.substr(0, dash);
  int number = 0;
  parse_number(name.substr(dash + 1, name.find('-', dash + 1) - dash - 1), number);
  return std::tuple(kind == "table" ? 0 : kind == "figure" ? 1 : 2, number, name);
}

}  // namespace

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const auto& file : study_files()) names.push_back(name_of_file(file));
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return place_of(a) < place_of(b); });
  return names;
}

bool in_study(const std::string& name) {
  const auto names = study_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Experiment study_experiment(const std::string& name, Scale scale) {
  return parse_experiment(text_of_study(name), name, name, scale, text_of_study);
}

const Findings& Study::of(const std::string& name) const {
  if (const auto found = findings_.find(name); found != findings_.end()) return found->second;
  auto experiment = study_experiment(name, scale_);
  if (!experiment.like.empty()) return of(experiment.like);
  decide_cells(experiment, folder_);
  return findings_.emplace(name, Findings(experiment, folder_)).first->second;
}

const ParityTable& Study::parities(const Finding& finding) const {
  if (const auto found = parities_.find(finding.name); found != parities_.end()) return found->second;
  const auto file = finding.folder / "parities.csv";
  if (!finding.result || !std::filesystem::exists(file))
    throw MissingRuns(fmt::format("{} has no diagnostics", finding.name));
  return parities_.emplace(finding.name, ParityTable::read(file, finding.result->seeds)).first->second;
}

}  // namespace cambium
