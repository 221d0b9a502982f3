#include "lab/run/traced_edit.hpp"

#include "lab/run/network_tensors.hpp"

namespace cambium {

void add_edit(TensorFile& file, const std::string& prefix, const Architecture& architecture, const TracedEdit& edit) {
  const auto name = [&](const std::string& what) { return fmt::format("{}{}.{}.", prefix, what, edit.event); };
  add_masks(file, name("mask"), architecture, edit.after);
  for (std::size_t layer = 0; layer < edit.scores.size(); ++layer) {
    const std::vector<std::int64_t> shape{edit.after.replicas(), edit.after.full_width(layer)};
    const auto of_layer = architecture.hidden_name(layer);
    file.tensors[name("scores") + of_layer] = Tensor::of<float>(shape, edit.scores[layer]);
    for (const auto& [donor, units] : edit.donors)
      file.tensors[name(donor) + of_layer] = Tensor::of<std::int32_t>(shape, units[layer]);
  }
}

TracedEdit read_edit(const TensorFile& file, const std::string& prefix, const Architecture& architecture,
                     std::int32_t replicas, std::uint32_t event) {
  const auto name = [&](const std::string& what) { return fmt::format("{}{}.{}.", prefix, what, event); };
  TracedEdit edit{.event = event, .after = read_masks(file, name("mask"), architecture, replicas)};
  for (std::size_t layer = 0; layer < edit.after.layers(); ++layer) {
    const std::vector<std::int64_t> shape{replicas, edit.after.full_width(layer)};
    const auto of_layer = architecture.hidden_name(layer);
    edit.scores.push_back(file.values<float>(name("scores") + of_layer, shape));
    for (const auto& entry : interventions())
      if (entry.at_birth && file.contains(name(entry.donor_name) + of_layer))
        edit.donors[entry.donor_name].push_back(file.values<std::int32_t>(name(entry.donor_name) + of_layer, shape));
  }
  return edit;
}

}  // namespace cambium
