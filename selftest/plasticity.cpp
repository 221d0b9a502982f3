// Conformance checks of edits and diagnostics: scores of selection rules, whole edits, signals of units.

#include <limits>

#include "base/philox.hpp"
#include "plasticity/edit.hpp"
#include "plasticity/rewind.hpp"
#include "plasticity/selection.hpp"
#include "selftest/conformance.hpp"
#include "selftest/naive_scores.hpp"
#include "selftest/naive_signals.hpp"

namespace cambium::conformance {
namespace {

constexpr std::uint32_t rows = 9;
constexpr float tau = 0.05f;
constexpr double wrong = std::numeric_limits<double>::infinity();

// Two networks with unequal numbers of active units, and a batch.
struct Networks {
  Architecture architecture;
  std::vector<std::uint32_t> seeds;
  ParameterLayout layout{full_layout(architecture, 2)};
  Activation activation;
  Structure structure;
  std::vector<float> start{initial_parameters(layout, Initialisation::kaiming_stock, seeds)};
  Batch batch;

  Networks(const Architecture& architecture, std::uint32_t seed)
      : architecture(architecture),
        seeds{seed, seed + 100},
        structure(uneven_structure(architecture, seed)),
        batch(random_batch(architecture, 2, rows, seed)) {
    if (seed % 2 == 0) activation = {.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};
  }
  NaiveNetwork naive(const Structure& masks, std::size_t replica) const {
    return {layout, activation, masks, start, replica};
  }
  ScoringPass scoring_pass(Device& device) const {
    ScoringPass pass(device, layout, activation, seeds, rows);
    upload(device, batch.images, pass.input());
    upload(device, batch.labels, pass.labels());
    return pass;
  }
};

const Architecture mlp{"mlp", {6, 5, 1}, {}, {33, 21}, 10};
const Architecture convnet{"convnet", {8, 8, 3}, {5, 8}, {33, 20, 17}, 10};

// Random scores are a function of the seed; an output that is tau but for rounding may count or not. A rule without
// naive scores has a unit test of its own, and must have finite scores here.
void record_scores(const Networks& networks, const SelectionRule& rule, std::size_t layer, std::uint32_t event,
                   const std::vector<float>& found, CheckResult& outcome) {
  const std::size_t width = found.size() / 2;
  for (std::size_t r = 0; r < 2; ++r) {
    const auto network = networks.naive(networks.structure, r);
    const auto passes = network.pass(networks.batch);
    const auto where = fmt::format("{} {} fc{}", networks.architecture.name, rule.name, layer + 1);
    if (rule.name == "activation" || rule.name == "random") {
      for (std::size_t j = 0; j < width; ++j) {
        const double score = found[r * width + j], least = images_above(passes, layer, j, tau + 1e-5),
                     most = images_above(passes, layer, j, tau - 1e-5);
        const auto word = philox::word({{networks.seeds[r], philox::random_scores}}, static_cast<std::uint32_t>(j),
                                       static_cast<std::uint32_t>(layer), event);
        const bool right = rule.name == "random" ? score == double{philox::uniform(word)}
                                                 : score * rows >= least - 1e-5 && score * rows <= most + 1e-5;
        outcome.record(right ? 0 : wrong, 0, 1, where);
      }
      continue;
    }
    if (!has_naive_scores(rule.name)) {
      for (std::size_t j = 0; j < width; ++j)
        outcome.record(std::isfinite(found[r * width + j]) ? 0 : wrong, 0, 1, where);
      continue;
    }
    const auto expected = naive_scores(rule.name, network, passes, layer, tau);
    const double largest = *std::max_element(expected.begin(), expected.end());
    for (std::size_t j = 0; j < width; ++j) outcome.record(found[r * width + j], expected[j], largest, where);
  }
}

CheckResult scores_check(Device& device, const Settings& settings, const Architecture& architecture) {
  return over_work_groups(device, settings, 4e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    constexpr std::uint32_t event = 3;
    const Networks networks(architecture, seed);
    const Buffer<float> parameters(device, networks.start);
    auto pass = networks.scoring_pass(device);
    pass.set_masks(networks.structure);
    pass.observe(parameters, true);
    const ScoringContext context{device,     pass.network(), pass.pass(), networks.activation,
                                 parameters, networks.seeds, event,       tau};
    for (const auto& rule : selection_rules())
      for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
        Buffer<float> scores(device, networks.structure.masks(layer).size());
        rule.score(context, layer, scores);
        record_scores(networks, rule, layer, event, scores.download(), outcome);
        ++outcome.cases;
      }
  });
}

// Masks of one layer and replica after an edit: the error is how much better a unit left behind would have been than
// the worst that was taken.
void record_choice(const NaiveNetwork& before, std::size_t layer, const Values& scores, const Edit& edit,
                   std::int32_t count, CheckResult& outcome) {
  const bool growing = edit.after.active(layer, 0) >= edit.before.active(layer, 0);
  const auto r = static_cast<std::int32_t>(before.replica());
  double worst_taken = wrong, best_left = -wrong, largest = 0;
  std::int32_t taken = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const bool was = edit.before.mask(layer, r)[j] != 0, is = edit.after.mask(layer, r)[j] != 0;
    const double value = growing ? scores[j] : -scores[j];
    largest = std::max(largest, scores[j]);
    if (was != is) {
      ++taken;
      worst_taken = std::min(worst_taken, is == growing ? value : -wrong);
    } else if (was != growing) {
      best_left = std::max(best_left, value);
    }
  }
  const auto where = fmt::format("{} fc{}, replica {}", growing ? "grow" : "prune", layer + 1, r);
  outcome.record(taken == count ? 0 : wrong, 0, 1, where + " count");
  outcome.record(std::max(0.0, best_left - worst_taken), 0, largest, where);
}

void record_losses(const Networks& networks, const Edit& edit, CheckResult& outcome) {
  for (std::size_t r = 0; r < 2; ++r) {
    const auto before = networks.naive(edit.before, r).pass(networks.batch),
               after = networks.naive(edit.after, r).pass(networks.batch);
    outcome.record(edit.loss_before[r], mean_loss(before), 1, "loss before");
    outcome.record(edit.loss_after[r], mean_loss(after), 1, "loss after");
    outcome.record(edit.logit_distance[r], logit_distance(before, after), 1, "logit distance");
  }
}

// A growth event, then a pruning event on what it made, with a rewind.
CheckResult edits_check(Device& device, const Settings& settings) {
  return over_work_groups(device, settings, 4e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    const Networks networks(mlp, seed);
    Buffer<float> parameters(device, networks.start), moments(device, random_values(networks.layout.size, seed, 2));
    const Buffer<float> target(device, random_values(networks.layout.size, seed, 3));
    std::vector<std::uint64_t> steps(2 * networks.layout.layers.size(), 5);
    const FullForm form{networks.layout, parameters, {moments}, steps};
    auto pass = networks.scoring_pass(device);

    const auto edit = [&](const Structure& before, const EditTime& time) {
      const EditContext context{device, form, networks.seeds, networks.activation, pass};
      const GrowSettings settings{.rule = "gradmax", .tau = tau};
      Edit result = begin_edit(before, time);
      compute_scores(result, time, context, settings);
      choose_units(result, time);
      apply_edit(result, time, context, settings);
      return result;
    };
    const auto grown = edit(networks.structure, {{Method::grow, 4}, 2, {29, 17}});
    const auto pruned = edit(grown.after, {{Method::prune, 4}, 3, {6, 5}});
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t layer = 0; layer < 2; ++layer) {
        const auto before = networks.naive(grown.before, r), between = networks.naive(grown.after, r);
        const auto replica = static_cast<std::int32_t>(r);
        record_choice(before, layer, naive_scores("gradmax", before, before.pass(networks.batch), layer, tau), grown,
                      (std::array{29, 17}[layer] - grown.before.active(layer, replica) + 1) / 2, outcome);
        record_choice(between, layer, naive_scores("magnitude", between, {}, layer, tau), pruned,
                      grown.after.active(layer, replica) - std::array{6, 5}[layer], outcome);
      }
    record_losses(networks, grown, outcome);
    record_losses(networks, pruned, outcome);

    // The moments of removed units are zero. The rewind then restores all hidden layers.
    const auto cleared = to_state_dict(networks.layout, moments.download());
    rewind(device, {.scope = RewindSettings::Scope::masked}, target, form);
    const auto rewound = to_state_dict(networks.layout, parameters.download()),
               start = to_state_dict(networks.layout, networks.start),
               earlier = to_state_dict(networks.layout, target.download()),
               old_moments = to_state_dict(networks.layout, random_values(networks.layout.size, seed, 2)),
               new_moments = to_state_dict(networks.layout, moments.download());
    const auto removed = [&](std::size_t layer, std::size_t r, std::size_t unit) {
      const std::size_t at = r * static_cast<std::size_t>(mlp.hidden[layer]) + unit;
      return pruned.before.masks(layer)[at] != pruned.after.masks(layer)[at];
    };
    for (std::size_t t = 0; t < rewound.size(); ++t) {
      const std::size_t layer = t / 2, units = static_cast<std::size_t>(rewound[t].shape[1]);
      const std::size_t inputs = t % 2 == 0 ? static_cast<std::size_t>(rewound[t].shape[2]) : 1;
      const bool last = layer == mlp.hidden.size();
      for (std::size_t i = 0; i < rewound[t].values.size(); ++i) {
        const std::size_t r = i / inputs / units;
        const bool clear = (!last && removed(layer, r, i / inputs % units)) ||
                           (t % 2 == 0 && layer > 0 && removed(layer - 1, r, i % inputs));
        outcome.record(cleared[t].values[i], clear ? 0.0f : old_moments[t].values[i], 1e-30, "cleared moments");
        outcome.record(rewound[t].values[i], (last ? start : earlier)[t].values[i], 1e-30, "rewound parameters");
        outcome.record(new_moments[t].values[i], last ? cleared[t].values[i] : 0.0f, 1e-30, "rewound moments");
      }
    }
    for (std::size_t layer = 0; layer < steps.size(); ++layer)
      outcome.record(static_cast<double>(steps[layer]), layer < 4 ? 0 : 5, 1e-30, "steps");
    ++outcome.cases;
  });
}

CheckResult signals_check(Device& device, const Settings& settings) {
  return over_work_groups(device, settings, 4e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    const Networks networks(mlp, seed);
    const Compaction compaction(device, networks.architecture, networks.structure);
    PairedValues parameters = compaction.make_values(), reference = compaction.make_values();
    const auto reference_values = random_values(networks.layout.size, seed, 3);
    compaction.upload(networks.start, parameters);
    compaction.upload(reference_values, reference);
    Observer observer(device, compaction.live(), networks.activation, networks.seeds,
                      {compaction.units(0), compaction.units(1)}, rows);
    upload(device, networks.batch.images, observer.input(rows));
    const Buffer<std::int32_t> labels(device, networks.batch.labels);
    const auto seen = observer.observe(parameters.live, labels, rows, tau, reference.live);
    for (std::size_t r = 0; r < 2; ++r) {
      const auto network = networks.naive(networks.structure, r);
      const auto passes = network.pass(networks.batch);
      const auto expected = naive_signals(network, passes, tau, reference_values);
      outcome.record(seen.loss[r], mean_loss(passes), 1, "loss");
      for (const auto& [name, signal, naive] : all_signals)
        for (std::size_t layer = 0; layer < 2; ++layer) {
          const auto units = networks.structure.live_units(layer);
          const std::size_t width = units.size() / 2;
          double largest = 0;
          for (const auto& unit : expected[layer]) largest = std::max(largest, std::abs(unit.*naive));
          for (std::size_t i = r * width; i < (r + 1) * width; ++i) {
            const float found = (seen.layers[layer].*signal)[i];
            const auto where = fmt::format("{} of fc{}", name, layer + 1);
            if (units[i] < 0)
              outcome.record(found, 0, 1e-30, where + ", padding");
            else
              outcome.record(found, expected[layer][static_cast<std::size_t>(units[i])].*naive, largest, where);
          }
        }
    }
    ++outcome.cases;
  });
}

}  // namespace

std::vector<Check> plasticity_checks(const DeviceInfo& device) {
  using namespace std::placeholders;
  std::vector<Check> checks;
  const auto with_backend = [](const std::string& name, auto check) {
    return [name, check](Device& device, const Settings& settings) {
      device.use_gemm_backend(name);
      device.use_convolution_backend("");
      return check(device, settings);
    };
  };
  for (const auto& backend : device.gemm) {
    if (!backend.why_not.empty()) continue;
    checks.push_back(
        {"selection rules, mlp", backend.name, with_backend(backend.name, std::bind(scores_check, _1, _2, mlp))});
    checks.push_back({"growth, pruning, rewind", backend.name, with_backend(backend.name, edits_check)});
    checks.push_back({"signals of units", backend.name, with_backend(backend.name, signals_check)});
  }
  checks.push_back({"selection rules, convnet", "-", with_backend("", std::bind(scores_check, _1, _2, convnet))});
  return checks;
}

}  // namespace cambium::conformance
