#include "lab/results/cell_result.hpp"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "lab/results/measures.hpp"

namespace cambium {
namespace {

using Json = nlohmann::json;

class ResultReader {
 public:
  ResultReader(const Json& json, std::size_t seeds, CellResult& result) : json_(json), seeds_(seeds), result_(result) {}

  // Adds every measure of a part under a prefix, and skips all other entries.
  void add_all(const Json& part, const std::string& prefix) {
    for (const auto& [name, value] : part.items())
      if (value.is_object() && value.contains("mean") && value.contains("seeds"))
        result_.measures[prefix + name] = values(value.at("seeds"));
  }

  void add_parities() {
    if (!json_.contains("diagnostics")) return;
    const Json& list = json_.at("diagnostics");
    std::size_t seed = 0;
    for (const auto& entry : list) {
      if (entry.at("batches") != 1) continue;
      if (seed == seeds_) throw std::out_of_range("more parities than seeds");
      for (const auto& [name, value] : entry.items()) {
        if (name == "seed" || name == "batches") continue;
        auto& all = result_.measures["parity." + name];
        all.resize(seeds_, NAN);
        all[seed] = value.is_number() ? value.get<double>() : NAN;
      }
      ++seed;
    }
  }

 private:
  std::vector<double> values(const Json& list) const {
    if (list.size() != seeds_) throw std::out_of_range("a measure does not have one value per seed");
    std::vector<double> result;
    for (const auto& value : list) result.push_back(value.is_number() ? value.get<double>() : NAN);
    return result;
  }

  const Json& json_;
  std::size_t seeds_;
  CellResult& result_;
};

void add_aliases(CellResult& result, const RunConfig& config) {
  auto& all = result.measures;
  if (!config.edits())
    for (const auto& [name, values] : std::map(all)) all["ticket." + name] = values;
  const auto add_alias = [&](const std::string& name, const std::string& from) {
    if (const auto found = all.find(from); found != all.end()) all[name] = std::vector<double>(found->second);
  };
  const auto kind = config.stream().kind;
  for (const auto& [measure, in_cycles, in_ticket] : alias_measures()) {
    add_alias(measure.name, in_cycles(kind));
    if (in_ticket == nullptr) continue;
    add_alias("ticket." + measure.name, std::string("ticket.") + in_ticket(kind));
    if (!result.has(measure.name) || !result.has("ticket." + measure.name)) continue;
    auto& gain = all["gain." + measure.name];
    for (std::size_t i = 0; i < result.seeds.size(); ++i)
      gain.push_back(all["ticket." + measure.name][i] - all[measure.name][i]);
  }
}

}  // namespace

const std::vector<double>& CellResult::of(const std::string& measure) const {
  if (const auto found = measures.find(measure); found != measures.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, values] : measures) names.push_back(name);
  const auto near = nearest(measure, names);
  throw_input_error(
      "unknown measure '{}' of this run. {}", measure,
      near.empty() ? fmt::format("Measures: {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

Estimate CellResult::estimate_of(const std::string& measure) const {
  std::vector<double> known;
  for (const double value : of(measure))
    if (!std::isnan(value)) known.push_back(value);
  return estimate(known);
}

CellResult read_cell_result(const std::filesystem::path& file, const RunConfig& config) {
  std::ifstream stream(file);
  if (!stream) throw_file_error(file, "read", errno);
  CellResult result{.seeds = config.seeds};
  try {
    const auto json = Json::parse(stream);
    if (json.at("config") != Json(to_json(config))) throw std::out_of_range("it has another configuration");
    ResultReader reader(json, config.seeds.size(), result);
    reader.add_all(json, "");
    if (json.contains("ticket")) reader.add_all(json.at("ticket"), "ticket.");
    if (json.contains("ticket_minus_cycles")) reader.add_all(json.at("ticket_minus_cycles"), "gain.");
    reader.add_parities();
  } catch (const std::exception& wrong) {
    throw_input_error("{}: not the result of this cell: {}. Move its folder away and run the cell again.",
                      file.string(), wrong.what());
  }
  add_aliases(result, config);
  return result;
}

}  // namespace cambium
