// Training whose steps are recorded as graphs gives the same bits as training whose launches are submitted one by one.

#include <gmock/gmock.h>

#include "lab/training/trainer.hpp"
#include "selftest/conformance.hpp"
#include "tests/plasticity/event.hpp"

namespace cambium {
namespace {

struct RecordedCase {
  std::string name;
  Architecture architecture;
  OptimizerSettings optimizer;
  Activation activation = {};
  bool augment = false;
};
std::ostream& operator<<(std::ostream& stream, const RecordedCase& test) { return stream << test.name; }

class RecordedTraining : public testing::TestWithParam<RecordedCase> {
 protected:
  static constexpr std::uint32_t image_count = 40, rows = 8, last_rows = 5;
  static constexpr std::uint64_t steps = 14;
  Device& device = shared_device();

  void SetUp() override {
    if (device.info().graphs.empty()) GTEST_SKIP() << device.info().name << " cannot record graphs";
    device.use_gemm_backend("portable");
    device.use_convolution_backend("portable");
  }
  void TearDown() override {
    device.set_graph_use(GraphUse::off);
    device.use_gemm_backend("");
    device.use_convolution_backend("");
  }

  // Trains two networks with epochs of four steps, the last of which is smaller, an edit after step 5, and unequal
  // speeds of units from step 10 on. Returns losses, parameters and moments.
  std::vector<std::vector<float>> train(GraphUse use) {
    device.set_graph_use(use);
    const RecordedCase& test = GetParam();
    const ImageShape shape = test.architecture.image;
    Images pixels{image_count, shape.height, shape.width, shape.channels, {}, {}};
    for (const float value : conformance::random_values(image_count * static_cast<std::size_t>(shape.size()), 1, 5))
      pixels.pixels.push_back(static_cast<std::uint8_t>(127.5f + 127.5f * value));
    for (std::uint32_t i = 0; i < image_count; ++i) pixels.labels.push_back(static_cast<std::uint8_t>(i * 3 % 10));
    const DeviceImages images(device, pixels, Normalisation::unit(shape.channels));
    const TrainerSettings settings{.architecture = test.architecture,
                                   .activation = test.activation,
                                   .initialisation = Initialisation::kaiming_stock,
                                   .optimizer = test.optimizer,
                                   .batch = rows,
                                   .augment = test.augment,
                                   .seeds = {1, 2}};
    Trainer trainer(device, settings, drawn_structure(test.architecture, settings.seeds, 0.35f));
    std::vector<std::int32_t> order(steps * 2 * rows);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i * 7 % image_count);
    const Buffer<std::int32_t> indices(device, order);
    Buffer<float> losses(device, order.size());
    losses.clear();
    Buffer<std::uint8_t> correct(device, order.size());
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (step == 5) trainer.restructure(drawn_structure(test.architecture, settings.seeds, 0.6f));
      if (step == 10) trainer.set_speeds(alternating_speeds(trainer.compaction().structure()));
      const std::uint32_t count = step % 4 == 3 ? last_rows : rows;
      const std::size_t at = step * 2 * rows, size = std::size_t{2} * count;
      trainer.step(images, {.indices = indices.view().slice(at, size),
                            .rows = count,
                            .step = step,
                            .rate = 0.05f / static_cast<float>(step + 1),
                            .losses = losses.view().slice(at, size),
                            .correct = correct.view().slice(at, size)});
    }
    std::vector<std::vector<float>> result{losses.download(), trainer.parameters()};
    for (std::size_t i = 0; i < trainer.optimizer().moments().size(); ++i) result.push_back(trainer.moments(i));
    return result;
  }

  static std::vector<std::vector<float>> alternating_speeds(const Structure& structure) {
    std::vector<std::vector<float>> speeds;
    for (std::size_t layer = 0; layer < structure.layers(); ++layer) {
      auto& own = speeds.emplace_back(2 * static_cast<std::size_t>(structure.full_width(layer)), 1.0f);
      for (std::size_t i = 0; i < own.size(); i += 2) own[i] = 3.0f;
    }
    return speeds;
  }
};

TEST_P(RecordedTraining, HasTheSameBitsAsDirectTraining) {
  const auto direct = train(GraphUse::off);
  const auto before = device.submissions();
  const auto recorded = train(GraphUse::on);
  ASSERT_EQ(recorded.size(), direct.size());
  for (std::size_t set = 0; set < direct.size(); ++set) EXPECT_EQ(recorded[set], direct[set]) << "set " << set;
  // Where a step allocates memory, at first and after the edit, it is submitted launch by launch.
  const std::uint64_t graphs = device.submissions().graphs - before.graphs;
  EXPECT_GE(graphs, steps - 4);
  EXPECT_LT(device.submissions().recordings - before.recordings, graphs);
}

const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};
const OptimizerSettings sgd, momentum{.momentum = 0.9f, .weight_decay = 0.1f},
    adam{.kind = OptimizerSettings::Kind::adam, .weight_decay = 0.1f};

INSTANTIATE_TEST_SUITE_P(All, RecordedTraining,
                         testing::Values(RecordedCase{"mlp_sgd", small_mlp, sgd},
                                         RecordedCase{"mlp_momentum_rsl", small_mlp, momentum, rsl},
                                         RecordedCase{"mlp_adam", small_mlp, adam},
                                         RecordedCase{"convnet_sgd_rsl_augmented", small_convnet, sgd, rsl, true},
                                         RecordedCase{"convnet_momentum", small_convnet, momentum},
                                         RecordedCase{"convnet_adam_augmented", small_convnet, adam, {}, true}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace cambium
