#include "lab/run/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace cambium {
namespace {

std::map<std::string, std::uint64_t> journal_lengths(const TensorFile& file) {
  try {
    return nlohmann::json::parse(file.text("journals")).get<std::map<std::string, std::uint64_t>>();
  } catch (const nlohmann::json::exception&) {
    throw_input_error("{}: its lengths of journals are {}; it is damaged", file.source(), file.text("journals"));
  }
}

// After so many edits every network has a known number of active units.
void check_active_units(const TensorFile& file, const RunConfig& config, const Architecture& architecture,
                        const Structure& structure, std::int32_t events) {
  if (!config.edits()) return;
  const auto expected = planned_units(config, architecture, events);
  for (std::size_t layer = 0; layer < structure.layers(); ++layer)
    for (std::int32_t r = 0; r < structure.replicas(); ++r)
      if (structure.active(layer, r) != expected[layer])
        throw_input_error(
            "{}: network {} has {} active units in hidden layer {}, where {} edits leave {}; it is damaged",
            file.source(), r + 1, structure.active(layer, r), layer + 1, events, expected[layer]);
}

// Every unit that an edit has activated is known as such, and no other.
void check_births(const TensorFile& file, const RunConfig& config, const Architecture& architecture,
                  const Structure& structure, const RunState& state) {
  const std::int32_t first = config.events().first();
  for (std::size_t layer = 0; layer < state.births.size(); ++layer) {
    const auto name = "birth." + architecture.hidden_name(layer);
    const auto width = static_cast<std::size_t>(structure.full_width(layer));
    for (std::size_t r = 0; r < state.births[layer].size() / width; ++r) {
      std::vector<std::int32_t> born(static_cast<std::size_t>(state.events), 0);
      for (std::size_t unit = 0; unit < width; ++unit) {
        const std::int32_t birth = state.births[layer][r * width + unit];
        if (birth == -1) continue;
        const bool active = structure.mask(layer, static_cast<std::int32_t>(r))[unit] != 0;
        if (birth < first || birth >= first + state.events || !active)
          throw_input_error("{}: {}: unit {} of network {}, which is {}, has event {}; it is damaged", file.source(),
                            name, unit, r + 1, active ? "active" : "not active", birth);
        ++born[static_cast<std::size_t>(birth - first)];
      }
      for (std::int32_t edit = 0; edit < state.events; ++edit) {
        const std::int32_t expected = config.method == Method::grow
                                          ? planned_units(config, architecture, edit + 1)[layer] -
                                                planned_units(config, architecture, edit)[layer]
                                          : 0;
        if (born[static_cast<std::size_t>(edit)] != expected)
          throw_input_error("{}: {}: network {} has {} units of event {}, which activates {}; it is damaged",
                            file.source(), name, r + 1, born[static_cast<std::size_t>(edit)], first + edit, expected);
      }
    }
  }
}

void add_sums(TensorFile& file, const RunState& state) {
  const auto replicas = static_cast<std::int64_t>(state.period_sums.size());
  std::vector<std::uint64_t> images, correct;
  std::vector<double> loss, online;
  for (const auto& sums : state.period_sums) {
    images.push_back(sums.images);
    correct.push_back(sums.correct);
    loss.push_back(sums.loss);
  }
  for (const auto& sums : state.task_sums) {
    online.insert(online.end(), {sums.steps, sums.sum});
    online.insert(online.end(), std::begin(sums.early), std::end(sums.early));
  }
  file.tensors["run.images"] = Tensor::of<std::uint64_t>({replicas}, images);
  file.tensors["run.correct"] = Tensor::of<std::uint64_t>({replicas}, correct);
  file.tensors["run.loss"] = Tensor::of<double>({replicas}, loss);
  file.tensors["run.task_online"] = Tensor::of<double>({replicas, static_cast<std::int64_t>(OnlineSums::size)}, online);
}

void read_sums(const TensorFile& file, RunState& state, std::int64_t replicas) {
  const auto images = file.values<std::uint64_t>("run.images", {replicas});
  const auto correct = file.values<std::uint64_t>("run.correct", {replicas});
  const auto loss = file.values<double>("run.loss", {replicas});
  const auto online = file.values<double>("run.task_online", {replicas, static_cast<std::int64_t>(OnlineSums::size)});
  for (std::size_t r = 0; r < images.size(); ++r) {
    state.period_sums.push_back({images[r], correct[r], loss[r]});
    const double* of = &online[r * OnlineSums::size];
    auto& sums = state.task_sums.emplace_back(OnlineSums{.steps = of[0], .sum = of[1]});
    std::copy_n(of + 2, early_count, sums.early);
  }
}

void add_scores(TensorFile& file, const std::string& prefix, const PhaseScores& scores, std::int64_t replicas) {
  const auto add = [&](const char* name, const std::vector<double>& values, std::int64_t each) {
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(values.size()) / (replicas * each), replicas};
    if (each > 1) shape.push_back(each);
    file.tensors[prefix + name] = Tensor::of<double>(shape, values);
  };
  add("test_accuracy", scores.test_accuracy, 1);
  add("online", scores.online, OnlineSums::size);
  add("cumulative", scores.cumulative, 1);
  add("pooled", scores.pooled, 1);
  add("last", scores.last, 1);
  add("best", scores.best, 1);
}

// The scores of a phase in which so many periods are done.
PhaseScores read_scores(const TensorFile& file, const std::string& prefix, const RunConfig& config,
                        std::int32_t periods) {
  const auto replicas = static_cast<std::int64_t>(config.seeds.size());
  const std::int32_t tasks = periods / config.curriculum.periods_per_task();
  std::int64_t examined = 0, known = 0;
  for (std::int32_t task = 0; task < tasks; ++task)
    if (is_evaluated(config, task)) {
      ++examined;
      known = counting_tasks(config, task + 1);
    }
  const bool tested = config.stream().kind != StreamEntry::Kind::shifting;
  const auto read = [&](const char* name, const std::vector<std::int64_t>& shape) {
    return file.values<double>(prefix + name, shape);
  };
  return {.test_accuracy = read("test_accuracy", {tested ? periods : 0, replicas}),
          .online = read("online", {tasks, replicas, static_cast<std::int64_t>(OnlineSums::size)}),
          .cumulative = read("cumulative", {examined, replicas}),
          .pooled = read("pooled", {examined, replicas}),
          .last = read("last", {known, replicas}),
          .best = read("best", {known, replicas})};
}

}  // namespace

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
      throw_input_error("{}: {}: masks of {} networks for {} seeds; it takes one for all, or one each", file.source(),
                        name, stored, replicas);
    for (std::int32_t r = 0; r < replicas; ++r) {
      structure.set_mask(layer, r,
                         std::span(masks).subspan(stored == 1 ? 0 : static_cast<std::size_t>(r) * width, width));
      if (structure.active(layer, r) == 0)
        throw_input_error("{}: {}: no unit of network {} is active; at least one must be", file.source(), name, r + 1);
    }
  }
  return structure;
}

std::function<TensorFile()> make_checkpoint(Trainer& trainer, const RunConfig& config, const RunState& state) {
  const auto names = trainer.optimizer().moment_names();
  std::vector<std::vector<float>> moments;
  for (std::size_t i = 0; i < names.size(); ++i) moments.push_back(trainer.moments(i));
  return [names, moments = std::move(moments), parameters = trainer.parameters(), full = trainer.compaction().full(),
          structure = trainer.compaction().structure(), steps = trainer.optimizer().steps(), config, state]() mutable {
    TensorFile file;
    file.metadata = {{"format", checkpoint_format},
                     {"cambium", CAMBIUM_VERSION},
                     {"config", to_json(config).dump()},
                     {"phase", state.ticket ? "ticket" : "cycles"},
                     {"period", std::to_string(state.period)},
                     {"step", std::to_string(state.step)},
                     {"events", std::to_string(state.events)},
                     {"journals", nlohmann::json(state.journals).dump()}};
    add_parameters(file, "", full, parameters);
    add_masks(file, "mask.", full.architecture, structure);
    parameters = {};  // The file has them now.
    for (std::size_t i = 0; i < names.size(); ++i) {
      add_parameters(file, fmt::format("optimizer.{}.", names[i]), full, moments[i]);
      moments[i] = {};
    }
    const std::int64_t replicas = full.replicas;
    file.tensors["optimizer.steps"] =
        Tensor::of<std::uint64_t>({static_cast<std::int64_t>(steps.size()) / replicas, replicas}, steps);
    add_sums(file, state);
    add_scores(file, "run.", state.scores, replicas);
    if (state.ticket) add_scores(file, "run.cycles.", state.cycles_scores, replicas);
    const auto add_rows = [&]<class T>(const std::string& name, const std::vector<T>& rows) {
      if (!rows.empty())
        file.tensors[name] = Tensor::of<T>({static_cast<std::int64_t>(rows.size()) / replicas, replicas}, rows);
    };
    add_rows("run.step_losses", state.step_losses);
    add_rows("run.cycles_losses", state.cycles_losses);
    for (std::size_t layer = 0; layer < state.births.size(); ++layer)
      file.tensors["birth." + full.architecture.hidden_name(layer)] =
          Tensor::of<std::int32_t>({replicas, full.architecture.hidden[layer]}, state.births[layer]);
    if (!state.replay.empty())
      file.tensors["replay.images"] =
          Tensor::of<std::int32_t>({replicas, static_cast<std::int64_t>(state.replay.size()) / replicas}, state.replay);
    if (!state.reference.empty())
      file.tensors["diagnosis.reference"] =
          Tensor::of<float>({static_cast<std::int64_t>(state.reference.size())}, state.reference);
    if (!state.snapshot.empty()) add_parameters(file, "rewind.", full, state.snapshot);
    for (const auto& edit : state.edits) add_edit(file, "trace.", full.architecture, edit);
    return file;
  };
}

RunState restore_checkpoint(const TensorFile& file, const RunConfig& config, Trainer& trainer) {
  RunState state{read_progress_snapshot(file, config)};
  const auto replicas = static_cast<std::int64_t>(trainer.replicas());
  const auto& full = trainer.compaction().full();
  state.journals = journal_lengths(file);
  read_sums(file, state, replicas);
  state.scores = read_scores(file, "run.", config, state.period);
  if (state.ticket) state.cycles_scores = read_scores(file, "run.cycles.", config, config.periods());
  if (file.contains("replay.images")) state.replay = file.values<std::int32_t>("replay.images", {replicas, -1});
  if (file.contains("run.step_losses")) state.step_losses = file.values<float>("run.step_losses", {-1, replicas});
  if (file.contains("run.cycles_losses")) state.cycles_losses = file.values<float>("run.cycles_losses", {-1, replicas});
  for (std::size_t layer = 0; config.edits() && layer < full.architecture.hidden.size(); ++layer)
    state.births.push_back(file.values<std::int32_t>("birth." + full.architecture.hidden_name(layer),
                                                     {replicas, full.architecture.hidden[layer]}));
  const auto first = static_cast<std::uint32_t>(config.events().first());
  for (auto event = first; event < first + static_cast<std::uint32_t>(state.events); ++event)
    if (file.contains(fmt::format("trace.mask.{}.{}", event, full.architecture.hidden_name(0))))
      state.edits.push_back(read_edit(file, "trace.", full.architecture, full.replicas, event));
  if (config.method == Method::prune && config.rewind.to == RewindSettings::To::snapshot && !state.ticket &&
      state.period >= config.rewind.epoch)
    state.snapshot = read_parameters(file, "rewind.", full);

  const auto structure = read_masks(file, "mask.", full.architecture, full.replicas);
  check_active_units(file, config, full.architecture, structure, state.events);
  check_births(file, config, full.architecture, structure, state);
  trainer.restructure(structure);
  if (config.diagnostics && state.events > 0 && !state.ticket)
    state.reference =
        file.values<float>("diagnosis.reference", {static_cast<std::int64_t>(trainer.live_parameters().size())});
  trainer.set_parameters(read_parameters(file, "", full));
  const auto moments = trainer.optimizer().moment_names();
  for (std::size_t i = 0; i < moments.size(); ++i)
    trainer.set_moments(i, read_parameters(file, fmt::format("optimizer.{}.", moments[i]), full));
  trainer.optimizer().set_steps(
      file.values<std::uint64_t>("optimizer.steps", {static_cast<std::int64_t>(full.layers.size()), replicas}));
  return state;
}

BackgroundWriter::~BackgroundWriter() {
  if (under_way_.valid()) under_way_.wait();
}

void BackgroundWriter::write(std::function<TensorFile()> make, std::filesystem::path path) {
  finish();
  under_way_ = std::async(std::launch::async,
                          [make = std::move(make), path = std::move(path)]() mutable { make().write(path); });
}

void BackgroundWriter::finish() {
  if (under_way_.valid()) under_way_.get();
}

}  // namespace cambium
