#include "lab/results/cell_result.hpp"

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace cambium {
namespace {

using Json = nlohmann::json;

class Reading {
 public:
  Reading(const Json& json, std::size_t seeds, CellResult& result) : json_(json), seeds_(seeds), result_(result) {}

  // Every measure of a part, under a prefix. What is no measure is left out.
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
    if (list.size() != seeds_) throw std::out_of_range("as many values as seeds are wanted");
    std::vector<double> result;
    for (const auto& value : list) result.push_back(value.is_number() ? value.get<double>() : NAN);
    return result;
  }

  const Json& json_;
  std::size_t seeds_;
  CellResult& result_;
};

// The study's names for what depends on the kind of stream.
void add_study_names(CellResult& result, const RunConfig& config) {
  auto& all = result.measures;
  const auto name_as = [&](const std::string& name, const std::string& from) {
    if (const auto found = all.find(from); found != all.end()) all[name] = std::vector<double>(found->second);
  };
  if (!config.edits())
    for (const auto& [name, values] : std::map(all)) all["ticket." + name] = values;
  const auto kind = config.stream().kind;
  const bool iid = kind == StreamEntry::Kind::iid;
  name_as("average", iid ? "accuracy" : kind == StreamEntry::Kind::shifting ? "taoa" : "taa_tasks");
  name_as("taa", iid ? "taa_cycles" : "taa_tasks");
  name_as("ticket.taa", iid ? "ticket.taa_epochs" : "ticket.taa_tasks");
  if (result.has("taa") && result.has("ticket.taa"))
    for (std::size_t i = 0; i < result.seeds.size(); ++i) {
      all["gain.taa"].resize(result.seeds.size());
      all["gain.taa"][i] = all["ticket.taa"][i] - all["taa"][i];
    }
}

}  // namespace

const std::vector<double>& CellResult::of(const std::string& measure) const {
  if (const auto found = measures.find(measure); found != measures.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, values] : measures) names.push_back(name);
  const auto near = nearest(measure, names);
  throw_input_error(
      "there is no measure {} of this run. {}", measure,
      near.empty() ? fmt::format("Measures: {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

Estimate CellResult::estimate_of(const std::string& measure) const {
  std::vector<double> there;
  for (const double value : of(measure))
    if (!std::isnan(value)) there.push_back(value);
  return estimate(there);
}

CellResult read_cell_result(const std::filesystem::path& file, const RunConfig& config) {
  std::ifstream stream(file);
  if (!stream) throw_input_error("{}: cannot be read", file.string());
  CellResult result{.seeds = config.seeds};
  try {
    const auto json = Json::parse(stream);
    if (json.at("config") != Json(to_json(config)))
      throw std::out_of_range("it is the result of another configuration");
    Reading reading(json, config.seeds.size(), result);
    reading.add_all(json, "");
    if (json.contains("ticket")) reading.add_all(json.at("ticket"), "ticket.");
    if (json.contains("ticket_minus_cycles")) reading.add_all(json.at("ticket_minus_cycles"), "gain.");
    reading.add_parities();
  } catch (const std::exception& wrong) {
    throw_input_error("{}: not the result of this cell: {}. Move its folder away, and run it again.", file.string(),
                      wrong.what());
  }
  add_study_names(result, config);
  return result;
}

}  // namespace cambium
