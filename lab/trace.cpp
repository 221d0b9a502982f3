#include "lab/trace.hpp"

#include "streams/augmentation.hpp"
#include "streams/order.hpp"

namespace cambium {

void write_trace(const std::filesystem::path& path, const RunConfig& config, const RunState& state,
                 const ParameterLayout& full, const Structure& structure, std::span<const float> parameters,
                 std::uint32_t images) {
  TensorFile file;
  file.metadata = {{"format", "cambium-trace-1"},
                   {"cambium", CAMBIUM_VERSION},
                   {"config", to_json(config).dump()},
                   {"seeds", nlohmann::json(config.seeds).dump()}};
  add_parameters(file, "init.", full, initial_parameters(full, config.init, config.seeds));
  add_parameters(file, "final.", full, parameters);
  add_masks(file, "mask.init.", full.architecture, structure);

  // Everything random is a function of the seed, so it is drawn once more instead of having been kept.
  const std::size_t replicas = config.seeds.size(), batch = config.batch;
  const std::size_t each_epoch = EpochOrder::steps(images, config.batch);
  const std::size_t steps = each_epoch * static_cast<std::size_t>(config.epochs);
  std::vector<std::int32_t> batches(replicas * steps * batch, -1), crops;
  std::vector<std::uint8_t> flips;
  std::vector<float> rates(steps), losses(replicas * steps);
  if (config.augment) {
    crops.resize(batches.size() * 2);
    flips.resize(batches.size());
  }
  for (std::size_t step = 0; step < steps; ++step) {
    rates[step] = static_cast<float>(config.schedule.at(static_cast<std::int64_t>(step / each_epoch)));
    for (std::size_t r = 0; r < replicas; ++r) losses[r * steps + step] = state.step_losses[step * replicas + r];
  }
  for (std::int32_t epoch = 0; epoch < config.epochs; ++epoch) {
    const EpochOrder order(images, config.batch, static_cast<std::uint32_t>(epoch), config.seeds);
    for (std::uint32_t s = 0; s < order.steps(); ++s)
      for (std::size_t r = 0; r < replicas; ++r)
        for (std::uint32_t row = 0; row < order.rows(s); ++row) {
          const std::size_t step = static_cast<std::size_t>(epoch) * each_epoch + s;
          const std::size_t at = (r * steps + step) * batch + row;
          batches[at] = order.indices()[order.begin(s) + r * order.rows(s) + row];
          if (!config.augment) continue;
          const Augmentation change = augmentation_at(config.seeds[r], step, row);
          crops[2 * at] = static_cast<std::int32_t>(change.down);
          crops[2 * at + 1] = static_cast<std::int32_t>(change.across);
          flips[at] = change.flip;
        }
  }
  const auto r = static_cast<std::int64_t>(replicas), s = static_cast<std::int64_t>(steps);
  const auto b = static_cast<std::int64_t>(batch);
  file.tensors["batches"] = Tensor::of<std::int32_t>({r, s, b}, batches);
  file.tensors["loss"] = Tensor::of<float>({r, s}, losses);
  file.tensors["lr"] = Tensor::of<float>({s}, rates);
  if (config.augment) {
    file.tensors["crop"] = Tensor::of<std::int32_t>({r, s, b, 2}, crops);
    file.tensors["flip"] = Tensor::of<std::uint8_t>({r, s, b}, flips);
  }
  file.write(path);
}

}  // namespace cambium
