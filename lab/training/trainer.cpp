#include "lab/training/trainer.hpp"

#include <algorithm>

#include "sycl/device.hpp"

namespace cambium {
namespace {

// Rows of an evaluation batch: enough to fill the device, few enough that activations of a ConvNet stay small. They do
// not depend on the number of replicas, so the predictions of a replica do not, either.
std::uint32_t evaluation_rows(const TrainerSettings& settings) {
  return std::max<std::uint32_t>(settings.batch, settings.architecture.trunk.empty() ? 1000 : 100);
}

}  // namespace

Trainer::Trainer(Device& device, const TrainerSettings& settings, Structure structure)
    : device_(device),
      settings_(settings),
      compaction_(device, settings.architecture, std::move(structure)),
      parameters_(compaction_.make_values()),
      optimizer_(device, settings.optimizer, compaction_),
      seeds_(device, settings.seeds) {
  set_parameters(initial_parameters(compaction_.full(), settings.initialisation, settings.seeds));
  make_network();
}

std::vector<View<const std::int32_t>> Trainer::live_units() const {
  std::vector<View<const std::int32_t>> units;
  if (!compaction_.structure().everything_active())
    for (std::size_t layer = 0; layer < compaction_.structure().layers(); ++layer)
      units.push_back(compaction_.units(layer));
  return units;
}

void Trainer::make_network() {
  const auto trunk = this->trunk();
  network_.reset();  // free its memory before the new network allocates
  network_ = std::make_unique<Network>(device_, compaction_.live(), settings_.activation, settings_.seeds, live_units(),
                                       std::vector<View<const float>>{},
                                       Network::Options{.capacity = evaluation_rows(settings_), .trunk = trunk});
  if (labels_.size() == 0) labels_ = Buffer<std::int32_t>(device_, replicas() * evaluation_rows(settings_));
}

void Trainer::step(const DeviceImages& images, const TrainingBatch& batch) {
  device_.run_step([&] {
    const auto replicas = static_cast<std::uint32_t>(this->replicas());
    const auto labels = labels_.view().slice(0, std::size_t{replicas} * batch.rows);
    images.gather(device_,
                  {.indices = batch.indices,
                   .replicas = replicas,
                   .rows = batch.rows,
                   .augment = settings_.augment,
                   .step = batch.step,
                   .seeds = seeds_,
                   .task = batch.task},
                  network_->input(batch.rows), labels);
    const ForwardPass pass =
        network_->forward(parameters_.live, {.rows = batch.rows, .training = true, .step = batch.step});
    const float scale = batch.weights.empty() ? 1.0f / static_cast<float>(batch.rows) : 1.0f;
    network_->loss(pass, parameters_.live, labels, scale, batch.losses, batch.correct, batch.weights);
    GradientTarget target = optimizer_.target(parameters_.live, batch.rate, !speeds_.empty());
    target.frozen = batch.frozen;
    network_->backward(pass, parameters_.live, target);
    optimizer_.step(parameters_.live, batch.rate, {speeds_.begin(), speeds_.end()}, batch.frozen);
  });
}

Evaluation Trainer::evaluate(const DeviceImages& images, std::span<const std::uint16_t> image_labels) {
  const std::uint32_t most = evaluation_rows(settings_), count = images.count();
  const auto replicas = static_cast<std::uint32_t>(this->replicas());
  const bool shared = settings_.architecture.trunk.empty();  // the trunk needs an input for every replica
  const std::uint32_t copies = shared ? 1 : replicas;
  // (chunk, copies, rows) numbers of images, and (chunk, R, rows) results.
  std::vector<std::int32_t> indices;
  for (std::uint32_t first = 0; first < count; first += most)
    for (std::uint32_t copy = 0; copy < copies; ++copy)
      for (std::uint32_t i = first; i < std::min(first + most, count); ++i)
        indices.push_back(static_cast<std::int32_t>(i));
  const Buffer<std::int32_t> device_indices(device_, indices);
  Buffer<float> losses(device_, std::size_t{count} * replicas);
  Buffer<std::uint8_t> correct(device_, losses.size());
  for (std::uint32_t first = 0; first < count; first += most) {
    const std::uint32_t rows = std::min(most, count - first);
    const auto labels = labels_.view().slice(0, std::size_t{copies} * rows);
    images.gather(device_,
                  {.indices = device_indices.view().slice(std::size_t{first} * copies, std::size_t{copies} * rows),
                   .replicas = copies,
                   .rows = rows},
                  network_->input(rows, shared), labels);
    const ForwardPass pass = network_->forward(parameters_.live, {.rows = rows, .shared_input = shared});
    const std::size_t at = std::size_t{first} * replicas, size = std::size_t{rows} * replicas;
    network_->loss(pass, parameters_.live, labels, 1.0f, losses.view().slice(at, size), correct.view().slice(at, size));
  }
  const auto loss_values = losses.download();
  const auto correct_values = correct.download();
  const auto classes = static_cast<std::size_t>(settings_.architecture.classes);
  Evaluation result{std::vector<std::uint32_t>(classes), std::vector<std::uint32_t>(replicas * classes),
                    std::vector<double>(replicas * classes)};
  for (const std::uint16_t label : image_labels) ++result.images[label];
  for (std::uint32_t first = 0; first < count; first += most) {
    const std::uint32_t rows = std::min(most, count - first);
    for (std::uint32_t r = 0; r < replicas; ++r)
      for (std::uint32_t i = 0; i < rows; ++i) {
        const std::size_t at = std::size_t{first} * replicas + std::size_t{r} * rows + i;
        const std::size_t place = r * classes + image_labels[first + i];
        result.loss[place] += double{loss_values[at]};
        result.correct[place] += correct_values[at];
      }
  }
  return result;
}

OwnEvaluation Trainer::evaluate_own(const DeviceImages& images, std::span<const std::int32_t> indices,
                                    const TaskView& task) {
  const auto replicas = static_cast<std::uint32_t>(this->replicas());
  const auto count = static_cast<std::uint32_t>(indices.size() / replicas);
  const std::uint32_t most = evaluation_rows(settings_);
  OwnEvaluation result{std::vector<std::uint32_t>(replicas), std::vector<double>(replicas)};
  for (std::uint32_t first = 0; first < count; first += most) {
    const std::uint32_t rows = std::min(most, count - first);
    std::vector<std::int32_t> part;
    for (std::size_t r = 0; r < replicas; ++r) {
      const auto own = indices.subspan(r * count + first, rows);
      part.insert(part.end(), own.begin(), own.end());
    }
    const Buffer<std::int32_t> device_indices(device_, part);
    Buffer<float> losses(device_, part.size());
    Buffer<std::uint8_t> correct(device_, part.size());
    const auto labels = labels_.view().slice(0, part.size());
    images.gather(device_,
                  {.indices = device_indices, .replicas = replicas, .rows = rows, .seeds = seeds_, .task = task},
                  network_->input(rows), labels);
    const ForwardPass pass = network_->forward(parameters_.live, {.rows = rows});
    network_->loss(pass, parameters_.live, labels, 1.0f, losses, correct);
    const auto loss_values = losses.download();
    const auto correct_values = correct.download();
    for (std::size_t i = 0; i < part.size(); ++i) {
      result.correct[i / rows] += correct_values[i];
      result.loss[i / rows] += double{loss_values[i]} / count;
    }
  }
  return result;
}

std::vector<float> Trainer::parameters() { return compaction_.download(parameters_); }

void Trainer::set_parameters(std::span<const float> values) { compaction_.upload(values, parameters_); }

std::vector<float> Trainer::moments(std::size_t which) { return compaction_.download(optimizer_.moments()[which]); }

void Trainer::set_moments(std::size_t which, std::span<const float> values) {
  compaction_.upload(values, optimizer_.moments()[which]);
}

FullForm Trainer::begin_edit() {
  compaction_.scatter(parameters_);
  optimizer_.scatter();
  FullForm form{.layout = compaction_.full(), .parameters = parameters_.full, .steps = optimizer_.mutable_steps()};
  for (auto& moments : optimizer_.moments()) form.moments.push_back(moments.full);
  return form;
}

void Trainer::end_edit(const Structure& structure) {
  speeds_.clear();
  const bool same = structure == compaction_.structure();
  if (!same) compaction_.restructure(structure);
  compaction_.gather(parameters_);
  optimizer_.gather();
  if (!same) make_network();
}

void Trainer::restructure(const Structure& structure) {
  begin_edit();
  end_edit(structure);
}

void Trainer::restart(std::span<const float> parameters) {
  set_parameters(parameters);
  for (std::size_t i = 0; i < optimizer_.moments().size(); ++i)
    set_moments(i, std::vector<float>(parameters.size(), 0.0f));
  optimizer_.set_steps(std::vector<std::uint64_t>(optimizer_.steps().size(), 0));
  speeds_.clear();
}

void Trainer::set_speeds(const std::vector<std::vector<float>>& speeds) {
  speeds_.clear();
  const Structure& structure = compaction_.structure();
  for (std::size_t layer = 0; layer < speeds.size(); ++layer) {
    const auto units = structure.live_units(layer);
    const std::size_t width = units.size() / replicas();
    std::vector<float> live(units.size(), 1.0f);
    for (std::size_t i = 0; i < units.size(); ++i)
      if (units[i] >= 0)
        live[i] = speeds[layer][i / width * static_cast<std::size_t>(structure.full_width(layer)) +
                                static_cast<std::size_t>(units[i])];
    speeds_.emplace_back(device_, live);
  }
}

}  // namespace cambium
