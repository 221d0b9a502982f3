#include "lab/run/checkpoint_checks.hpp"

#include "lab/config/config.hpp"

namespace cambium {

void check_active_units(const std::string& source, const RunConfig& config, const Architecture& architecture,
                        const Structure& structure, std::int32_t events) {
  if (!config.edits()) return;
  const auto expected = planned_units(config, architecture, events);
  for (std::size_t layer = 0; layer < structure.layers(); ++layer)
    for (std::int32_t r = 0; r < structure.replicas(); ++r)
      if (structure.active(layer, r) != expected[layer])
        throw_input_error(
            "{}: network {} has {} active units in hidden layer {}, but {} edits leave {}; the file is damaged", source,
            r + 1, structure.active(layer, r), layer + 1, events, expected[layer]);
}

void check_births(const std::string& source, const RunConfig& config, const Architecture& architecture,
                  const Structure& structure, const BirthEvents& births, std::int32_t events) {
  const std::int32_t first = config.events().first();
  for (std::size_t layer = 0; layer < births.size(); ++layer) {
    const auto name = "birth." + architecture.hidden_name(layer);
    const auto width = static_cast<std::size_t>(structure.full_width(layer));
    for (std::size_t r = 0; r < births[layer].size() / width; ++r) {
      std::vector<std::int32_t> born(static_cast<std::size_t>(events), 0);
      for (std::size_t unit = 0; unit < width; ++unit) {
        const std::int32_t birth = births[layer][r * width + unit];
        if (birth == -1) continue;
        const bool active = structure.mask(layer, static_cast<std::int32_t>(r))[unit] != 0;
        if (birth < first || birth >= first + events || !active)
          throw_input_error("{}: {}: unit {} of network {}, which is {}, has birth event {}; the file is damaged",
                            source, name, unit, r + 1, active ? "active" : "not active", birth);
        ++born[static_cast<std::size_t>(birth - first)];
      }
      for (std::int32_t edit = 0; edit < events; ++edit) {
        const std::int32_t expected = config.method == Method::grow
                                          ? planned_units(config, architecture, edit + 1)[layer] -
                                                planned_units(config, architecture, edit)[layer]
                                          : 0;
        if (born[static_cast<std::size_t>(edit)] != expected)
          throw_input_error("{}: {}: network {} has {} units of event {}, which activates {}; the file is damaged",
                            source, name, r + 1, born[static_cast<std::size_t>(edit)], first + edit, expected);
      }
    }
  }
}

}  // namespace cambium
