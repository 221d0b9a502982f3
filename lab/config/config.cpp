#include "lab/config/config.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "lab/config/config_reader.hpp"
#include "layers/architecture.hpp"
#include "plasticity/budget.hpp"
#include "plasticity/selection.hpp"
#include "streams/data/catalogue.hpp"
#include "streams/data/data_set.hpp"

namespace cambium {
namespace {

constexpr double any_number = 1e30;
constexpr std::size_t most_seeds = 1000;

// Empty when they are not given.
std::vector<std::int32_t> read_widths(Reader& reader) {
  std::vector<std::int32_t> widths;
  const std::string text = reader.text("hidden", "");
  if (!reader.given("hidden")) return widths;
  for (const auto& part : split(text))
    if (!parse_number(part, widths.emplace_back()))
      throw_input_error("hidden = {}: write one width, or one for each hidden layer: 512,512,256", text);
  return widths;
}

void read_budget(Reader& reader, RunConfig& config) {
  config.compactness = reader.number("compactness", 0.2, 1e-6, 1.0);
  config.bias_schedule = reader.choice("bias_schedule", "neutral", bias_schedule_names());
  bias_schedule(config.bias_schedule, config.hidden.size());  // refuses one that does not fit the network
}

void read_grow(Reader& reader, RunConfig& config) {
  GrowSettings& grow = config.grow;
  grow.seed_fraction = reader.number("seed_fraction", 0.1, 1e-6, 1.0);
  grow.rule = reader.choice("grow_score", "activation", selection_rule_names());
  reader.decided("grow_score", grow.rule);
  if (grow.rule == "activation") grow.tau = static_cast<float>(reader.number("tau", 0.05, -1e6, 1e6));
  auto names = split(reader.text("intervention", "none"));
  if (names == std::vector<std::string>{"none"}) names.clear();
  for (const auto& name : names) intervention(name);  // refuses an unknown one
  for (const auto& entry : interventions()) {
    const auto times = std::count(names.begin(), names.end(), entry.name);
    if (times > 1) throw_input_error("intervention = {}: {} is there twice", fmt::join(names, ","), entry.name);
    if (times == 1) grow.interventions.push_back(entry.name);
  }
  reader.decided("intervention", names.empty() ? "none" : fmt::format("{}", fmt::join(names, ",")));
  const auto has = [&](const char* name) {
    return std::count(grow.interventions.begin(), grow.interventions.end(), name) > 0;
  };
  if (has("two_speed")) {
    grow.intervention.two_speed_factor = static_cast<float>(reader.number("two_speed_r", 5.0, 1e-3, 1e3));
    grow.intervention.two_speed_steps =
        static_cast<std::uint64_t>(reader.count("two_speed_steps", 1955, 1'000'000'000));
  }
  if (has("net2wider"))
    grow.intervention.net2wider_epsilon = static_cast<float>(reader.number("net2wider_eps", 1e-3, 0.0, 1e3));
}

// The optimiser is known only after the method.
void check_interventions(const RunConfig& config) {
  for (const auto& name : config.grow.interventions)
    if (const auto& entry = intervention(name); entry.why_not != nullptr)
      if (const auto reason = entry.why_not(config.optimizer); !reason.empty())
        throw_input_error("intervention = {}: {}", name, reason);
}

void read_rewind(Reader& reader, RunConfig& config) {
  RewindSettings& rewind = config.rewind;
  const auto to = reader.choice("rewind_to", "init", {"init", "snapshot", "none"});
  reader.decided("rewind_to", to);
  rewind.to = to == "init"   ? RewindSettings::To::init
              : to == "none" ? RewindSettings::To::none
                             : RewindSettings::To::snapshot;
  if (rewind.to == RewindSettings::To::none) return;
  if (rewind.to == RewindSettings::To::snapshot) rewind.epoch = reader.count("rewind_epoch", 1, 1'000'000);
  const auto scope = reader.choice("rewind_scope", "all", {"all", "head", "masked"});
  rewind.scope = scope == "all"    ? RewindSettings::Scope::all
                 : scope == "head" ? RewindSettings::Scope::head
                                   : RewindSettings::Scope::masked;
  rewind.optimizer = reader.yes("rewind_opt", true);
  rewind.when_nothing = reader.yes("rewind_when_k0", true);
}

void read_edits(Reader& reader, RunConfig& config) {
  read_budget(reader, config);
  if (config.method == Method::grow) read_grow(reader, config);
  if (config.method == Method::prune) read_rewind(reader, config);
  config.edit_before_first_cycle = reader.choice("first_edit", "after_first_cycle",
                                                 {"after_first_cycle", "before_first_cycle"}) == "before_first_cycle";
  const bool shifting = config.stream().kind == StreamEntry::Kind::shifting;
  config.ticket = reader.yes("ticket", !shifting);
  reader.decided("ticket", config.ticket ? "yes" : "no");
  if (config.ticket) config.fresh_ticket = reader.choice("wt_init", "original", {"original", "fresh"}) == "fresh";
  config.diagnostics = reader.yes("diagnostics", !shifting);
  reader.decided("diagnostics", config.diagnostics ? "yes" : "no");
  if (config.diagnostics)
    config.diagnostics_tau = static_cast<float>(reader.number("tau_diagnostics", 0.05, -1e6, 1e6));
}

// The cycles are known only after the edits.
void check_edits(const RunConfig& config) {
  if (config.events().count() < 1)
    throw_input_error(
        "method = {}: with one cycle there is no edit after the first. Use two cycles or more, or first_edit = "
        "before_first_cycle.",
        name_of(config.method));
  const std::int32_t first = config.cycle_end(config.events().first());
  if (config.method == Method::prune && config.rewind.to == RewindSettings::To::snapshot && config.rewind.epoch > first)
    throw_input_error(
        "rewind_epoch = {}: the first edit comes after {} {}s, when there would be no snapshot yet. Take it by then, "
        "or rewind to init.",
        config.rewind.epoch, first, config.period_name());
}

Activation read_activation(Reader& reader, const StreamEntry::Slopes& slopes) {
  Activation result;
  const auto kind = reader.choice("activation", "relu", {"relu", "smooth_leaky", "rsl"});
  if (kind == "relu") return result;
  result.kind = kind == "rsl" ? Activation::Kind::rsl : Activation::Kind::smooth_leaky;
  result.c = static_cast<float>(reader.number("rsl_c", slopes.c, 1e-6, 1e6));
  result.p = static_cast<float>(reader.number("rsl_p", slopes.p, 1e-6, 1e6));
  if (kind == "rsl") {
    result.lower = static_cast<float>(reader.number("rsl_lower", slopes.lower, -1e6, 1e6));
    result.upper = static_cast<float>(reader.number("rsl_upper", slopes.upper, -1e6, 1e6));
    if (result.lower > result.upper)
      throw_input_error("rsl_lower = {} is above rsl_upper = {}", result.lower, result.upper);
  } else {
    result.alpha = static_cast<float>(reader.number("leaky_alpha", 0.1, -1e6, 1e6));
  }
  return result;
}

void read_optimizer(Reader& reader, RunConfig& config) {
  const StreamEntry& stream = config.stream();
  const bool adam = reader.choice("optimizer", stream.adam ? "adam" : "sgd", {"sgd", "adam"}) == "adam";
  if (adam)
    config.optimizer.kind = OptimizerSettings::Kind::adam;
  else
    config.optimizer.momentum = static_cast<float>(reader.number("momentum", 0.0, 0.0, 1.0));
  config.optimizer.weight_decay = static_cast<float>(reader.number("weight_decay", 0.0, 0.0, any_number));
  // The study's rate goes with its optimiser.
  const bool slopes = config.activation.kind == Activation::Kind::rsl;
  const double own = slopes ? stream.slopes_rate : stream.rate;
  const double rate = adam == stream.adam ? own : adam ? 0.001 : stream.network == "convnet" ? 0.1 : 0.01;
  config.schedule.rate = reader.number("lr", rate, 0.0, any_number);
  reader.decided("optimizer", adam ? "adam" : "sgd");
}

// Epochs and cycles of a whole data set.
void read_epochs(Reader& reader, RunConfig& config) {
  if (reader.given("epochs") && reader.given("epochs_per_cycle"))
    throw_input_error("epochs and epochs_per_cycle are both given; one follows from the other");
  constexpr std::int32_t most = 1'000'000;
  std::int32_t& epochs = config.curriculum.epochs_per_task;
  if (reader.given("epochs_per_cycle")) {
    config.cycles = reader.count("cycles", 5, most);
    epochs = reader.count("epochs_per_cycle", 1, most / config.cycles) * config.cycles;
  } else {
    epochs = reader.count("epochs", config.stream().epochs_per_task, most);
    config.cycles = reader.count("cycles", std::min(5, epochs), epochs);
  }
}

void read_tasks(Reader& reader, RunConfig& config) {
  const StreamEntry& stream = config.stream();
  CurriculumSettings& settings = config.curriculum;
  settings.tasks = reader.count("tasks", stream.tasks, stream.most_tasks);
  if (stream.steps_per_task > 0)
    settings.steps_per_task = reader.count("steps_per_task", stream.steps_per_task, 1'000'000'000);
  else
    settings.epochs_per_task = reader.count("epochs_per_task", stream.epochs_per_task, 65'535);
  config.cycles = reader.count("cycles", settings.tasks, settings.tasks);
  if (stream.choose_images)
    settings.task_images = static_cast<std::uint32_t>(reader.count(
        "task_images", static_cast<std::int32_t>(stream.task_images), catalogue_entry(stream.data).train_images));
  if (stream.permutes) settings.keep_first = !reader.yes("permute_first", true);
  if (stream.kind == StreamEntry::Kind::shifting)
    config.evaluation_images =
        static_cast<std::uint32_t>(reader.count("evaluation_images", settings.tasks > 100 ? 100 : 500, 1'000'000));
  if (stream.kind != StreamEntry::Kind::class_incremental) return;
  settings.replay = reader.choice("replay", stream.replay ? "tiny_er" : "none", {"none", "tiny_er"}) == "tiny_er";
  reader.decided("replay", settings.replay ? "tiny_er" : "none");
  if (!settings.replay) return;
  settings.limits.per_class = reader.count("replay_per_class", settings.limits.per_class, 1'000'000);
  settings.limits.in_all = reader.count("replay_total", settings.limits.in_all, 1'000'000);
  if (settings.batch < 2) throw_input_error("batch = 1: half of a batch is replayed, so it must have 2 images or more");
}

void read_length(Reader& reader, RunConfig& config) {
  const StreamEntry& stream = config.stream();
  config.curriculum.batch =
      static_cast<std::uint32_t>(reader.count("batch", static_cast<std::int32_t>(stream.batch), 65536));
  config.curriculum.task_images = stream.task_images;
  if (stream.kind == StreamEntry::Kind::iid)
    read_epochs(reader, config);
  else
    read_tasks(reader, config);
}

void read_schedule(Reader& reader, RunConfig& config) {
  const bool cosine =
      reader.choice("lr_schedule", config.stream().adam ? "constant" : "cosine", {"cosine", "constant"}) == "cosine";
  reader.decided("lr_schedule", cosine ? "cosine" : "constant");
  if (!cosine) return;
  config.schedule.kind = Schedule::Kind::cosine;
  config.schedule.t_max = reader.count("t_max", 200, 1'000'000);
  if (reader.choice("lr_mode", config.edits() ? "restart" : "global", {"global", "restart"}) == "global") return;
  if (config.cycle_end(1) * config.cycles != config.periods())
    throw_input_error(
        "lr_mode = restart: {} {}s cannot be divided into {} equal cycles; choose others, or lr_mode = global",
        config.periods(), config.period_name(), config.cycles);
  config.schedule.restart_every = config.cycle_end(1);
}

// The name of the stream, however it is given.
std::string read_stream(Reader& reader) {
  if (reader.given("data") && reader.given("stream"))
    throw_input_error("stream and data are both given; data is the stream of a whole data set");
  if (reader.given("data")) {
    std::vector<std::string> whole;
    for (const auto& entry : streams())
      if (entry.kind == StreamEntry::Kind::iid) whole.push_back(entry.name);
    return reader.choice("data", "", whole);
  }
  if (!reader.given("stream"))
    throw_input_error("stream is missing: give --stream with one of {}", fmt::join(stream_names(), ", "));
  return reader.choice("stream", "", stream_names());
}

// What JSON and TOML can hold.
bool is_text(const std::string& text) {
  if (text.find('\x7f') != std::string::npos) return false;
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace

std::int32_t RunConfig::cycle_end(std::int32_t t) const {
  const bool iid = stream().kind == StreamEntry::Kind::iid;
  const std::int64_t parts = iid ? periods() : curriculum.tasks;
  return static_cast<std::int32_t>(parts * t / cycles) * (iid ? 1 : curriculum.periods_per_task());
}

Schedule RunConfig::ticket_schedule() const {
  Schedule result = schedule;
  result.restart_every = 0;
  return result;
}

std::string RunConfig::variant() const {
  std::vector<std::string> parts{name_of(method)};
  if (method == Method::grow && grow.rule != "activation") parts.push_back(grow.rule);
  for (const auto& name : grow.interventions) parts.push_back(name);
  if (activation.kind != Activation::Kind::relu) parts.push_back(name_of(activation.kind));
  return fmt::format("{}", fmt::join(parts, "+"));
}

std::vector<std::uint32_t> parse_seeds(const std::string& text) {
  std::vector<std::uint32_t> seeds;
  const auto wrong = [&] {
    throw_input_error("seeds = {}: write 1..10, or 1,2,5; each a whole number below 2^32, none twice, at most {}", text,
                      most_seeds);
  };
  for (const auto& part : split(text)) {
    const std::size_t dots = part.find("..");
    std::uint32_t first = 0, last = 0;
    if (!parse_number(part.substr(0, dots), first)) wrong();
    last = first;
    if (dots != std::string::npos && !parse_number(part.substr(dots + 2), last)) wrong();
    if (last < first || last - first >= most_seeds - seeds.size()) wrong();
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(static_cast<std::uint32_t>(seed));
  }
  if (std::set<std::uint32_t>(seeds.begin(), seeds.end()).size() != seeds.size()) wrong();
  return seeds;
}

RunConfig make_config(const ConfigText& given) {
  Reader reader(given);
  RunConfig config;
  config.curriculum.stream = read_stream(reader);
  const StreamEntry& stream = config.stream();
  reader.decided("stream", stream.name);
  config.network = reader.choice("network", stream.network, network_names());
  config.hidden = read_widths(reader);
  // Any image will do to check the widths.
  const auto architecture = make_architecture(config.network, {32, 32, 3}, 10, config.hidden);
  config.hidden = architecture.hidden;
  const auto method = reader.choice("method", "dense", {"dense", "grow", "prune"});
  config.method = method == "grow" ? Method::grow : method == "prune" ? Method::prune : Method::dense;
  reader.decided("method", method);
  if (config.edits()) {
    read_edits(reader, config);
  } else {
    config.masks = reader.text("masks", "all");
    reader.decided("masks", config.masks);
    if (config.masks == "random") read_budget(reader, config);
  }
  config.activation = read_activation(reader, stream.slopes);
  config.init = reader.choice("init", "kaiming_relu", {"kaiming_relu", "kaiming_stock"}) == "kaiming_stock"
                    ? Initialisation::kaiming_stock
                    : Initialisation::kaiming_relu;
  read_optimizer(reader, config);
  read_length(reader, config);
  read_schedule(reader, config);
  check_interventions(config);
  if (config.edits()) check_edits(config);
  config.standardised = reader.choice("pixels", stream.standardised ? "standardised" : "unit",
                                      {"unit", "standardised"}) == "standardised";
  config.augment = reader.yes("augment", stream.augment);
  config.seeds = parse_seeds(reader.text("seeds", "1..10"));
  reader.refuse_the_rest();
  if (!is_text(config.masks)) throw_input_error("masks = {}: the name of a file must be text in UTF-8", config.masks);
  return config;
}

Architecture architecture_of(const RunConfig& config) {
  const auto& data = catalogue_entry(config.stream().data);
  return make_architecture(config.network, {data.height, data.width, data.channels}, config.stream().classes,
                           config.hidden);
}

Structure start_of_edits(const RunConfig& config, const Architecture& architecture) {
  if (config.method == Method::grow)
    return random_structure(architecture, config.seeds, planned_units(config, architecture, 0));
  return {architecture, static_cast<std::int32_t>(config.seeds.size())};
}

std::vector<std::int32_t> target_units(const RunConfig& config, const Architecture& architecture) {
  return unit_targets(architecture, config.compactness,
                      bias_schedule(config.bias_schedule, architecture.hidden.size()));
}

std::vector<std::int32_t> planned_units(const RunConfig& config, const Architecture& architecture,
                                        std::int32_t events) {
  const auto targets = target_units(config, architecture);
  std::vector<std::int32_t> units;
  for (std::size_t layer = 0; layer < targets.size(); ++layer) {
    const std::int32_t width = architecture.hidden[layer];
    const std::int32_t start =
        config.method == Method::grow ? seed_units(width, targets[layer], config.grow.seed_fraction) : width;
    units.push_back(active_after(config.events(), start, targets[layer], width, events));
  }
  return units;
}

}  // namespace cambium
