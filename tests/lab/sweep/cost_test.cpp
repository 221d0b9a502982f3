// The estimate of a cell's cost, against what runs really evaluate.

#include "lab/sweep/cost.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "lab/results/task_scores.hpp"
#include "lab/run/run.hpp"
#include "tests/shared_device.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

constexpr std::int32_t classes = 20;

DataSet noisy_images() {
  constexpr std::int32_t count = classes * 100;
  Images images{count, 32, 32, 3, noise(static_cast<std::size_t>(count) * 3072), {}};
  for (std::int32_t i = 0; i < count; ++i) images.labels.push_back(static_cast<std::uint16_t>(i % classes));
  return {.name = "made",
          .classes = classes,
          .mean = {0.5f, 0.5f, 0.5f},
          .deviation = {0.25f, 0.25f, 0.25f},
          .train = images,
          .test = {0, 32, 32, 3, {}, {}}};
}

// The images that the first seed of a run is evaluated on in the cycles: the last column of matrix.csv.
double recorded_images(const std::filesystem::path& folder) {
  std::ifstream table(folder / "matrix.csv");
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "run,method,variant,stream,compactness,seed,phase,after_task,on_task,accuracy,images");
  double images = 0;
  while (std::getline(table, line)) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (fields.at(5) == "1" && fields.at(6) == "cycles") images += std::stod(fields.at(10));
  }
  return images;
}

class Cost : public testing::Test {
 protected:
  double evaluated_in_a_run(const RunConfig& config) {
    RunFolder folder(folder_.path() / config.curriculum.stream, config);
    EXPECT_EQ(train(shared_device(), config, noisy_images(), folder, {.quiet = true}), RunEnd::done);
    return recorded_images(folder_.path() / config.curriculum.stream);
  }

  TemporaryFolder folder_;
};

RunConfig random_labels(int tasks, int evaluation_images, const std::string& stream = "random-label-cifar") {
  return make_config({{"stream", stream},
                      {"tasks", std::to_string(tasks)},
                      {"task_images", "16"},
                      {"epochs_per_task", "1"},
                      {"evaluation_images", std::to_string(evaluation_images)},
                      {"hidden", "8"},
                      {"seeds", "1..2"}});
}

TEST_F(Cost, OfAStreamOfThirtyTasksCountsTheEvaluationAfterEveryTask) {
  const auto config = random_labels(30, 10);
  EXPECT_EQ(evaluated_images(config), 10 * 30 * 31 / 2);
  EXPECT_EQ(evaluated_in_a_run(config), evaluated_images(config));
}

TEST_F(Cost, CountsNoMoreImagesThanATaskHas) {
  const auto config = random_labels(3, 500);
  EXPECT_EQ(evaluated_images(config), 16 * (1 + 2 + 3));
  EXPECT_EQ(evaluated_in_a_run(config), evaluated_images(config));
}

TEST_F(Cost, OfFivePlusOneCountsHardTasksOnly) {
  const auto config = make_config({{"stream", "5+1-cifar"},
                                   {"tasks", "3"},
                                   {"steps_per_task", "2"},
                                   {"evaluation_images", "10"},
                                   {"hidden", "8"},
                                   {"seeds", "1..2"}});
  EXPECT_EQ(evaluated_images(config), 10 * (1 + 2));
  EXPECT_EQ(evaluated_in_a_run(config), evaluated_images(config));
}

TEST(CostOfAnEvaluation, IsTheForwardPassOfEveryImageThroughEveryNetwork) {
  const auto some = random_labels(30, 10, "random-label-mnist"), more = random_labels(30, 16, "random-label-mnist");
  double forward = 0;  // multiplications of one image through one fully connected network
  for (const auto& layer : architecture_of(some).layers()) forward += static_cast<double>(layer.weights());
  EXPECT_EQ(work_of(more).multiplications - work_of(some).multiplications, 6.0 * (30 * 31 / 2) * 2 * forward);
  EXPECT_EQ(work_of(more).steps, work_of(some).steps);
}

TEST(CostOfAnEvaluation, OfAWholeDataSetIsItsTestImagesAfterEveryEpoch) {
  EXPECT_EQ(evaluated_images(make_config({{"stream", "mnist"}, {"epochs", "7"}})), 70'000);
}

}  // namespace
}  // namespace cambium
