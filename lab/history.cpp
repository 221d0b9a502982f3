#include "lab/history.hpp"

namespace cambium {

std::string history_lines(const Edit& edit, const RunConfig& config, const Architecture& architecture,
                          std::int32_t epoch, std::uint64_t step) {
  std::string lines;
  for (std::size_t r = 0; r < config.seeds.size(); ++r)
    for (std::size_t layer = 0; layer < edit.choices.size(); ++layer) {
      const Choice& choice = edit.choices[layer][r];
      const auto replica = static_cast<std::int32_t>(r);
      nlohmann::ordered_json line{{"event", edit.event},
                                  {"epoch", epoch},
                                  {"step", step},
                                  {"seed", config.seeds[r]},
                                  {"layer", architecture.hidden_name(layer)},
                                  {"method", name_of(config.method)},
                                  {"rule", config.method == Method::grow ? config.grow.rule : "magnitude"},
                                  {"active_before", edit.before.active(layer, replica)},
                                  {"active_after", edit.after.active(layer, replica)},
                                  {"units", choice.units},
                                  {"scores", choice.scores}};
      line["runner_up"] = choice.runner_up ? nlohmann::ordered_json(*choice.runner_up) : nlohmann::ordered_json();
      for (const auto& [name, donors] : edit.donors)
        for (const std::int32_t unit : choice.units)
          line[name].push_back(donors[layer][r * static_cast<std::size_t>(edit.after.full_width(layer)) +
                                             static_cast<std::size_t>(unit)]);
      line["loss_before"] = edit.loss_before[r];
      line["loss_after"] = edit.loss_after[r];
      if (!edit.loss_rewound.empty()) line["loss_rewound"] = edit.loss_rewound[r];
      line["logit_distance"] = edit.logit_distance[r];
      lines += line.dump() + "\n";
    }
  return lines;
}

}  // namespace cambium
