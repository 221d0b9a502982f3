#include "lab/run/network_tensors.hpp"

namespace cambium {

void add_parameters(TensorFile& file, const std::string& prefix, const ParameterLayout& full,
                    std::span<const float> values) {
  for (auto& tensor : to_state_dict(full, values))
    file.tensors[prefix + tensor.name] = Tensor::of<float>(std::move(tensor.shape), tensor.values);
}

std::vector<float> read_parameters(const TensorFile& file, const std::string& prefix, const ParameterLayout& full) {
  auto tensors = state_dict_shapes(full);
  for (auto& tensor : tensors) tensor.values = file.values<float>(prefix + tensor.name, tensor.shape);
  return from_state_dict(full, tensors);
}

void add_masks(TensorFile& file, const std::string& prefix, const Architecture& architecture,
               const Structure& structure) {
  for (std::size_t layer = 0; layer < structure.layers(); ++layer)
    file.tensors[prefix + architecture.hidden_name(layer)] =
        Tensor::of<std::uint8_t>({structure.replicas(), structure.full_width(layer)}, structure.masks(layer));
}

Structure read_masks(const TensorFile& file, const std::string& prefix, const Architecture& architecture,
                     std::int32_t replicas) {
  Structure structure(architecture, replicas);
  for (std::size_t layer = 0; layer < structure.layers(); ++layer) {
    const auto name = prefix + architecture.hidden_name(layer);
    const auto width = static_cast<std::size_t>(structure.full_width(layer));
    const auto masks = file.values<std::uint8_t>(name, {-1, structure.full_width(layer)});
    const auto stored = static_cast<std::int32_t>(masks.size() / width);
    if (stored != 1 && stored != replicas)
      throw_input_error("{}: {}: masks of {} networks for {} seeds. Use a file with one network, or with one per seed.",
                        file.source(), name, stored, replicas);
    for (std::int32_t r = 0; r < replicas; ++r) {
      structure.set_mask(layer, r,
                         std::span(masks).subspan(stored == 1 ? 0 : static_cast<std::size_t>(r) * width, width));
      if (structure.active(layer, r) == 0)
        throw_input_error("{}: {}: network {} has no active unit; it needs at least one", file.source(), name, r + 1);
    }
  }
  return structure;
}

}  // namespace cambium
