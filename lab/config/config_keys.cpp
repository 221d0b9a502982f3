// The keys of a configuration, with their help.

#include "lab/config/config_reader.hpp"
#include "plasticity/selection.hpp"
#include "streams/stream.hpp"

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
      {"stream", "NAME",
       fmt::format("What to learn: {}. `cambium streams` describes them", fmt::join(stream_names(), ", "))},
      {"data", "NAME", "The same as stream, for a whole data set"},
      {"network", "mlp|convnet", "Network. Default: mlp for MNIST and Fashion-MNIST, else convnet"},
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
      {"rewind_epoch", "N",
       "Epochs (tasks of a shifting stream) after which the snapshot is taken, at the first edit at the latest. "
       "Default: 1"},
      {"rewind_scope", "all|head|masked",
       "What is taken back: every layer, the fully connected ones, or the hidden ones only. Default: all"},
      {"rewind_opt", "yes|no", "Make the optimiser as new at a rewind. Default: yes"},
      {"rewind_when_k0", "yes|no", "Rewind also at an edit that removes nothing. Default: yes"},
      {"first_edit", "after_first_cycle|before_first_cycle", "When the first edit is. Default: after_first_cycle"},
      {"ticket", "yes|no",
       "Afterwards train the final structure from the start, without edits (winning ticket). Default: yes for grow and "
       "prune, but for shifting streams"},
      {"wt_init", "original|fresh", "The ticket's initial weights: the run's own, or others. Default: original"},
      {"diagnostics", "yes|no",
       "Record how newborns and incumbents, or kept and pruned units, fare. Default: yes for grow and prune, but for "
       "shifting streams"},
      {"tau_diagnostics", "T", "Above it, an output counts as active in the diagnostics. Default: 0.05"},
      {"activation", "relu|smooth_leaky|rsl", "Activation function. Default: relu"},
      {"rsl_c", "C", "Shape c of smooth_leaky and rsl. Default: the study's for the stream"},
      {"rsl_p", "P", "Shape p of smooth_leaky and rsl. Default: the study's for the stream"},
      {"rsl_lower", "R", "Smallest random slope of rsl. Default: the study's for the stream"},
      {"rsl_upper", "R", "Largest random slope of rsl. Default: the study's for the stream"},
      {"leaky_alpha", "A", "Slope of smooth_leaky. Default: 0.1"},
      {"init", "kaiming_relu|kaiming_stock", "Initial weights. Default: kaiming_relu"},
      {"optimizer", "sgd|adam", "Optimiser. Default: sgd; adam for split-cifar100 and shifting streams"},
      {"lr", "RATE", "Learning rate. Default: adam 0.001; sgd 0.01, with convnet 0.1; split-cifar100 with rsl 0.0001"},
      {"momentum", "M", "Momentum of sgd. Default: 0"},
      {"weight_decay", "D", "Weight decay, added to the gradient. Default: 0"},
      {"lr_schedule", "cosine|constant",
       "How the rate falls over the epochs. Default: cosine; constant for split-cifar100 and shifting streams"},
      {"t_max", "EPOCHS", "Epochs (tasks of a shifting stream) until the cosine reaches zero. Default: 200"},
      {"lr_mode", "global|restart",
       "One cosine for the run, or a fresh one every cycle. Default: restart for grow and prune, else global"},
      {"epochs", "N", "Epochs in all, of a whole data set. Default: 100 (CIFAR: 200)"},
      {"cycles", "N", "Cycles that the epochs, or the tasks, are divided into. Default: 5; as many as tasks"},
      {"epochs_per_cycle", "N", "Epochs of each cycle, instead of epochs"},
      {"tasks", "N", "Tasks of a stream. Default: the study's"},
      {"epochs_per_task", "N", "Passes over each task's images. Default: the study's"},
      {"steps_per_task", "N", "Steps of each task, for 5+1-cifar. Default: 780"},
      {"task_images", "N", "Images of the tasks of permuted-mnist (default 10000) and random labels (default 1200)"},
      {"permute_first", "yes|no", "Permute also the pixels of permuted-mnist's first task. Default: yes"},
      {"evaluation_images", "N",
       "Images of every earlier task of a shifting stream that are tried at the end of a task. Default: 500; 100 with "
       "more than 100 tasks"},
      {"replay", "none|tiny_er",
       "Mix images of earlier classes into every batch, half and half. Default: tiny_er for split-mnist and "
       "split-fashion"},
      {"replay_per_class", "N", "Images that replay keeps of a class, at most. Default: 50"},
      {"replay_total", "N", "Images that replay keeps in all, at most. Default: 200"},
      {"batch", "N", "Images per step and network. Default: the study's for the stream, 16 to 256"},
      {"pixels", "unit|standardised",
       "Pixels as numbers in [0, 1], or less the mean over the deviation. Default: unit (photographs: standardised)"},
      {"augment", "yes|no",
       "Crop and flip training images at random. Default: yes for cifar-10 and cifar-100, else no"},
      {"seeds", "A..B|A,B,...", "Seeds: one network each, trained side by side. Default: 1..10"},
  };
  return all;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const auto& key : keys()) names.push_back(key.name);
  return names;
}

}  // namespace

std::span<const ConfigKey> config_keys() { return keys(); }

void check_name(const std::string& key, const std::string& where) {
  const auto names = key_names();
  if (std::find(names.begin(), names.end(), key) != names.end()) return;
  const auto near = nearest(key, names);
  throw_input_error(
      "{}: there is no key {}. {}", where, key,
      near.empty() ? fmt::format("Keys: {}.", fmt::join(names, ", ")) : fmt::format("Did you mean {}?", near));
}

}  // namespace cambium
