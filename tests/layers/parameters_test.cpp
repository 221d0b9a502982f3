#include "layers/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace cambium {
namespace {

using testing::ElementsAre;
using Shape = std::vector<std::int64_t>;

const Architecture mlp = make_architecture("mlp", {28, 28, 1}, 10);
// Features of 2 x 3 x 64 after pooling.
const Architecture small = make_architecture("convnet", {8, 12, 3}, 5, {7, 6, 4});
const std::vector<std::uint32_t> seeds{1, 2, 3};

std::vector<float> counted(std::size_t size) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i);
  return values;
}

const StateTensor& named(const std::vector<StateTensor>& tensors, const std::string& name) {
  for (const auto& tensor : tensors)
    if (tensor.name == name) return tensor;
  throw std::out_of_range(name);
}

TEST(Parameters, CountsAreThoseOfThePaper) {
  EXPECT_EQ(mlp.parameter_count(), 269'322);
  EXPECT_EQ(make_architecture("convnet", {32, 32, 3}, 100).parameter_count(), 2'536'740);
  EXPECT_EQ(make_architecture("convnet", {32, 32, 3}, 10).parameter_count(), 2'513'610);
  EXPECT_EQ(make_architecture("convnet", {32, 32, 3}, 2).parameter_count(), 2'511'554);
}

TEST(Parameters, NamesAndShapesAreThoseOfPyTorch) {
  std::vector<std::pair<std::string, Shape>> shapes;
  for (const auto& tensor : state_dict_shapes(full_layout(make_architecture("convnet", {32, 32, 3}, 100), 2)))
    shapes.emplace_back(tensor.name, tensor.shape);
  EXPECT_THAT(shapes,
              ElementsAre(std::pair("conv1.weight", Shape{2, 32, 3, 3, 3}), std::pair("conv1.bias", Shape{2, 32}),
                          std::pair("conv2.weight", Shape{2, 64, 32, 3, 3}), std::pair("conv2.bias", Shape{2, 64}),
                          std::pair("fc1.weight", Shape{2, 512, 4096}), std::pair("fc1.bias", Shape{2, 512}),
                          std::pair("fc2.weight", Shape{2, 512, 512}), std::pair("fc2.bias", Shape{2, 512}),
                          std::pair("fc3.weight", Shape{2, 256, 512}), std::pair("fc3.bias", Shape{2, 256}),
                          std::pair("fc4.weight", Shape{2, 100, 256}), std::pair("fc4.bias", Shape{2, 100})));
}

TEST(Parameters, AStateDictHasAValueForEveryParameterOfEveryReplica) {
  const auto layout = full_layout(small, 3);
  std::size_t values = 0;
  for (const auto& tensor : to_state_dict(layout, std::vector<float>(layout.size))) values += tensor.values.size();
  EXPECT_EQ(values, 3 * static_cast<std::size_t>(small.parameter_count()));
}

TEST(Parameters, AStateDictTakesEveryValueFromADifferentIndex) {
  const auto layout = full_layout(small, 2);
  std::set<float> seen;
  for (const auto& tensor : to_state_dict(layout, counted(layout.size)))
    for (const float value : tensor.values) EXPECT_TRUE(seen.insert(value).second) << tensor.name << " " << value;
}

TEST(Parameters, AStateDictRoundTripKeepsAllValues) {
  const auto layout = full_layout(small, 2);
  auto tensors = state_dict_shapes(layout);
  float next = 1;
  for (auto& tensor : tensors) {
    std::size_t size = 1;
    for (const auto axis : tensor.shape) size *= static_cast<std::size_t>(axis);
    for (std::size_t i = 0; i < size; ++i) tensor.values.push_back(next++);
  }
  const auto back = to_state_dict(layout, from_state_dict(layout, tensors));
  for (std::size_t i = 0; i < tensors.size(); ++i) EXPECT_EQ(back[i].values, tensors[i].values) << tensors[i].name;
}

TEST(Parameters, AStateDictThatDoesNotFitIsALogicError) {
  const auto layout = full_layout(small, 2);
  EXPECT_THROW(
      from_state_dict(layout, to_state_dict(full_layout(small, 1), std::vector<float>(full_layout(small, 1).size))),
      std::logic_error);
}

TEST(Parameters, ALinearWeightIsStoredByInputThenUnit) {
  const auto layout = full_layout(small, 2);
  const auto dict = to_state_dict(layout, counted(layout.size));
  const auto& weight = named(dict, "fc2.weight");  // (2, 6, 7)
  const auto& fc2 = layout.layers[3];
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t unit = 0; unit < 6; ++unit)
      for (std::size_t input = 0; input < 7; ++input)
        EXPECT_EQ(weight.values[(r * 6 + unit) * 7 + input],
                  static_cast<float>(fc2.weights_begin + (r * 7 + input) * 6 + unit));
}

// PyTorch flattens (c, h, w), the images here lie as (h, w, c).
TEST(Parameters, TheFirstLinearLayerReadsFeaturesChannelsLast) {
  const auto layout = full_layout(small, 2);
  const auto dict = to_state_dict(layout, counted(layout.size));
  const auto& weight = named(dict, "fc1.weight");  // (2, 7, 64 * 2 * 3)
  const auto& fc1 = layout.layers[2];
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t unit = 0; unit < 7; ++unit)
      for (std::size_t c = 0; c < 64; ++c)
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t w = 0; w < 3; ++w) {
            const std::size_t theirs = (c * 2 + h) * 3 + w, ours = (h * 3 + w) * 64 + c;
            ASSERT_EQ(weight.values[(r * 7 + unit) * 384 + theirs],
                      static_cast<float>(fc1.weights_begin + (r * 384 + ours) * 7 + unit));
          }
}

TEST(Parameters, AConvolutionKernelIsStoredByPositionThenInputThenUnit) {
  const auto layout = full_layout(small, 2);
  const auto dict = to_state_dict(layout, counted(layout.size));
  const auto& weight = named(dict, "conv1.weight");  // (2, 32, 3, 3, 3)
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t unit = 0; unit < 32; ++unit)
      for (std::size_t input = 0; input < 3; ++input)
        for (std::size_t place = 0; place < 9; ++place)
          ASSERT_EQ(weight.values[((r * 32 + unit) * 3 + input) * 9 + place],
                    static_cast<float>(layout.layers[0].weights_begin + ((r * 9 + place) * 3 + input) * 32 + unit));
}

TEST(Parameters, ALiveLayoutHasTheWidthsOfTheWidestReplica) {
  Structure structure(small, 2);
  structure.set_mask(0, 0, std::vector<std::uint8_t>{1, 0, 0, 1, 0, 0, 0});
  structure.set_mask(0, 1, std::vector<std::uint8_t>{0, 1, 1, 1, 0, 0, 0});
  const auto layout = live_layout(small, structure);
  const auto& fc1 = layout.layers[2];
  const auto& fc2 = layout.layers[3];
  EXPECT_EQ(fc1.inputs, 384);
  EXPECT_EQ(fc1.units, 3);
  EXPECT_THAT(fc1.active_units, ElementsAre(2, 3));
  EXPECT_EQ(fc2.inputs, 3);
  EXPECT_THAT(fc2.active_inputs, ElementsAre(2, 3));
  EXPECT_EQ(fc2.units, 6);
}

class InitialParameters : public testing::TestWithParam<Initialisation> {
 protected:
  double numerator() const { return GetParam() == Initialisation::kaiming_relu ? 6.0 : 1.0; }
  ParameterLayout layout_ = full_layout(mlp, 3);
  std::vector<StateTensor> drawn_ = to_state_dict(layout_, initial_parameters(layout_, GetParam(), seeds));
};
INSTANTIATE_TEST_SUITE_P(Both, InitialParameters,
                         testing::Values(Initialisation::kaiming_relu, Initialisation::kaiming_stock),
                         [](const auto& test) {
                           return test.param == Initialisation::kaiming_relu ? "KaimingRelu" : "KaimingStock";
                         });

TEST_P(InitialParameters, WeightsAreUniformWithinTheirBounds) {
  for (const auto& [name, fan_in] : {std::pair("fc1.weight", 784.0), std::pair("fc2.weight", 256.0)}) {
    const double bound = std::sqrt(numerator() / fan_in);
    const auto& values = named(drawn_, name).values;
    const auto count = static_cast<double>(values.size());
    double sum = 0, squares = 0, largest = 0;
    for (const double value : values) {
      sum += value;
      squares += value * value;
      largest = std::max(largest, std::abs(value));
    }
    const double deviation = bound / std::sqrt(3.0);
    EXPECT_LE(largest, bound * (1 + 1e-6)) << name;
    EXPECT_GT(largest, bound * 0.999) << name;
    EXPECT_NEAR(sum / count, 0.0, 4 * deviation / std::sqrt(count)) << name;
    // The variance of a squared uniform number is 4/45 of the bound's fourth power.
    EXPECT_NEAR(squares / count, bound * bound / 3, 4 * bound * bound * std::sqrt(4.0 / 45 / count)) << name;
  }
}

TEST_P(InitialParameters, BiasesAreZeroOrDrawnLikeStockWeights) {
  for (const auto& [name, fan_in] : {std::pair("fc1.bias", 784.0), std::pair("fc3.bias", 256.0)}) {
    const auto& values = named(drawn_, name).values;
    if (GetParam() == Initialisation::kaiming_relu) {
      EXPECT_EQ(values, std::vector<float>(values.size(), 0.0f)) << name;
      continue;
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double bound = std::sqrt(1.0 / fan_in);
    EXPECT_LT(*low, -0.8 * bound) << name;
    EXPECT_GT(*high, 0.8 * bound) << name;
    EXPECT_LE(std::max(-*low, *high), bound * (1 + 1e-6)) << name;
  }
}

TEST_P(InitialParameters, AReplicaDoesNotDependOnOtherReplicas) {
  const auto one = full_layout(mlp, 1);
  const auto alone = to_state_dict(one, initial_parameters(one, GetParam(), std::vector<std::uint32_t>{3}));
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const auto each = static_cast<std::ptrdiff_t>(alone[i].values.size());
    const auto third = drawn_[i].values.begin() + 2 * each;
    EXPECT_EQ(std::vector<float>(third, third + each), alone[i].values) << alone[i].name;
  }
}

TEST_P(InitialParameters, DifferBetweenSeedsAndLayers) {
  const auto& fc2 = named(drawn_, "fc2.weight").values;
  const auto& fc1 = named(drawn_, "fc1.weight").values;
  constexpr std::ptrdiff_t each = 256 * 256;
  EXPECT_NE(std::vector<float>(fc2.begin(), fc2.begin() + each),
            std::vector<float>(fc2.begin() + each, fc2.begin() + 2 * each));
  // Their bounds differ, so compare signs.
  int same = 0;
  for (std::size_t i = 0; i < 10'000; ++i) same += (fc1[i] < 0) == (fc2[i] < 0);
  EXPECT_NEAR(same, 5000, 200);
}

TEST(InitialParametersOfConvolutions, UseTheWholeKernelAsFanIn) {
  const auto layout = full_layout(small, 3);
  const auto drawn = to_state_dict(layout, initial_parameters(layout, Initialisation::kaiming_relu, seeds));
  const auto& values = named(drawn, "conv2.weight").values;
  const double bound = std::sqrt(6.0 / (32 * 9));
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  EXPECT_LE(largest, bound * (1 + 1e-6));
  EXPECT_GT(largest, bound * 0.999);
}

}  // namespace
}  // namespace cambium
