// Steps that are submitted as one graph have the results of the same launches one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sycl/gemm.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

using testing::HasSubstr;

struct MultiplyAddArguments {
  View<std::uint32_t> x;
  std::uint32_t factor, addend;
};
ASSERT_LAYOUT(MultiplyAddArguments, x, factor, addend);

constexpr KernelUnit unit = KernelUnit::from_text("tests/multiply_add.sycl", R"(#include "sycl/kernel.hpp"

struct MultiplyAddArguments {
  View<uint32_t> x;
  uint32_t factor, addend;
};
ASSERT_LAYOUT(MultiplyAddArguments, x, factor, addend);
DECLARE_KERNEL(in_one_dimension, MultiplyAddArguments)
DECLARE_KERNEL(in_three_dimensions, MultiplyAddArguments)

KERNEL_1D(in_one_dimension, MultiplyAddArguments a) {
  if (item() < a.x.size()) a.x[item()] = a.x[item()] * a.factor + a.addend;
}

KERNEL_3D(in_three_dimensions, MultiplyAddArguments a) {
  const uint32_t i = item3().inner;
  if (i < a.x.size()) a.x[i] = a.x[i] * a.factor + a.addend;
}
)");
constexpr KernelName<MultiplyAddArguments> in_one_dimension{"in_one_dimension"},
    in_three_dimensions{"in_three_dimensions"};

class RecordedSteps : public testing::Test {
 protected:
  Device& device = shared_device();

  void SetUp() override {
    if (device.info().graphs.empty()) GTEST_SKIP() << device.info().name << " cannot record graphs";
    device.set_graph_use(GraphUse::on);
  }
  void TearDown() override {
    device.set_graph_use(GraphUse::off);
    device.use_gemm_backend("");
  }

  // x := x * factor + addend for the first `count` elements.
  void multiply_add(Buffer<std::uint32_t>& x, std::uint32_t factor, std::uint32_t addend, std::size_t count) {
    device.launch(Kernel(unit, in_one_dimension), count, {x.view().slice(0, count), factor, addend});
  }
  void multiply_add_in_three_dimensions(Buffer<std::uint32_t>& x, std::uint32_t factor, std::uint32_t addend) {
    device.launch(Kernel(unit, in_three_dimensions), {1, 1, x.size()}, {x, factor, addend});
  }
  std::uint64_t graphs() const { return device.submissions().graphs; }
  std::uint64_t recordings() const { return device.submissions().recordings; }
};

TEST_F(RecordedSteps, AreReplayedWithTheArgumentsOfEachStep) {
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>{1, 2, 3});
  std::vector<std::uint32_t> expected{1, 2, 3};
  const auto graphs_before = graphs(), recordings_before = recordings(),
             launches_before = device.submissions().launches;
  constexpr std::uint32_t steps = 100;  // more than the host may be ahead
  for (std::uint32_t step = 0; step < steps; ++step) {
    device.run_step([&] {
      multiply_add(x, 3, step, x.size());
      multiply_add_in_three_dimensions(x, 5, step * step);
    });
    for (auto& value : expected) value = (value * 3 + step) * 5 + step * step;
  }
  EXPECT_EQ(x.download(), expected);
  EXPECT_EQ(graphs() - graphs_before, steps);
  EXPECT_EQ(recordings() - recordings_before, 1u);
  EXPECT_EQ(device.submissions().launches - launches_before, 2 * steps);
}

TEST_F(RecordedSteps, AreRecordedAgainWhenTheirLaunchesChange) {
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>(20, 1));
  std::vector<std::uint32_t> expected(20, 1);
  const auto recordings_before = recordings();
  const auto step_over = [&](std::size_t count, std::uint32_t addend) {
    device.run_step([&] { multiply_add(x, 3, addend, count); });
    for (std::size_t i = 0; i < count; ++i) expected[i] = expected[i] * 3 + addend;
  };
  // A few items are one work-group, so that their number does not change the recording.
  for (std::uint32_t step = 0; step < 4; ++step) step_over(step + 1, step);
  EXPECT_EQ(recordings() - recordings_before, 1u);
  for (std::uint32_t step = 0; step < 4; ++step) step_over(step % 2 == 0 ? 4 : 20, step);
  EXPECT_EQ(recordings() - recordings_before, 2u);
  EXPECT_EQ(x.download(), expected);
}

TEST_F(RecordedSteps, AreCorrectWithMoreSequencesThanAreKept) {
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>(4, 1));
  std::uint32_t expected = 1;
  for (std::uint32_t round = 0; round < 3; ++round)
    for (std::uint32_t launches = 1; launches <= 12; ++launches)
      device.run_step([&] {
        for (std::uint32_t i = 0; i < launches; ++i) {
          multiply_add(x, 3, round + i, x.size());
          expected = expected * 3 + round + i;
        }
      });
  EXPECT_THAT(x.download(), testing::Each(expected));
}

TEST_F(RecordedSteps, AreSubmittedLaunchByLaunchWhenTheHostReadsInTheMiddle) {
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>{1, 2, 3});
  const auto graphs_before = graphs();
  std::vector<std::uint32_t> seen;
  device.run_step([&] {
    multiply_add(x, 2, 1, x.size());
    multiply_add(x, 2, 1, x.size());
    seen = x.download();
    multiply_add(x, 10, 0, x.size());
  });
  EXPECT_THAT(seen, testing::ElementsAre(7, 11, 15));
  EXPECT_THAT(x.download(), testing::ElementsAre(70, 110, 150));
  EXPECT_EQ(graphs(), graphs_before);
}

TEST_F(RecordedSteps, MayUseMemoryThatIsFreedBeforeTheyEnd) {
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>{1, 2, 3});
  device.run_step([&] {
    multiply_add(x, 2, 1, x.size());
    {
      Buffer<std::uint32_t> short_lived(device, 1 << 16);
      multiply_add(short_lived, 2, 1, short_lived.size());
    }
    Buffer<std::uint32_t> in_its_place(device, std::vector<std::uint32_t>(1 << 16, 4));
    EXPECT_THAT(in_its_place.download(), testing::Each(4u));
  });
  EXPECT_THAT(x.download(), testing::ElementsAre(3, 5, 7));
}

TEST_F(RecordedSteps, LeaveNothingBehindWhenTheyFail) {
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>{1, 2, 3});
  EXPECT_THROW(device.run_step([&] {
    multiply_add(x, 2, 1, x.size());
    throw std::runtime_error("a mistake");
  }),
               std::runtime_error);
  EXPECT_THAT(x.download(), testing::ElementsAre(1, 2, 3));
  device.run_step([&] { multiply_add(x, 2, 1, x.size()); });
  EXPECT_THAT(x.download(), testing::ElementsAre(3, 5, 7));
}

// Multiplies with the portable backend's kernels, but does not say that it can be recorded.
class UnrecordableBackend final : public GemmBackend {
 public:
  explicit UnrecordableBackend(Device& device) : portable_(portable_gemm.make(device)) {}
  std::string_view name() const override { return "unrecordable"; }
  void run(const GemmCall& call) override { portable_->run(call); }

 private:
  std::unique_ptr<GemmBackend> portable_;
};

class StepsWithABackend : public RecordedSteps {
 protected:
  // Ten steps of x := 2 * x, by a matrix product.
  std::vector<float> double_ten_times() {
    Buffer<float> x(device, std::vector<float>{1, 2, 3, 4}), y(device, 4);
    const Buffer<float> twice(device, std::vector<float>{2, 0, 0, 2});
    for (int step = 0; step < 10; ++step) {
      const View<float> from = step % 2 == 0 ? x : y, to = step % 2 == 0 ? y : x;
      device.run_step([&] {
        gemm(device, Transpose::no, Transpose::no, 1.0f, Matrices<const float>(from, 1, 2, 2),
             Matrices<const float>(twice, 1, 2, 2), 0.0f, Matrices<float>(to, 1, 2, 2));
      });
    }
    return x.download();
  }
  const std::vector<float> doubled{1024, 2048, 3072, 4096};
};

TEST_F(StepsWithABackend, AreRecordedWithThePortableOne) {
  device.use_gemm_backend("portable");
  const auto graphs_before = graphs();
  EXPECT_EQ(double_ten_times(), doubled);
  EXPECT_EQ(graphs() - graphs_before, 10u);
}

TEST_F(StepsWithABackend, AreAnErrorIfItCannotBeRecordedAndGraphsAreRequired) {
  device.use_gemm_backend(std::make_unique<UnrecordableBackend>(device));
  EXPECT_THAT([&] { double_ten_times(); },
              testing::ThrowsMessage<InputError>(
                  testing::AllOf(HasSubstr("--graph on"), HasSubstr("unrecordable"), HasSubstr("--graph auto"))));
}

TEST_F(StepsWithABackend, AreSubmittedDirectlyIfItCannotBeRecordedAndGraphsAreAutomatic) {
  device.set_graph_use(GraphUse::automatic);
  device.use_gemm_backend(std::make_unique<UnrecordableBackend>(device));
  const auto graphs_before = graphs();
  EXPECT_EQ(double_ten_times(), doubled);
  EXPECT_EQ(graphs(), graphs_before);
}

TEST_F(RecordedSteps, AreCorrectWhileBothWaysOfSubmissionAreTimed) {
  device.set_graph_use(GraphUse::automatic);
  Buffer<std::uint32_t> x(device, std::vector<std::uint32_t>{1, 2, 3});
  std::vector<std::uint32_t> expected{1, 2, 3};
  const auto graphs_before = graphs();
  constexpr std::uint32_t steps = 200;
  for (std::uint32_t step = 0; step < steps; ++step) {
    device.run_step([&] { multiply_add(x, 3, step, x.size()); });
    for (auto& value : expected) value = value * 3 + step;
  }
  EXPECT_EQ(x.download(), expected);
  EXPECT_GE(graphs() - graphs_before, 48u);
  EXPECT_LT(graphs() - graphs_before, steps - 48);
}

}  // namespace
}  // namespace cambium
