#include "lab/results/parity_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/csv_line.hpp"
#include "base/text_file.hpp"
#include "lab/results/cohort_table.hpp"

namespace cambium {

ParityTable::ParityTable(std::string_view text, const std::string& file, std::span<const std::uint32_t> seeds,
                         std::int32_t batches, std::span<const std::string> wanted)
    : seeds_(seeds.size()) {
  std::set<std::int32_t> events;
  std::set<std::tuple<std::string_view, Key, std::size_t, std::int64_t>> seen;
  for_each_csv_line(text, parity_header(), file, "a table of parities", [&](CsvLine line) {
    for (const auto* column : {"run", "method", "variant", "stream", "compactness"}) line.text(column);
    const auto seed = line.number<std::uint32_t>("seed");
    const auto event = line.number<std::int32_t>("event");
    const bool whole_network = line.text("layer") == "all";
    const auto quantity = line.text("quantity");
    if (const auto of = line.number<std::int32_t>("batches"); !whole_network || of != batches) {
      for (const auto* column : {"time_point", "age_steps", "age_epochs", "value"}) line.text(column);
      return line.end();
    }
    const auto point = line.one_of("time_point", all_time_points);
    const auto steps = line.number<std::int64_t>("age_steps");
    const auto epochs = line.number<double>("age_epochs");
    const double value = line.number_or_missing("value");
    line.end();

    const auto place = static_cast<std::size_t>(std::find(seeds.begin(), seeds.end(), seed) - seeds.begin());
    if (place == seeds.size()) line.refuse("seed", fmt::format("{}", seed));
    if (event < 0) line.refuse("event", fmt::format("{}", event));
    if (!(epochs >= 0 && epochs < 1e9)) line.refuse("age_epochs", fmt::format("{}", epochs));
    events.insert(event);

    const bool whole_epochs = epochs == std::floor(epochs);
    const auto age = whole_epochs ? static_cast<std::int32_t>(epochs) : 0;
    if (!seen.emplace(quantity, Key{event, point, age}, place, steps).second)
      throw_input_error("{}: seed {}, event {}: {} at {}, {} steps, appears twice", file, seed, event, quantity,
                        name_of(point), steps);
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), quantity) == wanted.end()) return;
    const auto own = quantities_.try_emplace(std::string(quantity)).first;
    const auto put = [&](const Key& key) {
      own->second.try_emplace(key, std::vector<double>(seeds_, NAN)).first->second[place] = value;
    };
    if (point != TimePoint::age) put({event, point, 0});
    // The end of a segment is also an age, and `post` is age 0.
    if (whole_epochs && (point == TimePoint::age || point == TimePoint::end)) {
      put({event, TimePoint::age, age});
      oldest_[event] = std::max(oldest_[event], age);
    }
    if (point == TimePoint::post) put({event, TimePoint::age, 0});
    last_[own->first].try_emplace(event, std::vector<double>(seeds_, NAN)).first->second[place] = value;
  });
  events_.assign(events.begin(), events.end());
}

ParityTable ParityTable::read(const std::filesystem::path& file, std::span<const std::uint32_t> seeds,
                              std::int32_t batches, std::span<const std::string> wanted) {
  return {read_text_file(file), file.string(), seeds, batches, wanted};
}

std::int32_t ParityTable::oldest(std::int32_t event) const {
  const auto found = oldest_.find(event);
  return found == oldest_.end() ? 0 : found->second;
}

std::vector<double> ParityTable::find(const std::string& quantity, const Key& key) const {
  const auto own = quantities_.find(quantity);
  if (own != quantities_.end())
    if (const auto found = own->second.find(key); found != own->second.end()) return found->second;
  return std::vector<double>(seeds_, NAN);
}

std::vector<double> ParityTable::values(const std::string& quantity, TimePoint point, std::int32_t event) const {
  return find(quantity, {event, point, 0});
}

std::vector<double> ParityTable::at_age(const std::string& quantity, std::int32_t epochs, std::int32_t event) const {
  return find(quantity, {event, TimePoint::age, epochs});
}

std::vector<double> ParityTable::last(const std::string& quantity, std::int32_t event) const {
  const auto own = last_.find(quantity);
  if (own != last_.end())
    if (const auto found = own->second.find(event); found != own->second.end()) return found->second;
  return std::vector<double>(seeds_, NAN);
}

}  // namespace cambium
