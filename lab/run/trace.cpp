#include "lab/run/trace.hpp"

#include <nlohmann/json.hpp>

#include "lab/training/editor.hpp"
#include "plasticity/net2wider.hpp"
#include "streams/augmentation.hpp"

namespace cambium {

namespace {

// (R, steps) of what was kept step by step.
std::vector<float> by_replica(const std::vector<float>& losses, std::size_t replicas) {
  const std::size_t steps = losses.size() / replicas;
  std::vector<float> result(losses.size());
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t r = 0; r < replicas; ++r) result[r * steps + step] = losses[step * replicas + r];
  return result;
}

std::vector<float> rates(const Schedule& schedule, const CurriculumSettings& settings) {
  std::vector<float> result;
  for (std::int32_t period = 0; period < settings.periods(); ++period)
    result.insert(result.end(), settings.step_numbers(period), static_cast<float>(schedule.at(period)));
  return result;
}

// The numbers that Net2Wider's noise is made of, for the newborns of a layer in ascending order, (R, newborns, inputs).
Tensor noise_of(const TracedEdit& edit, const std::vector<std::int32_t>& donors, const LayerLayout& layer,
                std::size_t hidden_layer, const std::vector<std::uint32_t>& seeds) {
  std::vector<float> noise;
  const std::size_t width = donors.size() / seeds.size();
  for (std::size_t i = 0; i < donors.size(); ++i)
    for (std::int32_t input = 0; donors[i] >= 0 && input < layer.inputs; ++input)
      noise.push_back(insertion_noise(seeds[i / width], edit.event, static_cast<std::uint32_t>(hidden_layer),
                                      static_cast<std::uint32_t>(i % width), static_cast<std::uint32_t>(input)));
  const auto replicas = static_cast<std::int64_t>(seeds.size());
  return Tensor::of<float>({replicas, static_cast<std::int64_t>(noise.size()) / replicas / layer.inputs, layer.inputs},
                           noise);
}

void add_edits(TensorFile& file, const RunConfig& config, const RunState& state, const ParameterLayout& full,
               const Curriculum& curriculum) {
  std::vector<std::int64_t> numbers, steps;
  for (const auto& edit : state.edits) {
    const auto event = static_cast<std::int32_t>(edit.event);
    add_edit(file, "", full.architecture, edit);
    const auto batch = Editor::scoring_batch(config, curriculum, event);
    const auto replicas = static_cast<std::int64_t>(config.seeds.size());
    file.tensors[fmt::format("score.{}", event)] =
        Tensor::of<std::int32_t>({replicas, static_cast<std::int64_t>(batch.size()) / replicas}, batch);
    numbers.push_back(event);
    steps.push_back(static_cast<std::int64_t>(config.curriculum.first_step(config.cycle_end(event))));
    if (const auto found = edit.donors.find("donor");
        found != edit.donors.end() && config.grow.intervention.net2wider_epsilon > 0)
      for (std::size_t layer = 0; layer < found->second.size(); ++layer)
        file.tensors[fmt::format("noise.{}.{}", event, full.architecture.hidden_name(layer))] = noise_of(
            edit, found->second[layer], full.layers[full.architecture.trunk.size() + layer], layer, config.seeds);
  }
  const auto count = static_cast<std::int64_t>(numbers.size());
  file.tensors["event.number"] = Tensor::of<std::int64_t>({count}, numbers);
  file.tensors["event.step"] = Tensor::of<std::int64_t>({count}, steps);
}

}  // namespace

void write_trace(const std::filesystem::path& path, const RunConfig& config, const RunState& state,
                 Curriculum& curriculum, const ParameterLayout& full, const Structure& first,
                 std::span<const float> of_cycles, std::span<const float> last) {
  TensorFile file;
  file.metadata = {{"format", "cambium-trace-1"},
                   {"cambium", CAMBIUM_VERSION},
                   {"config", to_json(config).dump()},
                   {"seeds", nlohmann::json(config.seeds).dump()}};
  add_parameters(file, "init.", full, initial_parameters(full, config.init, config.seeds));
  add_parameters(file, "final.", full, of_cycles);
  add_masks(file, "mask.init.", full.architecture, first);

  // Everything random is a function of the seed, so it is drawn once more instead of having been kept.
  const CurriculumSettings& settings = config.curriculum;
  const std::size_t replicas = config.seeds.size(), batch = settings.rows(), steps = settings.step_numbers();
  std::vector<std::int32_t> batches(replicas * steps * batch, -1), crops;
  std::vector<std::uint8_t> flips;
  if (config.augment) {
    crops.resize(batches.size() * 2);
    flips.resize(batches.size());
  }
  for (std::int32_t period = 0; period < settings.periods(); ++period) {
    curriculum.go_to(period);
    for (std::uint32_t s = 0; s < curriculum.steps(); ++s)
      for (std::size_t r = 0; r < replicas; ++r) {
        const std::size_t step = settings.first_step(period) + s, begin = (r * steps + step) * batch;
        const std::uint32_t rows = curriculum.fill(r, s, std::span(batches).subspan(begin, batch));
        for (std::uint32_t row = 0; config.augment && row < rows; ++row) {
          const Augmentation change = augmentation_at(config.seeds[r], step, row);
          crops[2 * (begin + row)] = static_cast<std::int32_t>(change.down);
          crops[2 * (begin + row) + 1] = static_cast<std::int32_t>(change.across);
          flips[begin + row] = change.flip;
        }
      }
  }
  const auto r = static_cast<std::int64_t>(replicas), s = static_cast<std::int64_t>(steps);
  const auto b = static_cast<std::int64_t>(batch);
  file.tensors["batches"] = Tensor::of<std::int32_t>({r, s, b}, batches);
  const auto& losses = state.ticket ? state.cycles_losses : state.step_losses;
  file.tensors["loss"] = Tensor::of<float>({r, s}, by_replica(losses, replicas));
  file.tensors["lr"] = Tensor::of<float>({s}, rates(config.schedule, settings));
  if (config.edits()) add_edits(file, config, state, full, curriculum);
  if (state.ticket) {
    add_parameters(file, "ticket.init.", full,
                   initial_parameters(full, config.init, config.seeds, config.fresh_ticket ? 1 : 0));
    add_parameters(file, "ticket.final.", full, last);
    file.tensors["ticket.loss"] = Tensor::of<float>({r, s}, by_replica(state.step_losses, replicas));
    file.tensors["ticket.lr"] = Tensor::of<float>({s}, rates(config.ticket_schedule(), settings));
  }
  if (config.augment) {
    file.tensors["crop"] = Tensor::of<std::int32_t>({r, s, b, 2}, crops);
    file.tensors["flip"] = Tensor::of<std::uint8_t>({r, s, b}, flips);
  }
  file.write(path);
}

}  // namespace cambium
