// The trainer: edits keep all values, inactive units and frozen networks do not change, newborns may learn faster.

#include "lab/training/trainer.hpp"

#include <gmock/gmock.h>

#include "selftest/conformance.hpp"
#include "streams/stream.hpp"
#include "tests/plasticity/event.hpp"

namespace cambium {
namespace {

using testing::Each;

const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};
const OptimizerSettings sgd, decay{.weight_decay = 0.1f}, momentum{.momentum = 0.9f, .weight_decay = 0.1f},
    adam{.kind = OptimizerSettings::Kind::adam, .weight_decay = 0.1f};

constexpr std::uint32_t image_count = 40, rows = 8;
constexpr float all = 1.0f;  // the chance of a unit to be active

Images random_images(const ImageShape& shape) {
  Images images{image_count, shape.height, shape.width, shape.channels, {}, {}};
  for (const float value : conformance::random_values(image_count * static_cast<std::size_t>(shape.size()), 1, 5))
    images.pixels.push_back(static_cast<std::uint8_t>(127.5f + 127.5f * value));
  for (std::uint32_t i = 0; i < image_count; ++i) images.labels.push_back(static_cast<std::uint8_t>(i * 3 % 10));
  return images;
}

// Two networks in training, with unequal numbers of active units, unless other seeds are given.
struct Training {
  Device& device = shared_device();
  TrainerSettings settings;
  DeviceImages images;
  Trainer trainer;

  Training(const Architecture& architecture, const OptimizerSettings& optimizer, float chance = 0.35f,
           const Activation& activation = {}, std::vector<std::uint32_t> seeds = {1, 2})
      : settings{.architecture = architecture,
                 .activation = activation,
                 .initialisation = Initialisation::kaiming_stock,
                 .optimizer = optimizer,
                 .batch = rows,
                 .seeds = std::move(seeds)},
        images(device, random_images(architecture.image), Normalisation::unit(architecture.image.channels)),
        trainer(device, settings, drawn_structure(architecture, settings.seeds, chance)) {}

  const ParameterLayout& layout() const { return trainer.compaction().full(); }
  const Structure& structure() const { return trainer.compaction().structure(); }
  std::vector<float> initial() const { return initial_parameters(layout(), settings.initialisation, settings.seeds); }

  // The images of a step's batch, as a function of the seed.
  static std::vector<std::int32_t> batch(std::uint64_t number, std::uint32_t seed) {
    std::vector<std::int32_t> numbers;
    for (std::uint32_t i = 0; i < rows; ++i)
      numbers.push_back(static_cast<std::int32_t>((number * 2 * rows + (seed - 1) * rows + i) * 7 % image_count));
    return numbers;
  }
  void step(std::uint64_t number, float rate = 0.05f, FrozenReplicas frozen = {}) {
    std::vector<std::int32_t> numbers;
    for (const std::uint32_t seed : settings.seeds)
      for (const std::int32_t image : batch(number, seed)) numbers.push_back(image);
    step_on(images, numbers, {.step = number, .rate = rate, .frozen = frozen});
  }
  // `numbers`: images (R, rows).
  void step_on(const DeviceImages& from, const std::vector<std::int32_t>& numbers, TrainingBatch batch) {
    const Buffer<std::int32_t> indices(device, numbers);
    Buffer<float> losses(device, numbers.size());
    Buffer<std::uint8_t> correct(device, numbers.size());
    batch.indices = indices;
    batch.rows = static_cast<std::uint32_t>(numbers.size() / settings.seeds.size());
    batch.losses = losses;
    batch.correct = correct;
    trainer.step(from, batch);
  }
  void steps(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t number = first; number < end; ++number) step(number);
  }

  // Everything that training changes: parameters, then moments, as PyTorch lays them out.
  std::vector<std::vector<StateTensor>> state() {
    std::vector<std::vector<StateTensor>> sets{to_state_dict(layout(), trainer.parameters())};
    for (std::size_t i = 0; i < trainer.optimizer().moments().size(); ++i)
      sets.push_back(to_state_dict(layout(), trainer.moments(i)));
    return sets;
  }

  // One factor for some units, per hidden layer (R, full width).
  template <class Chosen>
  std::vector<std::vector<float>> speeds(float factor, Chosen&& chosen) const {
    std::vector<std::vector<float>> layers;
    for (std::size_t l = 0; l < structure().layers(); ++l) {
      const auto width = static_cast<std::size_t>(structure().full_width(l));
      auto& layer = layers.emplace_back(2 * width, 1.0f);
      for (std::size_t i = 0; i < layer.size(); ++i)
        if (chosen(l, i / width, i % width)) layer[i] = factor;
    }
    return layers;
  }
  bool active(std::size_t layer, std::size_t replica, std::size_t unit) const {
    return structure().mask(layer, static_cast<std::int32_t>(replica))[unit] != 0;
  }
};

void expect_same_state(Training& a, Training& b) {
  const auto first = a.state(), second = b.state();
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t set = 0; set < first.size(); ++set)
    for (std::size_t t = 0; t < first[set].size(); ++t)
      EXPECT_EQ(first[set][t].values, second[set][t].values) << first[set][t].name << " of set " << set;
  EXPECT_EQ(a.trainer.optimizer().steps(), b.trainer.optimizer().steps());
}

// Calls body(tensor, element, whether a unit that `chosen` picks is at one of its ends) for every parameter of the
// fully connected layers.
template <class Chosen, class Body>
void for_each_parameter(const ParameterLayout& layout, Chosen&& chosen, Body&& body) {
  const std::size_t trunk = layout.architecture.trunk.size(), hidden = layout.architecture.hidden.size();
  const auto shapes = state_dict_shapes(layout);
  for (std::size_t t = 2 * trunk; t < shapes.size(); ++t) {
    const std::size_t layer = t / 2 - trunk, units = static_cast<std::size_t>(shapes[t].shape[1]);
    const bool weight = t % 2 == 0;
    const std::size_t inputs = weight ? static_cast<std::size_t>(shapes[t].shape[2]) : 1;
    for (std::size_t i = 0; i < 2 * units * inputs; ++i) {
      const std::size_t replica = i / inputs / units, unit = i / inputs % units, input = i % inputs;
      const bool into = layer < hidden && chosen(layer, replica, unit);
      const bool out_of = weight && layer > 0 && chosen(layer - 1, replica, input);
      body(t, i, into || out_of);
    }
  }
}

struct TrainerCase {
  Architecture architecture;
  OptimizerSettings optimizer;
};
std::ostream& operator<<(std::ostream& stream, const TrainerCase& test) {
  const auto& o = test.optimizer;
  return stream << test.architecture.name << "_"
                << (o.kind == OptimizerSettings::Kind::adam ? "adam"
                    : o.momentum != 0.0f                    ? "momentum"
                    : o.weight_decay != 0.0f                ? "decay"
                                                            : "sgd");
}

class Trainers : public testing::TestWithParam<TrainerCase> {
 protected:
  Training make(float chance = 0.35f, const Activation& activation = {},
                std::vector<std::uint32_t> seeds = {1, 2}) const {
    return {GetParam().architecture, GetParam().optimizer, chance, activation, std::move(seeds)};
  }
  // Of both replicas, as in step 0.
  static std::vector<std::int32_t> first_batch() {
    auto numbers = Training::batch(0, 1);
    for (const std::int32_t image : Training::batch(0, 2)) numbers.push_back(image);
    return numbers;
  }
};
// The second network is frozen in steps 3 and 4, so its step counts for Adam differ from then on.
TEST_P(Trainers, StepsLeaveAFrozenNetworkUnchanged) {
  Training together = make();
  together.steps(0, 3);
  const std::vector<std::uint8_t> frozen{0, 1};
  together.step(3, 0.05f, frozen);
  together.step(4, 0.05f, frozen);
  together.steps(5, 8);

  Training first = make(), second = make();
  first.steps(0, 8);
  second.steps(0, 3);
  second.steps(5, 8);
  const auto mixed = together.state(), of_first = first.state(), of_second = second.state();
  for (std::size_t set = 0; set < mixed.size(); ++set)
    for (std::size_t t = 0; t < mixed[set].size(); ++t) {
      const auto& values = mixed[set][t].values;
      const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
      EXPECT_TRUE(std::equal(values.begin(), values.begin() + half, of_first[set][t].values.begin()))
          << mixed[set][t].name << " of set " << set;
      EXPECT_TRUE(std::equal(values.begin() + half, values.end(), of_second[set][t].values.begin() + half))
          << mixed[set][t].name << " of set " << set;
    }
  const auto steps = together.trainer.optimizer().steps();
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], i % 2 == 0 ? 8u : 6u);
}

INSTANTIATE_TEST_SUITE_P(All, Trainers,
                         testing::Values(TrainerCase{small_mlp, sgd}, TrainerCase{small_mlp, decay},
                                         TrainerCase{small_mlp, momentum}, TrainerCase{small_mlp, adam},
                                         TrainerCase{small_convnet, sgd}, TrainerCase{small_convnet, adam}),
                         testing::PrintToStringParamName());

TEST_P(Trainers, AnEditWithoutChangesDoesNotAffectTraining) {
  for (const float chance : {0.35f, all}) {
    Training edited = make(chance, rsl), plain = make(chance, rsl);
    edited.steps(0, 3);
    plain.steps(0, 3);
    edited.trainer.begin_edit();
    edited.trainer.end_edit(edited.structure());
    expect_same_state(edited, plain);
    edited.steps(3, 5);
    plain.steps(3, 5);
    expect_same_state(edited, plain);
  }
}

TEST_P(Trainers, RestructuringKeepsAllValues) {
  Training edited = make(), plain = make();
  edited.steps(0, 3);
  plain.steps(0, 3);
  for (const float chance : {0.75f, all, 0.2f}) {
    const auto structure = drawn_structure(GetParam().architecture, {1, 2}, chance);
    edited.trainer.restructure(structure);
    EXPECT_EQ(edited.structure(), structure);
    expect_same_state(edited, plain);
  }
}

TEST_P(Trainers, AnEditGetsAllValuesOfTheNetworks) {
  for (const float chance : {0.35f, all}) {
    Training training = make(chance);
    training.steps(0, 3);
    const auto state = training.state();
    const FullForm form = training.trainer.begin_edit();
    EXPECT_THAT(form.steps, Each(3));
    EXPECT_EQ(form.moments.size() + 1, state.size());
    for (std::size_t set = 0; set < state.size(); ++set) {
      const auto seen =
          to_state_dict(form.layout, download(training.device, set == 0 ? form.parameters : form.moments[set - 1]));
      for (std::size_t t = 0; t < seen.size(); ++t) EXPECT_EQ(seen[t].values, state[set][t].values) << seen[t].name;
    }
    training.trainer.end_edit(training.structure());
  }
}

TEST_P(Trainers, TrainingContinuesFromTheValuesThatAnEditWrites) {
  for (const auto& [before, chance] :
       {std::pair{0.35f, 0.35f}, {0.35f, 0.75f}, {0.35f, all}, {all, 0.35f}, {all, all}}) {
    Training training = make(before);
    training.steps(0, 2);
    const auto structure = drawn_structure(GetParam().architecture, {1, 2}, chance);
    std::vector<std::vector<float>> written;
    const FullForm form = training.trainer.begin_edit();
    written.push_back(conformance::random_values(form.layout.size, 1, 8));
    upload(training.device, written.back(), form.parameters);
    for (const auto& moments : form.moments) {
      written.push_back(conformance::random_values(form.layout.size, 1, 9));
      for (auto& value : written.back()) value = std::abs(value);
      upload(training.device, written.back(), moments);
    }
    std::fill(form.steps.begin(), form.steps.end(), 100);
    training.trainer.end_edit(structure);
    Training expected(GetParam().architecture, GetParam().optimizer, chance);
    expected.trainer.set_parameters(written[0]);
    for (std::size_t i = 1; i < written.size(); ++i) expected.trainer.set_moments(i - 1, written[i]);
    expected.trainer.optimizer().set_steps(
        std::vector<std::uint64_t>(training.trainer.optimizer().steps().size(), 100));
    expect_same_state(training, expected);
    training.steps(2, 4);
    expected.steps(2, 4);
    expect_same_state(training, expected);
  }
}

TEST_P(Trainers, NewbornsBeginWithTheirInitialParametersAndNoMoments) {
  Training training = make();
  const auto before = training.structure();
  const auto initial = to_state_dict(training.layout(), training.initial());
  training.steps(0, 3);
  training.trainer.restructure(drawn_structure(GetParam().architecture, {1, 2}, 0.75f));
  const auto state = training.state();
  const auto newborn = [&](std::size_t l, std::size_t r, std::size_t j) {
    return before.mask(l, static_cast<std::int32_t>(r))[j] == 0 && training.active(l, r, j);
  };
  int seen = 0;
  for_each_parameter(training.layout(), newborn, [&](std::size_t t, std::size_t i, bool of_newborn) {
    if (!of_newborn) return;
    ++seen;
    EXPECT_EQ(state[0][t].values[i], initial[t].values[i]) << initial[t].name;
    for (std::size_t set = 1; set < state.size(); ++set) EXPECT_EQ(state[set][t].values[i], 0.0f) << initial[t].name;
  });
  EXPECT_GT(seen, 100);
}

// With and without speeds: these have a kernel of their own.
TEST_P(Trainers, InactiveUnitsKeepTheirValues) {
  for (const bool with_speeds : {false, true}) {
    Training training = make();
    for (std::size_t i = 0; i < training.trainer.optimizer().moments().size(); ++i) {
      auto values = conformance::random_values(training.layout().size, 1, 20 + static_cast<std::uint32_t>(i));
      for (auto& value : values) value = std::abs(value);
      training.trainer.set_moments(i, values);
    }
    if (with_speeds) training.trainer.set_speeds(training.speeds(3.0f, [](auto, auto, auto) { return true; }));
    const auto before = training.state();
    training.steps(0, 4);
    const auto after = training.state();
    const auto inactive = [&](std::size_t l, std::size_t r, std::size_t j) { return !training.active(l, r, j); };
    int rested = 0, moved = 0;
    for_each_parameter(training.layout(), inactive, [&](std::size_t t, std::size_t i, bool of_inactive) {
      for (std::size_t set = 0; set < before.size(); ++set) {
        const float old_value = before[set][t].values[i], new_value = after[set][t].values[i];
        if (of_inactive) {
          ++rested;
          EXPECT_EQ(new_value, old_value) << before[set][t].name << " of set " << set;
        } else {
          moved += new_value != old_value;
        }
      }
    });
    EXPECT_GT(rested, 100);
    EXPECT_GT(moved, 100);
  }
}

TEST_P(Trainers, ARestartedTrainerEqualsANewOne) {
  for (const float chance : {0.35f, all}) {
    Training used = make(chance, rsl), fresh = make(chance, rsl);
    used.trainer.set_speeds(used.speeds(5.0f, [](auto, auto, std::size_t j) { return j % 2 == 0; }));
    used.steps(0, 3);
    used.trainer.restart(used.initial());
    expect_same_state(used, fresh);
    EXPECT_THAT(used.trainer.optimizer().steps(), Each(0));
    used.steps(0, 3);
    fresh.steps(0, 3);
    expect_same_state(used, fresh);
  }
}

TEST_P(Trainers, ARestartKeepsTheStructure) {
  Training training = make();
  const auto structure = training.structure();
  training.trainer.restart(training.initial());
  EXPECT_EQ(training.structure(), structure);
}

TEST_P(Trainers, EmptySpeedsDoNotAffectTraining) {
  Training plain = make(), none = make();
  none.trainer.set_speeds(none.speeds(5.0f, [](auto, auto, auto) { return true; }));
  none.trainer.set_speeds({});
  plain.steps(0, 3);
  none.steps(0, 3);
  expect_same_state(plain, none);
}

TEST_P(Trainers, AnEditEndsTheSpeeds) {
  Training plain = make(), edited = make();
  edited.trainer.set_speeds(edited.speeds(5.0f, [](auto, auto, auto) { return true; }));
  edited.trainer.begin_edit();
  edited.trainer.end_edit(edited.structure());
  plain.steps(0, 2);
  edited.steps(0, 2);
  expect_same_state(plain, edited);
}

// Up to the rounding of a sum of two floats. A weight between two chosen units is among them, and scaled once.
TEST_P(Trainers, SpeedsScaleTheFirstStepOfAUnitsWeightsAndBias) {
  for (const auto& [factor, chance] : {std::pair{5.0f, 0.35f}, {2.0f, all}, {0.25f, 0.35f}}) {
    Training slow = make(chance), fast = make(chance);
    const auto chosen = [](std::size_t l, std::size_t r, std::size_t j) { return (j + l + r) % 3 == 0; };
    slow.trainer.set_speeds(slow.speeds(1.0f, chosen));
    fast.trainer.set_speeds(fast.speeds(factor, chosen));
    const auto start = slow.state()[0];
    slow.step(0, 0.5f);
    fast.step(0, 0.5f);
    const auto base = slow.state(), scaled = fast.state();
    int clear = 0;
    for_each_parameter(slow.layout(), chosen, [&](std::size_t t, std::size_t i, bool of_chosen) {
      const double old_value = start[t].values[i];
      const double way = base[0][t].values[i] - old_value, expected = (of_chosen ? double{factor} : 1.0) * way;
      const double largest = std::abs(old_value) + std::abs(way) + std::abs(expected);
      const double rounding = 0x1p-24 * (1 + double{factor}) * largest;
      EXPECT_NEAR(scaled[0][t].values[i] - old_value, expected, rounding) << start[t].name << " " << i;
      clear += of_chosen && std::abs(expected - way) > 10 * rounding;
    });
    EXPECT_GT(clear, 100) << "the steps are too small to tell";
    // The optimiser does not know, and the trunk has no speeds.
    for (std::size_t set = 1; set < base.size(); ++set)
      for (std::size_t t = 0; t < base[set].size(); ++t) EXPECT_EQ(scaled[set][t].values, base[set][t].values);
    for (std::size_t t = 0; t < 2 * GetParam().architecture.trunk.size(); ++t)
      EXPECT_EQ(scaled[0][t].values, base[0][t].values) << start[t].name;
  }
}

TEST_P(Trainers, WeightsOfOneOverTheRowsGiveTheMeanLoss) {
  Training plain = make(), weighted = make();
  const Buffer<float> weights(plain.device, std::vector<float>(2, 1.0f / rows));
  const auto numbers = first_batch();
  plain.step_on(plain.images, numbers, {.rate = 0.05f});
  weighted.step_on(plain.images, numbers, {.rate = 0.05f, .weights = weights});
  expect_same_state(plain, weighted);
}

TEST_P(Trainers, AShortBatchBesideALongerOneGivesTheSameBits) {
  constexpr std::uint32_t fewer = 5;
  Training together = make(0.35f, rsl), alone = make(0.35f, rsl, {2});
  const auto start = together.initial();
  auto numbers = first_batch();
  std::fill(numbers.begin() + rows + fewer, numbers.end(), -1);
  const Buffer<float> weights(together.device, std::vector<float>{1.0f / rows, 1.0f / fewer});
  together.step_on(together.images, numbers, {.rate = 0.05f, .weights = weights});
  alone.step_on(alone.images, {numbers.begin() + rows, numbers.begin() + rows + fewer}, {.rate = 0.05f});
  // Up to the order of sums: that depends on the number of rows.
  const auto a = replica_of(together.layout(), together.trainer.parameters(), 1),
             b = replica_of(alone.layout(), alone.trainer.parameters(), 0);
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t i = 0; i < a[t].values.size(); ++i)
      ASSERT_NEAR(a[t].values[i], b[t].values[i], 1e-6) << a[t].name << " " << i;
  EXPECT_NE(together.trainer.parameters(), start);
}

// Two tasks that move all pixels by one or two places, and call the classes something else.
TEST_P(Trainers, TrainsOnImagesAndLabelsOfTheTask) {
  const auto original = random_images(GetParam().architecture.image);
  const auto positions = static_cast<std::size_t>(original.height * original.width);
  const auto channels = static_cast<std::size_t>(original.channels);
  std::vector<Task> tasks(2);
  std::vector<Images> shown(2, original);
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t i = 0; i < positions; ++i)
      tasks[r].pixels.push_back(static_cast<std::int32_t>((i + r + 1) % positions));
    for (std::size_t c = 0; c < 10; ++c) tasks[r].class_labels.push_back(static_cast<std::int32_t>((c + r + 3) % 10));
    for (std::size_t i = 0; i < shown[r].pixels.size(); ++i) {
      const std::size_t image = i / channels / positions, position = i / channels % positions;
      shown[r].pixels[i] =
          original.pixels[(image * positions + (position + r + 1) % positions) * channels + i % channels];
    }
    for (auto& label : shown[r].labels) label = static_cast<std::uint16_t>((label + r + 3) % 10);
  }
  // One after the other in one set.
  Images both = shown[0];
  both.count *= 2;
  both.pixels.insert(both.pixels.end(), shown[1].pixels.begin(), shown[1].pixels.end());
  both.labels.insert(both.labels.end(), shown[1].labels.begin(), shown[1].labels.end());
  Training in_task = make(), expected = make();
  const DeviceTasks on_device(in_task.device, tasks, 0, 10);
  const DeviceImages other_images(in_task.device, both, Normalisation::unit(both.channels));
  auto numbers = first_batch();
  in_task.step_on(in_task.images, numbers, {.rate = 0.05f, .task = on_device});
  for (std::size_t i = rows; i < numbers.size(); ++i) numbers[i] += image_count;
  expected.step_on(other_images, numbers, {.rate = 0.05f});
  expect_same_state(in_task, expected);
}

}  // namespace
}  // namespace cambium
