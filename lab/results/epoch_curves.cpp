#include "lab/results/epoch_curves.hpp"

#include <algorithm>
#include <cmath>

#include "base/csv_line.hpp"
#include "base/text_file.hpp"
#include "lab/results/measures.hpp"

namespace cambium {

EpochCurves::EpochCurves(std::string_view text, const std::string& file, const RunConfig& config)
    : seeds_(config.seeds.size()) {
  const auto architecture = architecture_of(config);
  active_.resize(architecture.hidden.size());
  for_each_csv_line(text, epoch_table_header(architecture), file, "a table of epochs", [&](CsvLine line) {
    for (const auto* column : {"run", "method", "variant", "stream", "compactness"}) line.text(column);
    const auto seed = line.number<std::uint32_t>("seed");
    const auto place =
        static_cast<std::size_t>(std::find(config.seeds.begin(), config.seeds.end(), seed) - config.seeds.begin());
    if (place == seeds_) line.refuse("seed", fmt::format("{}", seed));
    const bool cycles = line.text("phase") == "cycles";
    for (const auto* column : {"cycle", "task"}) line.number<std::int32_t>(column);
    const auto period = line.number<std::int32_t>("epoch");
    if (period < 1 || period > config.periods()) line.refuse("epoch", fmt::format("{}", period));
    for (const auto* column : {"step", "lr"}) line.text(column);
    const auto put = [&](auto& values, double value) {
      values.try_emplace(period, std::vector<double>(seeds_, NAN)).first->second[place] = value;
    };
    for (const auto& [measure, member] : epoch_measures())
      if (const double value = line.number_or_missing(measure.name.c_str()); cycles) put(columns_[measure.name], value);
    for (auto& layer : active_)
      if (const auto units = line.number<std::int32_t>("active"); cycles) put(layer, units);
    line.end();
    if (cycles) periods_ = std::max(periods_, period);
  });
}

EpochCurves EpochCurves::read(const std::filesystem::path& file, const RunConfig& config) {
  const auto text = read_text_file(file);
  // The last line of an unfinished run may be incomplete.
  const auto whole = std::string_view(text).substr(0, text.rfind('\n') + 1);
  return {std::filesystem::exists(file.parent_path() / "result.json") ? std::string_view(text) : whole, file.string(),
          config};
}

std::vector<double> EpochCurves::values(const std::string& column, std::int32_t period) const {
  if (const auto own = columns_.find(column); own != columns_.end())
    if (const auto found = own->second.find(period); found != own->second.end()) return found->second;
  return std::vector<double>(seeds_, NAN);
}

double EpochCurves::active_units(std::size_t layer, std::int32_t period) const {
  const auto found = active_.at(layer).find(period);
  if (found == active_.at(layer).end()) return NAN;
  double sum = 0;
  for (const double units : found->second) sum += units;
  return sum / static_cast<double>(seeds_);
}

}  // namespace cambium
