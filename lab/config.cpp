#include "lab/config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "layers/architecture.hpp"
#include "plasticity/budget.hpp"
#include "plasticity/selection.hpp"
#include "streams/catalogue.hpp"
#include "streams/data_set.hpp"
#include "sycl/error.hpp"
#include "sycl/kernel_cache.hpp"

namespace cambium {
namespace {

std::string rules_help() {
  std::string text = "What grow recruits units by:";
  for (const auto& rule : selection_rules()) text += fmt::format(" {} ({}),", rule.name, rule.help);
  text.back() = '.';
  return text + " Default: activation";
}

std::string interventions_help() {
  std::string text = "What grow does for newborn units, one or several:";
  for (const auto& entry : interventions()) text += fmt::format(" {} ({}),", entry.name, entry.help);
  text.back() = '.';
  return text + " Default: none";
}

const std::vector<ConfigKey>& keys() {
  static const std::vector<ConfigKey> all{
      {"data", "NAME", "Data set: mnist, fashion-mnist, cifar-10, cifar-100"},
      {"network", "mlp|convnet", "Network. Default: mlp for MNIST and Fashion-MNIST, convnet for CIFAR"},
      {"hidden", "N[,N...]",
       "Widths of the hidden layers, one for all or one each. Default: mlp 256, convnet 512,512,256"},
      {"method", "dense|grow|prune",
       "How the structure changes between cycles: not at all; units are added to a few; units are removed from all. "
       "Default: dense"},
      {"masks", "all|random|FILE",
       "Which hidden units are active: all; random ones, as many as compactness allows; or those of a checkpoint. "
       "Default: all"},
      {"compactness", "SHARE",
       "Share of the hidden layers' weights that is there in the end (grow, prune, random masks). Default: 0.2"},
      {"bias_schedule", "NAME",
       "How the layers share that budget: neutral, fc1_protect, fc3_protect, ends_skewed. Default: neutral"},
      {"seed_fraction", "SHARE", "Units of each hidden layer that grow starts with. Default: 0.1"},
      {"grow_score", "RULE", rules_help()},
      {"tau", "T", "Above it, an output counts as active for grow's activation rule. Default: 0.05"},
      {"intervention", "NAME[,NAME...]", interventions_help()},
      {"two_speed_r", "R", "Two-Speed: how much faster newborns learn. Default: 5"},
      {"two_speed_steps", "N", "Two-Speed: for so many steps after their birth. Default: 1955"},
      {"net2wider_eps", "E", "Net2Wider: noise on copied weights, relative to their deviation. Default: 0.001"},
      {"rewind_to", "init|snapshot|none",
       "Where prune takes the weights back to at an edit: their initial values, those after rewind_epoch epochs, or "
       "nowhere. Default: init"},
      {"rewind_epoch", "N", "Epochs after which the snapshot is taken, at the first edit at the latest. Default: 1"},
      {"rewind_scope", "all|head|masked",
       "What is taken back: every layer, the fully connected ones, or the hidden ones only. Default: all"},
      {"rewind_opt", "yes|no", "Make the optimiser as new at a rewind. Default: yes"},
      {"rewind_when_k0", "yes|no", "Rewind also at an edit that removes nothing. Default: yes"},
      {"first_edit", "after_first_cycle|before_first_cycle", "When the first edit is. Default: after_first_cycle"},
      {"ticket", "yes|no",
       "Afterwards train the final structure from the start, without edits (winning ticket). Default: yes for grow and "
       "prune"},
      {"wt_init", "original|fresh", "The ticket's initial weights: the run's own, or others. Default: original"},
      {"diagnostics", "yes|no",
       "Record how newborns and incumbents, or kept and pruned units, fare. Default: yes for grow and prune"},
      {"tau_diagnostics", "T", "Above it, an output counts as active in the diagnostics. Default: 0.05"},
      {"activation", "relu|smooth_leaky|rsl", "Activation function. Default: relu"},
      {"rsl_c", "C", "Shape c of smooth_leaky and rsl. Default: 0.8 (CIFAR: 3)"},
      {"rsl_p", "P", "Shape p of smooth_leaky and rsl. Default: 1 (CIFAR: 5)"},
      {"rsl_lower", "R", "Smallest random slope of rsl. Default: 0.3 (CIFAR: 0.125)"},
      {"rsl_upper", "R", "Largest random slope of rsl. Default: 0.6 (CIFAR: 0.333)"},
      {"leaky_alpha", "A", "Slope of smooth_leaky. Default: 0.1"},
      {"init", "kaiming_relu|kaiming_stock", "Initial weights. Default: kaiming_relu"},
      {"optimizer", "sgd|adam", "Optimiser. Default: sgd"},
      {"lr", "RATE", "Learning rate. Default: adam 0.001; sgd 0.01 (CIFAR: 0.1)"},
      {"momentum", "M", "Momentum of sgd. Default: 0"},
      {"weight_decay", "D", "Weight decay, added to the gradient. Default: 0"},
      {"lr_schedule", "cosine|constant", "How the rate falls over the epochs. Default: cosine"},
      {"t_max", "EPOCHS", "Epochs until the cosine reaches zero. Default: 200"},
      {"lr_mode", "global|restart",
       "One cosine for the run, or a fresh one every cycle. Default: restart for grow and prune, else global"},
      {"epochs", "N", "Epochs in all. Default: 100 (CIFAR: 200)"},
      {"cycles", "N", "Cycles that the epochs are divided into. Default: 5, or one each"},
      {"epochs_per_cycle", "N", "Epochs of each cycle, instead of epochs"},
      {"batch", "N", "Images per step and network. Default: 256 (CIFAR: 128)"},
      {"pixels", "unit|standardised",
       "Pixels as numbers in [0, 1], or less the mean over the deviation. Default: unit (CIFAR: standardised)"},
      {"augment", "yes|no", "Crop and flip training images at random. Default: no (CIFAR: yes)"},
      {"seeds", "A..B|A,B,...", "Seeds: one network each, trained side by side. Default: 1..10"},
  };
  return all;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const auto& key : keys()) names.push_back(key.name);
  return names;
}

void check_name(const std::string& key, const std::string& where) {
  const auto names = key_names();
  if (std::find(names.begin(), names.end(), key) != names.end()) return;
  const auto near = nearest(key, names);
  throw_input_error(
      "{}: there is no key {}. {}", where, key,
      near.empty() ? fmt::format("Keys: {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

template <class T>
bool parse_number(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

// The given keys, read one after another; what has been read has an effect, and the rest must not be there.
class Reader {
 public:
  explicit Reader(const ConfigText& given) : given_(given) {
    for (const auto& [key, value] : given) check_name(key, "configuration");
  }

  bool given(const std::string& key) const { return given_.contains(key); }

  std::string text(const std::string& key, const std::string& otherwise) {
    read_.insert(key);
    const auto found = given_.find(key);
    return found == given_.end() ? otherwise : found->second;
  }

  std::string choice(const std::string& key, const std::string& otherwise, const std::vector<std::string>& choices) {
    const std::string value = text(key, otherwise);
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
    const auto near = nearest(value, choices);
    throw_input_error("{} = {}: {}it is one of {}", key, value,
                      near.empty() ? "" : fmt::format("did you mean {}? ", near), fmt::join(choices, ", "));
  }

  double number(const std::string& key, double otherwise, double lowest, double highest) {
    const std::string value = text(key, fmt::format("{}", otherwise));
    double result = 0;
    if (!parse_number(value, result) || !(result >= lowest) || !(result <= highest))
      throw_input_error("{} = {}: it is a number from {} to {}", key, value, lowest, highest);
    return result;
  }

  std::int32_t count(const std::string& key, std::int32_t otherwise, std::int32_t highest) {
    const std::string value = text(key, fmt::format("{}", otherwise));
    std::int32_t result = 0;
    if (!parse_number(value, result) || result < 1 || result > highest)
      throw_input_error("{} = {}: it is a whole number from 1 to {}", key, value, highest);
    return result;
  }

  bool yes(const std::string& key, bool otherwise) {
    const std::string value = text(key, otherwise ? "yes" : "no");
    if (value == "yes" || value == "true") return true;
    if (value == "no" || value == "false") return false;
    throw_input_error("{} = {}: it is yes or no", key, value);
  }

  // To be named when a key has no effect because of it.
  void decided(const std::string& key, const std::string& value) { choices_.push_back(key + " " + value); }

  void refuse_the_rest() const {
    for (const auto& [key, value] : given_)
      if (!read_.contains(key))
        throw_input_error("{} = {}: it has no effect here ({}); leave it out", key, value, fmt::join(choices_, ", "));
  }

 private:
  const ConfigText& given_;
  std::set<std::string> read_;
  std::vector<std::string> choices_;
};

constexpr double any_number = 1e30;
constexpr std::size_t most_seeds = 1000;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

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
  config.ticket = reader.yes("ticket", true);
  reader.decided("ticket", config.ticket ? "yes" : "no");
  if (config.ticket) config.fresh_ticket = reader.choice("wt_init", "original", {"original", "fresh"}) == "fresh";
  config.diagnostics = reader.yes("diagnostics", true);
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
        "rewind_epoch = {}: the first edit comes after {} epochs, when there would be no snapshot yet. Take it by "
        "then, or rewind to init.",
        config.rewind.epoch, first);
}

Activation read_activation(Reader& reader, bool cifar) {
  Activation result;
  const auto kind = reader.choice("activation", "relu", {"relu", "smooth_leaky", "rsl"});
  if (kind == "relu") return result;
  result.kind = kind == "rsl" ? Activation::Kind::rsl : Activation::Kind::smooth_leaky;
  result.c = static_cast<float>(reader.number("rsl_c", cifar ? 3.0 : 0.8, 1e-6, 1e6));
  result.p = static_cast<float>(reader.number("rsl_p", cifar ? 5.0 : 1.0, 1e-6, 1e6));
  if (kind == "rsl") {
    result.lower = static_cast<float>(reader.number("rsl_lower", cifar ? 0.125 : 0.3, -1e6, 1e6));
    result.upper = static_cast<float>(reader.number("rsl_upper", cifar ? 0.333 : 0.6, -1e6, 1e6));
    if (result.lower > result.upper)
      throw_input_error("rsl_lower = {} is above rsl_upper = {}", result.lower, result.upper);
  } else {
    result.alpha = static_cast<float>(reader.number("leaky_alpha", 0.1, -1e6, 1e6));
  }
  return result;
}

void read_optimizer(Reader& reader, bool cifar, RunConfig& config) {
  const bool adam = reader.choice("optimizer", "sgd", {"sgd", "adam"}) == "adam";
  if (adam)
    config.optimizer.kind = OptimizerSettings::Kind::adam;
  else
    config.optimizer.momentum = static_cast<float>(reader.number("momentum", 0.0, 0.0, 1.0));
  config.optimizer.weight_decay = static_cast<float>(reader.number("weight_decay", 0.0, 0.0, any_number));
  config.schedule.rate = reader.number("lr", adam ? 0.001 : cifar ? 0.1 : 0.01, 0.0, any_number);
}

void read_horizon(Reader& reader, bool cifar, RunConfig& config) {
  if (reader.given("epochs") && reader.given("epochs_per_cycle"))
    throw_input_error("epochs and epochs_per_cycle are both given; one follows from the other");
  constexpr std::int32_t most = 1'000'000;
  if (reader.given("epochs_per_cycle")) {
    config.cycles = reader.count("cycles", 5, most);
    config.epochs = reader.count("epochs_per_cycle", 1, most / config.cycles) * config.cycles;
  } else {
    config.epochs = reader.count("epochs", cifar ? 200 : 100, most);
    config.cycles = reader.count("cycles", std::min(5, config.epochs), config.epochs);
  }
  const bool cosine = reader.choice("lr_schedule", "cosine", {"cosine", "constant"}) == "cosine";
  if (!cosine) return;
  config.schedule.kind = Schedule::Kind::cosine;
  config.schedule.t_max = reader.count("t_max", 200, 1'000'000);
  if (reader.choice("lr_mode", config.edits() ? "restart" : "global", {"global", "restart"}) == "global") return;
  if (config.epochs % config.cycles != 0)
    throw_input_error(
        "lr_mode = restart: {} epochs cannot be divided into {} equal cycles; choose others, or lr_mode = global",
        config.epochs, config.cycles);
  config.schedule.restart_every = config.epochs / config.cycles;
}

std::string to_text(Activation::Kind kind) {
  return kind == Activation::Kind::relu ? "relu" : kind == Activation::Kind::rsl ? "rsl" : "smooth_leaky";
}

// 1..10 where they follow each other.
std::string to_text(const std::vector<std::uint32_t>& seeds) {
  const bool run = seeds.size() > 1 && seeds.back() - seeds.front() == seeds.size() - 1 &&
                   std::is_sorted(seeds.begin(), seeds.end());
  return run ? fmt::format("{}..{}", seeds.front(), seeds.back()) : fmt::format("{}", fmt::join(seeds, ","));
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

// The shortest decimal number that is this float.
double decimal(float value) { return std::stod(fmt::format("{}", value)); }

void add_edits(nlohmann::ordered_json& json, const RunConfig& config) {
  if (const GrowSettings& grow = config.grow; config.method == Method::grow) {
    json["seed_fraction"] = grow.seed_fraction;
    json["grow_score"] = grow.rule;
    if (grow.rule == "activation") json["tau"] = decimal(grow.tau);
    const auto& names = grow.interventions;
    json["intervention"] = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
    if (std::count(names.begin(), names.end(), "two_speed") > 0) {
      json["two_speed_r"] = decimal(grow.intervention.two_speed_factor);
      json["two_speed_steps"] = grow.intervention.two_speed_steps;
    }
    if (std::count(names.begin(), names.end(), "net2wider") > 0)
      json["net2wider_eps"] = decimal(grow.intervention.net2wider_epsilon);
  }
  if (const RewindSettings& rewind = config.rewind; config.method == Method::prune) {
    json["rewind_to"] = name_of(rewind.to);
    if (rewind.to == RewindSettings::To::snapshot) json["rewind_epoch"] = rewind.epoch;
    if (rewind.to != RewindSettings::To::none) {
      json["rewind_scope"] = name_of(rewind.scope);
      json["rewind_opt"] = rewind.optimizer;
      json["rewind_when_k0"] = rewind.when_nothing;
    }
  }
  json["first_edit"] = config.edit_before_first_cycle ? "before_first_cycle" : "after_first_cycle";
  json["ticket"] = config.ticket;
  if (config.ticket) json["wt_init"] = config.fresh_ticket ? "fresh" : "original";
  json["diagnostics"] = config.diagnostics;
  if (config.diagnostics) json["tau_diagnostics"] = decimal(config.diagnostics_tau);
}

}  // namespace

Schedule RunConfig::ticket_schedule() const {
  Schedule result = schedule;
  result.restart_every = 0;
  return result;
}

std::string RunConfig::variant() const {
  std::vector<std::string> parts{name_of(method)};
  if (method == Method::grow && grow.rule != "activation") parts.push_back(grow.rule);
  for (const auto& name : grow.interventions) parts.push_back(name);
  if (activation.kind != Activation::Kind::relu) parts.push_back(to_text(activation.kind));
  return fmt::format("{}", fmt::join(parts, "+"));
}

std::span<const ConfigKey> config_keys() { return keys(); }

ConfigText read_config(const std::filesystem::path& file) {
  ConfigText result;
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) throw_input_error("{}: it is a folder, not a file", file.string());
  try {
    const toml::table table = toml::parse_file(file.string());
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const auto where = fmt::format("{} line {}", file.string(), node.source().begin.line);
      check_name(name, where);
      const auto text_of = [&](const toml::node& value) -> std::string {
        if (value.is_string()) return value.as_string()->get();
        if (value.is_integer()) return fmt::format("{}", value.as_integer()->get());
        if (value.is_floating_point()) return fmt::format("{}", value.as_floating_point()->get());
        if (value.is_boolean()) return value.as_boolean()->get() ? "yes" : "no";
        throw_input_error("{}: {} is neither text nor a number", where, name);
      };
      if (const auto* array = node.as_array()) {
        std::vector<std::string> parts;
        for (const auto& value : *array) parts.push_back(text_of(value));
        result[name] = fmt::format("{}", fmt::join(parts, ","));
      } else {
        result[name] = text_of(node);
      }
    }
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    if (at.line == 0) throw_input_error("{}: {}", file.string(), error.description());
    throw_input_error("{} line {}, column {}: {}", file.string(), at.line, at.column, error.description());
  }
  return result;
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
  if (!reader.given("data"))
    throw_input_error("data is missing: give --data with one of {}", fmt::join(data_set_names(), ", "));
  config.data = reader.choice("data", "", data_set_names());
  const bool cifar = config.data.starts_with("cifar");
  config.network = reader.choice("network", cifar ? "convnet" : "mlp", network_names());
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
  config.activation = read_activation(reader, cifar);
  config.init = reader.choice("init", "kaiming_relu", {"kaiming_relu", "kaiming_stock"}) == "kaiming_stock"
                    ? Initialisation::kaiming_stock
                    : Initialisation::kaiming_relu;
  read_optimizer(reader, cifar, config);
  reader.decided("optimizer", config.optimizer.kind == OptimizerSettings::Kind::adam ? "adam" : "sgd");
  read_horizon(reader, cifar, config);
  check_interventions(config);
  if (config.edits()) check_edits(config);
  config.batch = static_cast<std::uint32_t>(reader.count("batch", cifar ? 128 : 256, 65536));
  config.standardised =
      reader.choice("pixels", cifar ? "standardised" : "unit", {"unit", "standardised"}) == "standardised";
  config.augment = reader.yes("augment", cifar);
  config.seeds = parse_seeds(reader.text("seeds", "1..10"));
  reader.refuse_the_rest();
  if (!is_text(config.masks)) throw_input_error("masks = {}: the name of a file must be text in UTF-8", config.masks);
  return config;
}

Architecture architecture_of(const RunConfig& config) {
  const auto& data = catalogue_entry(config.data);
  return make_architecture(config.network, {data.height, data.width, data.channels}, data.classes, config.hidden);
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

nlohmann::ordered_json to_json(const RunConfig& config) {
  const bool adam = config.optimizer.kind == OptimizerSettings::Kind::adam;
  const bool cosine = config.schedule.kind == Schedule::Kind::cosine;
  nlohmann::ordered_json json{{"data", config.data},
                              {"network", config.network},
                              {"hidden", config.hidden},
                              {"method", name_of(config.method)}};
  if (!config.edits()) json["masks"] = config.masks;
  if (config.edits() || config.masks == "random") {
    json["compactness"] = config.compactness;
    json["bias_schedule"] = config.bias_schedule;
  }
  if (config.edits()) add_edits(json, config);
  json["activation"] = to_text(config.activation.kind);
  if (config.activation.kind != Activation::Kind::relu) {
    json["rsl_c"] = decimal(config.activation.c);
    json["rsl_p"] = decimal(config.activation.p);
  }
  if (config.activation.kind == Activation::Kind::rsl) {
    json["rsl_lower"] = decimal(config.activation.lower);
    json["rsl_upper"] = decimal(config.activation.upper);
  }
  if (config.activation.kind == Activation::Kind::smooth_leaky) json["leaky_alpha"] = decimal(config.activation.alpha);
  json["init"] = config.init == Initialisation::kaiming_stock ? "kaiming_stock" : "kaiming_relu";
  json["optimizer"] = adam ? "adam" : "sgd";
  json["lr"] = config.schedule.rate;
  if (!adam) json["momentum"] = decimal(config.optimizer.momentum);
  json["weight_decay"] = decimal(config.optimizer.weight_decay);
  json["lr_schedule"] = cosine ? "cosine" : "constant";
  if (cosine) {
    json["t_max"] = config.schedule.t_max;
    json["lr_mode"] = config.schedule.restart_every > 0 ? "restart" : "global";
  }
  json["epochs"] = config.epochs;
  json["cycles"] = config.cycles;
  json["batch"] = config.batch;
  json["pixels"] = config.standardised ? "standardised" : "unit";
  json["augment"] = config.augment;
  json["seeds"] = to_text(config.seeds);
  return json;
}

std::string to_toml(const RunConfig& config) {
  std::string text;
  const auto json = to_json(config);
  for (const auto& [key, value] : json.items()) text += fmt::format("{} = {}\n", key, value.dump());
  return text;
}

std::string run_id(const RunConfig& config) {
  const std::string text = to_toml(config);
  return content_hash(std::span(&text, 1)).substr(0, 8);
}

}  // namespace cambium
