// Compares networks with PyTorch (tests/golden) and finite differences, masked networks with compact ones, and a
// replica alone with the same replica among others, on every backend.

#include "layers/network.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/results/safetensors.hpp"
#include "lab/run/network_tensors.hpp"
#include "optim/optimizer.hpp"
#include "selftest/conformance.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

struct Golden {
  TensorFile file;
  Architecture architecture;
  std::uint32_t rows, steps;

  explicit Golden(const std::string& name) : file(TensorFile::read(GOLDEN_FOLDER "/" + name + ".safetensors")) {
    if (name == "mlp") {
      architecture = {"mlp", {4, 3, 1}, {}, {8, 7}, 5};
      rows = 6, steps = 4;
    } else {
      architecture = {"convnet", {8, 8, 3}, {4, 6}, {10, 9, 7}, 5};
      rows = 4, steps = 3;
    }
  }

  Structure structure() const { return read_masks(file, "mask.", architecture, 2); }

  // (R, rows, H, W, C) of one step.
  std::vector<float> input(std::uint32_t step) const {
    const auto [height, width, channels] = architecture.image;
    const auto all = file.values<float>("input", {steps, 2, rows, channels, height, width});
    const std::size_t images = 2 * rows, size = static_cast<std::size_t>(architecture.image.size());
    const auto positions = static_cast<std::size_t>(height * width), depth = static_cast<std::size_t>(channels);
    std::vector<float> result(images * size);
    for (std::size_t image = 0; image < images; ++image)
      for (std::size_t p = 0; p < positions; ++p)
        for (std::size_t c = 0; c < depth; ++c)
          result[image * size + p * depth + c] = all[(step * images + image) * size + c * positions + p];
    return result;
  }
  std::vector<std::int32_t> labels(std::uint32_t step) const {
    const auto all = file.values<std::int32_t>("labels", {steps, 2, rows});
    return {all.begin() + step * 2 * rows, all.begin() + (step + 1) * 2 * rows};
  }
};

Activation activation_named(const std::string& name) {
  if (name == "relu") return {};
  return {.kind = Activation::Kind::smooth_leaky, .c = 2.0f, .p = 0.8f, .alpha = 0.1f};
}

OptimizerSettings optimizer_named(const std::string& name) {
  if (name == "sgd") return {};
  if (name == "sgd_momentum") return {.momentum = 0.9f, .weight_decay = 0.01f};
  return {.kind = OptimizerSettings::Kind::adam, .weight_decay = 0.01f};
}

// A network with its parameters and buffers. Compact: live copies; otherwise full width with masks.
struct Model {
  Device& device;
  std::vector<std::uint32_t> seeds;
  Compaction compaction;
  PairedValues parameters;
  Optimizer optimizer;
  std::vector<Buffer<float>> masks;
  Network network;
  ForwardPass pass;  // the last one
  Buffer<std::int32_t> labels;
  Buffer<float> losses;
  Buffer<std::uint8_t> correct;

  Model(Device& device, const Architecture& architecture, const Structure& structure, const std::vector<float>& initial,
        const Activation& activation, const OptimizerSettings& settings, std::uint32_t rows, bool compact, bool observe,
        std::vector<std::uint32_t> seeds = {1, 2})
      : device(device),
        seeds(seeds),
        compaction(device, architecture, compact ? structure : Structure(architecture, structure.replicas())),
        parameters(compaction.make_values()),
        optimizer(device, settings, compaction),
        network(device, compaction.live(), activation, seeds, unit_views(compact), mask_views(structure, compact),
                {.capacity = rows, .observe = observe}),
        labels(device, structure.replicas() * rows),
        losses(device, labels.size()),
        correct(device, labels.size()) {
    compaction.upload(initial, parameters);
  }

  std::vector<View<const std::int32_t>> unit_views(bool compact) {
    std::vector<View<const std::int32_t>> views;
    for (std::size_t l = 0; compact && l < compaction.structure().layers(); ++l) views.push_back(compaction.units(l));
    return views;
  }
  std::vector<View<const float>> mask_views(const Structure& structure, bool compact) {
    std::vector<View<const float>> views;
    for (std::size_t l = 0; !compact && l < structure.layers(); ++l) {
      masks.emplace_back(device, std::vector<float>(structure.masks(l).begin(), structure.masks(l).end()));
      views.push_back(masks.back());
    }
    return views;
  }

  // Mean loss of each replica.
  std::vector<double> forward(const std::vector<float>& input, const std::vector<std::int32_t>& batch_labels,
                              std::uint64_t step = 0) {
    const auto rows = static_cast<std::uint32_t>(batch_labels.size() / seeds.size());
    upload(device, input, network.input(rows));
    labels.upload(batch_labels);
    pass = network.forward(parameters.live, {.rows = rows, .training = true, .step = step});
    network.loss(pass, parameters.live, labels, 1.0f / static_cast<float>(rows), losses, correct);
    const auto values = losses.download();
    std::vector<double> means(seeds.size(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) means[i / rows] += double{values[i]} / rows;
    return means;
  }
  std::vector<double> train(const std::vector<float>& input, const std::vector<std::int32_t>& batch_labels, float rate,
                            std::uint64_t step = 0) {
    const auto means = forward(input, batch_labels, step);
    network.backward(pass, parameters.live, optimizer.target(parameters.live, rate));
    optimizer.step(parameters.live, rate);
    return means;
  }
  // The gradients of all parameters in the layout of this model, without an update.
  std::vector<float> gradient() {
    Buffer<float> target(device, compaction.live().size);
    target.clear();
    network.backward(pass, parameters.live, {target, {1.0f, 0.0f}, target});
    return target.download();
  }
  std::vector<float> full() { return compaction.download(parameters); }
};

void expect_near(const std::vector<float>& result, const std::vector<float>& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(result.size(), expected.size()) << what;
  double worst = 0;
  for (std::size_t i = 0; i < result.size(); ++i) worst = std::max(worst, std::abs(double{result[i]} - expected[i]));
  EXPECT_LE(worst, tolerance) << what;
}

void expect_parameters(const Golden& golden, const ParameterLayout& full, const std::vector<float>& flat,
                       const std::string& prefix, double tolerance) {
  for (const auto& tensor : to_state_dict(full, flat))
    expect_near(tensor.values, golden.file.values<float>(prefix + tensor.name, tensor.shape), tolerance,
                prefix + tensor.name);
}

struct Backends {
  std::string gemm, convolution;
};

std::ostream& operator<<(std::ostream& stream, const Backends& backends) {
  return stream << "gemm " << backends.gemm << ", convolution " << backends.convolution;
}

class GoldenNetworks : public testing::TestWithParam<std::tuple<std::string, std::string, Backends>> {
 protected:
  GoldenNetworks() : golden(std::get<0>(GetParam())), phi(std::get<1>(GetParam())) {
    device.use_gemm_backend(std::get<2>(GetParam()).gemm);
    device.use_convolution_backend(std::get<2>(GetParam()).convolution);
  }
  ~GoldenNetworks() override {
    device.use_gemm_backend("");
    device.use_convolution_backend("");
  }

  Model model(bool compact, bool observe, const std::string& optimizer = "sgd") {
    const auto full = full_layout(golden.architecture, 2);
    return {device,
            golden.architecture,
            golden.structure(),
            read_parameters(golden.file, "init.", full),
            activation_named(phi),
            optimizer_named(optimizer),
            golden.rows,
            compact,
            observe};
  }

  Device& device = shared_device();
  Golden golden;
  std::string phi;
};

TEST_P(GoldenNetworks, ComputeTheActivationsAndGradientsOfPyTorch) {
  auto m = model(/*compact=*/false, /*observe=*/true);
  m.forward(golden.input(0), golden.labels(0));
  const auto gradients = m.gradient();
  expect_parameters(golden, m.compaction.full(), gradients, phi + ".gradient.", 1e-5);
  for (std::size_t layer = 0; layer < golden.architecture.hidden.size(); ++layer) {
    const auto name = golden.architecture.hidden_name(layer);
    const auto seen = m.network.observed(m.pass, layer);
    const std::vector<std::int64_t> shape{2, golden.rows, golden.architecture.hidden[layer]};
    expect_near(download(device, seen.pre_activation), golden.file.values<float>(phi + ".z." + name, shape), 1e-5,
                "z " + name);
    expect_near(download(device, seen.output_gradient), golden.file.values<float>(phi + ".h_gradient." + name, shape),
                1e-5, "gradient of h " + name);
    // The pre-activation gradient includes the mask and phi'. The bias gradient is its sum.
    const auto dz = download(device, seen.pre_activation_gradient);
    const auto bias = golden.file.values<float>(phi + ".gradient." + name + ".bias", {2, shape[2]});
    for (std::size_t i = 0; i < bias.size(); ++i) {
      const auto width = static_cast<std::size_t>(shape[2]);
      double sum = 0;
      for (std::size_t row = 0; row < golden.rows; ++row)
        sum += dz[(i / width * golden.rows + row) * width + i % width];
      EXPECT_NEAR(sum, bias[i], 2e-6) << name;
    }
  }
}

TEST_P(GoldenNetworks, ComputeTheLogitsOfPyTorch) {
  auto m = model(/*compact=*/true, /*observe=*/false);
  upload(device, golden.input(0), m.network.input(golden.rows));
  const auto pass = m.network.forward(m.parameters.live, {.rows = golden.rows});
  auto logits = download(device, m.network.logits(pass));
  const auto bias =
      download(device, m.compaction.live().bias(m.parameters.live.view(), m.compaction.live().layers.size() - 1));
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] += bias[i / (golden.rows * 5) * 5 + i % 5];
  expect_near(logits, golden.file.values<float>(phi + ".logits", {2, golden.rows, 5}), 2e-6, "logits");
}

TEST_P(GoldenNetworks, TrainLikePyTorchStepByStep) {
  for (const std::string optimizer : {"sgd", "sgd_momentum", "adam"}) {
    auto m = model(/*compact=*/true, /*observe=*/false, optimizer);
    const auto expected = golden.file.values<float>(phi + "." + optimizer + ".loss", {golden.steps, 2});
    for (std::uint32_t step = 0; step < golden.steps; ++step) {
      const auto losses = m.train(golden.input(step), golden.labels(step), optimizer == "adam" ? 0.01f : 0.1f);
      for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(losses[r], expected[step * 2 + r], 1e-5) << optimizer << step;
      const auto prefix = fmt::format("{}.{}.after{}.", phi, optimizer, step + 1);
      if (golden.file.contains(prefix + "fc1.weight"))
        expect_parameters(golden, m.compaction.full(), m.full(), prefix, optimizer == "adam" ? 2e-5 : 3e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenNetworks,
                         testing::Combine(testing::Values("mlp", "convnet"), testing::Values("relu", "smooth_leaky"),
                                          testing::Values(Backends{"", ""}, Backends{"portable", "portable"})),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param) + "_" +
                                  (std::get<2>(test.param).gemm.empty() ? "preferred" : "portable");
                         });

// ---- small networks with random data

struct Batch {
  std::vector<float> input;
  std::vector<std::int32_t> labels;
};

Batch random_batch(const Architecture& architecture, std::size_t replicas, std::uint32_t rows, std::uint32_t seed) {
  Batch batch;
  for (std::size_t r = 0; r < replicas; ++r) {
    // The data of a replica are a function of its number.
    const auto own = conformance::random_values(rows * static_cast<std::size_t>(architecture.image.size()), seed,
                                                static_cast<std::uint32_t>(100 + r));
    batch.input.insert(batch.input.end(), own.begin(), own.end());
    for (std::uint32_t row = 0; row < rows; ++row)
      batch.labels.push_back(
          static_cast<std::int32_t>((row * 7 + r * 3 + seed) % static_cast<std::uint32_t>(architecture.classes)));
  }
  return batch;
}

const Architecture small_mlp{"mlp", {6, 5, 1}, {}, {33, 21}, 10};
const Architecture small_convnet{"convnet", {8, 8, 3}, {5, 8}, {33, 20, 17}, 10};
const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};

// Replicas have different numbers of active units.
Structure uneven(const Architecture& architecture, std::span<const std::uint32_t> seeds) {
  Structure all(architecture, static_cast<std::int32_t>(seeds.size()));
  for (std::size_t r = 0; r < seeds.size(); ++r) {
    std::vector<std::int32_t> active;
    for (const auto width : architecture.hidden)
      active.push_back(width / 2 + static_cast<std::int32_t>(seeds[r] % 3) * 3);
    const auto one = random_structure(architecture, std::span(&seeds[r], 1), active);
    for (std::size_t l = 0; l < all.layers(); ++l) all.set_mask(l, static_cast<std::int32_t>(r), one.mask(l, 0));
  }
  return all;
}

TEST(Networks, GradientsMatchFiniteDifferences) {
  auto& device = shared_device();
  double steepest = 0;
  for (const auto& architecture : {small_mlp, small_convnet})
    for (const auto& activation : {activation_named("smooth_leaky"), rsl}) {
      const std::vector<std::uint32_t> seeds{1, 2};
      const auto full = full_layout(architecture, 2);
      const auto initial = initial_parameters(full, Initialisation::kaiming_stock, seeds);
      Model m(device, architecture, uneven(architecture, seeds), initial, activation, {}, 8, true, false);
      const auto batch = random_batch(architecture, 2, 8, 3);
      m.forward(batch.input, batch.labels, 5);
      const auto gradient = m.gradient();
      const auto start = m.parameters.live.download();
      // Along a few random directions, in each replica by itself.
      const auto& layout = m.compaction.live();
      for (std::uint32_t direction = 0; direction < 3; ++direction)
        for (std::size_t replica = 0; replica < 2; ++replica) {
          auto along = conformance::random_values(layout.size, 9, direction);
          double slope = 0;
          std::vector<bool> own(layout.size, false);
          for (const auto& layer : layout.layers) {
            const auto mark = [&](std::size_t begin, std::size_t each) {
              for (std::size_t i = 0; i < each; ++i) own[begin + replica * each + i] = true;
            };
            mark(layer.weights_begin, layer.weights_each);
            mark(layer.bias_begin, static_cast<std::size_t>(layer.units));
          }
          // Padding is not a parameter.
          for (std::size_t i = 0; i < layout.size; ++i) {
            if (!own[i] || (start[i] == 0.0f && gradient[i] == 0.0f)) along[i] = 0;
            slope += double{along[i]} * gradient[i];
          }
          steepest = std::max(steepest, std::abs(slope));
          // Long enough for single precision, short enough for the kinks of max-pooling; hence the tolerance.
          constexpr float distance = 2e-3f;
          const auto loss_at = [&](float factor) {
            auto moved = start;
            for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += factor * along[i];
            m.parameters.live.upload(moved);
            return m.forward(batch.input, batch.labels, 5)[replica];
          };
          const double difference = (loss_at(distance) - loss_at(-distance)) / (2 * distance);
          EXPECT_NEAR(difference, slope, 4e-3 + 1e-2 * std::abs(slope)) << architecture.name << " replica " << replica;
        }
    }
  EXPECT_GT(steepest, 0.3) << "the tolerance would hide a wrong gradient";
}

// An observer does not compute the gradients of parameters and the trunk.
TEST(Networks, HiddenGradientsHaveTheSameBitsWithoutThoseOfParameters) {
  auto& device = shared_device();
  for (const auto& architecture : {small_mlp, small_convnet}) {
    const std::vector<std::uint32_t> seeds{1, 2};
    const auto initial = initial_parameters(full_layout(architecture, 2), Initialisation::kaiming_stock, seeds);
    const auto batch = random_batch(architecture, 2, 8, 3);
    Model whole(device, architecture, uneven(architecture, seeds), initial, rsl, {}, 8, true, true);
    Model partial(device, architecture, uneven(architecture, seeds), initial, rsl, {}, 8, true, true);
    whole.forward(batch.input, batch.labels, 5);
    whole.gradient();
    partial.forward(batch.input, batch.labels, 5);
    partial.network.backward(partial.pass, partial.parameters.live, {});
    for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
      const auto a = whole.network.observed(whole.pass, layer), b = partial.network.observed(partial.pass, layer);
      EXPECT_EQ(download(device, a.output_gradient), download(device, b.output_gradient));
      EXPECT_EQ(download(device, a.pre_activation_gradient), download(device, b.pre_activation_gradient));
    }
    // A later full backward pass computes all of them, including the trunk's.
    partial.forward(batch.input, batch.labels, 5);
    EXPECT_EQ(partial.gradient(), [&] {
      whole.forward(batch.input, batch.labels, 5);
      return whole.gradient();
    }());
  }
}

TEST(Networks, MaskedDenseAndCompactTrainingAgree) {
  auto& device = shared_device();
  for (const auto& architecture : {small_mlp, small_convnet})
    for (const auto kind : {OptimizerSettings::Kind::sgd, OptimizerSettings::Kind::adam}) {
      const std::vector<std::uint32_t> seeds{1, 2};
      const auto initial = initial_parameters(full_layout(architecture, 2), Initialisation::kaiming_relu, seeds);
      const auto structure = uneven(architecture, seeds);
      const OptimizerSettings settings{.kind = kind};
      Model compact(device, architecture, structure, initial, rsl, settings, 8, true, false);
      Model masked(device, architecture, structure, initial, rsl, settings, 8, false, false);
      for (std::uint32_t step = 0; step < 10; ++step) {
        const auto batch = random_batch(architecture, 2, 8, step);
        const auto a = compact.train(batch.input, batch.labels, 0.01f, step);
        const auto b = masked.train(batch.input, batch.labels, 0.01f, step);
        for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(a[r], b[r], 1e-5) << step;
      }
      const auto result = compact.full();
      EXPECT_NE(result, initial);
      expect_near(result, masked.full(), kind == OptimizerSettings::Kind::adam ? 2e-4 : 1e-6, architecture.name);
    }
}

// Incoming rows, biases and outgoing columns of inactive units keep their bits.
TEST(Networks, InactiveUnitsKeepTheirBits) {
  auto& device = shared_device();
  const std::vector<std::uint32_t> seeds{1, 2};
  const auto structure = uneven(small_mlp, seeds);
  const auto full = full_layout(small_mlp, 2);
  const auto initial = initial_parameters(full, Initialisation::kaiming_stock, seeds);
  Model m(device, small_mlp, structure, initial, {}, {.momentum = 0.9f, .weight_decay = 0.1f}, 8, true, false);
  for (std::uint32_t step = 0; step < 3; ++step) {
    const auto batch = random_batch(small_mlp, 2, 8, step);
    m.train(batch.input, batch.labels, 0.1f);
  }
  const auto before = to_state_dict(full, initial), after = to_state_dict(full, m.full());
  int unchanged = 0, changed = 0;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t u = 0; u < 33; ++u) {
      const bool active = structure.mask(0, static_cast<std::int32_t>(r))[u] != 0;
      const std::size_t incoming = (r * 33 + u) * 30, bias = r * 33 + u, outgoing = (r * 21 + 4) * 33 + u;
      const bool same = before[0].values[incoming] == after[0].values[incoming] &&
                        before[1].values[bias] == after[1].values[bias] &&
                        before[2].values[outgoing] == after[2].values[outgoing];
      EXPECT_TRUE(active || same) << r << " " << u;
      (same ? unchanged : changed)++;
    }
  EXPECT_GT(unchanged, 0);
  EXPECT_GT(changed, 0);
}

TEST(Networks, AReplicaTrainsToTheSameBitsAloneAndAmongReplicasOfOtherWidths) {
  auto& device = shared_device();
  for (const auto& architecture : {small_mlp, small_convnet}) {
    const std::vector<std::uint32_t> seeds{4, 5, 6};
    const auto run = [&](const std::vector<std::uint32_t>& some, const std::vector<std::size_t>& numbers) {
      const auto replicas = static_cast<std::int32_t>(some.size());
      const auto initial = initial_parameters(full_layout(architecture, replicas), Initialisation::kaiming_relu, some);
      Model m(device, architecture, uneven(architecture, some), initial, rsl, {.kind = OptimizerSettings::Kind::adam},
              8, true, false, some);
      for (std::uint32_t step = 0; step < 4; ++step) {
        const auto all = random_batch(architecture, 3, 8, step);
        Batch batch;
        const std::size_t pixels = all.input.size() / 3;
        for (const auto n : numbers) {
          batch.input.insert(batch.input.end(), all.input.begin() + static_cast<std::ptrdiff_t>(n * pixels),
                             all.input.begin() + static_cast<std::ptrdiff_t>((n + 1) * pixels));
          batch.labels.insert(batch.labels.end(), all.labels.begin() + static_cast<std::ptrdiff_t>(n * 8),
                              all.labels.begin() + static_cast<std::ptrdiff_t>((n + 1) * 8));
        }
        m.train(batch.input, batch.labels, 0.01f, step);
      }
      return to_state_dict(m.compaction.full(), m.full());
    };
    const auto together = run(seeds, {0, 1, 2});
    for (std::size_t n = 0; n < 3; ++n) {
      const auto alone = run({seeds[n]}, {n});
      for (std::size_t t = 0; t < alone.size(); ++t) {
        const std::size_t each = alone[t].values.size();
        EXPECT_TRUE(std::equal(alone[t].values.begin(), alone[t].values.end(),
                               together[t].values.begin() + static_cast<std::ptrdiff_t>(n * each)))
            << architecture.name << " " << alone[t].name << " of seed " << seeds[n];
      }
    }
  }
}

}  // namespace
}  // namespace cambium
