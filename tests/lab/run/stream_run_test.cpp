// Streams of photographs, end to end, on small data sets made for the purpose: each class has a colour of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/run/run.hpp"
#include "tests/shared_device.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

// `each` images of every class, in turn; nearly of one colour.
Images coloured(std::int32_t classes, std::int32_t each) {
  Images images{classes * each, 32, 32, 3, {}, {}};
  const auto speckles = noise(static_cast<std::size_t>(images.count) * 3072);
  for (std::int32_t i = 0; i < images.count; ++i) {
    const std::int32_t label = i % classes;
    images.labels.push_back(static_cast<std::uint16_t>(label));
    const std::int32_t colour[] = {label % 3, label / 3 % 3, label / 9 % 3};
    for (std::size_t pixel = 0; pixel < 3072; ++pixel)
      images.pixels.push_back(static_cast<std::uint8_t>(20 + 90 * colour[pixel % 3] +
                                                        speckles[static_cast<std::size_t>(i) * 3072 + pixel] % 30));
  }
  return images;
}

DataSet data_set(std::int32_t classes, std::int32_t train, std::int32_t test) {
  return {.name = "made",
          .classes = classes,
          .mean = {0.5f, 0.5f, 0.5f},
          .deviation = {0.25f, 0.25f, 0.25f},
          .train = coloured(classes, train),
          .test = coloured(classes, test)};
}

class StreamRun : public testing::Test {
 protected:
  // The result of a run on two seeds.
  nlohmann::json result(ConfigText keys, DataSet data) {
    keys.merge(ConfigText{{"hidden", "64"}, {"seeds", "1..2"}, {"lr", "0.001"}});
    const auto config = make_config(keys);
    RunFolder folder(folder_.path() / keys.at("stream"), config);
    EXPECT_EQ(train(shared_device(), config, std::move(data), folder, {.quiet = true}), RunEnd::done);
    std::ifstream stream(folder.result());
    return nlohmann::json::parse(stream);
  }

  TemporaryFolder folder_;
};

double mean(const nlohmann::json& result, const char* name) { return result.at(name).at("mean"); }

TEST_F(StreamRun, ContinualImagenetTellsColoursApartByTheSameTwoOutputs) {
  const auto found =
      result({{"stream", "continual-imagenet"}, {"tasks", "3"}, {"epochs_per_task", "2"}}, data_set(6, 600, 0));
  EXPECT_GT(mean(found, "taoa"), 0.8);
  EXPECT_EQ(found.at("steps"), 3 * 24);
}

TEST_F(StreamRun, FivePlusOneTakesTurns) {
  const auto found = result({{"stream", "5+1-cifar"}, {"tasks", "3"}, {"steps_per_task", "100"}}, data_set(12, 500, 0));
  EXPECT_GT(mean(found, "taoa"), 0.7);
  EXPECT_EQ(found.at("steps"), 300);
  EXPECT_TRUE(found.contains("forgetting"));  // two hard tasks
}

TEST_F(StreamRun, SplitCifarGrowsBetweenItsTasks) {
  const auto found = result({{"stream", "split-cifar100"},
                             {"tasks", "2"},
                             {"epochs_per_task", "2"},
                             {"method", "grow"},
                             {"compactness", "0.5"},
                             {"ticket", "no"},
                             {"diagnostics", "no"},
                             {"batch", "100"}},
                            data_set(20, 500, 10));
  EXPECT_EQ(found.at("active_units").at("fc1"), nlohmann::json({32, 32}));
  EXPECT_GT(mean(found, "taoa"), 0.4);
}

TEST_F(StreamRun, RandomLabelsOfPhotographsAreLearntByHeart) {
  // Speckles tell the images apart.
  const auto found = result({{"stream", "random-label-cifar"},
                             {"tasks", "2"},
                             {"task_images", "16"},
                             {"epochs_per_task", "150"},
                             {"lr", "0.003"}},
                            data_set(10, 10, 0));
  EXPECT_GT(mean(found, "taoa"), 0.5);
  EXPECT_GT(mean(found, "forgetting"), 0.4);
}

}  // namespace
}  // namespace cambium
