// Short runs on streams of tasks whose results are known or can be recomputed.

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "tests/cli/train_command.hpp"

namespace {

using nlohmann::json;
using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

json result_of(const path& run) { return json_in(run / "result.json"); }
double mean_of(const path& run, const std::string& name) { return result_of(run).at(name).at("mean"); }

// The content of online.npy: correct predictions (steps, seeds), -1 where a seed took no step.
struct Online {
  std::size_t steps = 0, seeds = 0;
  std::vector<int> correct;

  explicit Online(const path& file) {
    const auto bytes = read_whole(file);
    const std::string text(bytes.begin(), bytes.end());
    EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t header = 10 + bytes.at(8) + 256u * bytes.at(9);
    EXPECT_EQ(header % 64, 0u);
    const auto shape = text.substr(text.find("'shape': (") + 10);
    EXPECT_EQ(std::sscanf(shape.c_str(), "%zu, %zu)", &steps, &seeds), 2);
    const bool wide = text.substr(0, header).find("'<u2'") != std::string::npos;
    for (std::size_t i = header; i < bytes.size(); i += wide ? 2 : 1) {
      const int value = wide ? bytes.at(i) + 256 * bytes.at(i + 1) : bytes.at(i);
      correct.push_back(value == (wide ? 65535 : 255) ? -1 : value);
    }
    EXPECT_EQ(correct.size(), steps * seeds);
  }
};

// Five tasks of two classes each.
constexpr auto split = "--stream split-fashion --epochs-per-task 2 --hidden 16 --batch 1000 --seeds 1..2";

class SplitRun : public TrainCommand {};

TEST_F(SplitRun, ReplayPreventsForgetting) {
  const auto without = finished(std::string(split) + " --replay none --lr 0.1", "without");
  const auto with = finished(std::string(split) + " --lr 0.1", "with");
  // Without replay, the network knows only the two classes of the last task.
  EXPECT_NEAR(mean_of(without, "accuracy"), 0.2, 0.03);
  EXPECT_GT(mean_of(with, "accuracy"), 0.4);
  EXPECT_GT(mean_of(without, "forgetting"), mean_of(with, "forgetting") + 0.2);
}

TEST_F(SplitRun, MeasuresAreAveragesOverTheAccuracyMatrix) {
  const auto run = finished(split, "run");
  const auto rows = table_of(run / "matrix.csv");
  ASSERT_EQ(rows.size(), 2u * (1 + 2 + 3 + 4 + 5));
  const auto result = result_of(run);
  for (std::size_t seed = 0; seed < 2; ++seed) {
    double taa = 0, last = 0;
    std::map<int, double> best;
    double forgotten = 0;
    for (int task = 1; task <= 5; ++task) {
      double sum = 0;
      int count = 0;
      for (const auto& row : rows) {
        if (row.at("seed") != std::to_string(seed + 1) || row.at("after_task") != std::to_string(task)) continue;
        const double accuracy = std::stod(row.at("accuracy"));
        const int on = std::stoi(row.at("on_task"));
        EXPECT_LE(on, task);
        EXPECT_EQ(row.at("images"), "2000");
        sum += accuracy;
        ++count;
        if (task < 5) best[on] = std::max(best[on], accuracy);
        if (task == 5 && on < 5) forgotten += (best.at(on) - accuracy) / 4;
      }
      EXPECT_EQ(count, task);
      last = sum / count;
      taa += last / 5;
    }
    EXPECT_NEAR(result.at("accuracy").at("seeds").at(seed), last, 1e-12);
    EXPECT_NEAR(result.at("taa_tasks").at("seeds").at(seed), taa, 1e-12);
    EXPECT_NEAR(result.at("forgetting").at("seeds").at(seed), forgotten, 1e-12);
  }
}

TEST_F(SplitRun, OnlineAccuraciesAreAveragesOverTheSteps) {
  const auto run = finished(split, "run");
  const Online online(run / "online.npy");
  // An epoch has 12 steps in the first task and 24 in the others, where half of each batch is replayed.
  ASSERT_EQ(online.steps, 2u * 12 + 8u * 24);
  ASSERT_EQ(online.seeds, 2u);
  const auto tasks = table_of(run / "tasks.csv");
  ASSERT_EQ(tasks.size(), 10u);
  std::size_t begin = 0;
  for (std::size_t task = 0; task < 5; ++task) {
    const std::size_t steps = task == 0 ? 24 : 48;
    for (std::size_t seed = 0; seed < 2; ++seed) {
      double sum = 0, early = 0;
      const std::size_t window = steps / 10;
      for (std::size_t step = 0; step < steps; ++step) {
        const double accuracy = online.correct[(begin + step) * 2 + seed] / 1000.0;
        sum += accuracy;
        if (step < window) early += accuracy;
      }
      const auto& row = tasks[task * 2 + seed];
      EXPECT_EQ(row.at("steps"), std::to_string(steps));
      EXPECT_NEAR(std::stod(row.at("online_accuracy")), sum / static_cast<double>(steps), 1e-12);
      EXPECT_NEAR(std::stod(row.at("early_window_10")), early / static_cast<double>(window), 1e-12);
    }
    begin += steps;
  }
}

TEST_F(SplitRun, EditsTakePlaceBetweenTasks) {
  for (const std::string method : {"grow", "prune"}) {
    const auto run = finished(std::string(split) + " --compactness 0.5 --method " + method, method);
    const auto events = lines_of(run / "events.jsonl");
    ASSERT_EQ(events.size(), 4u * 2 * 2);
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].at("epoch"), 2 * (i / 4 + 1));
    const auto rows = table_of(run / "tasks.csv");
    EXPECT_EQ(rows.front().at("active_fc1"), method == "grow" ? "2" : "16");
    EXPECT_EQ(rows.back().at("active_fc1"), "8");
    EXPECT_EQ(rows.back().at("phase"), "ticket");
    EXPECT_TRUE(result_of(run).at("ticket").contains("taa_tasks"));
  }
}

TEST_F(SplitRun, InterruptedOrKilledEndsWithTheSameBytes) {
  const auto arguments =
      std::string(split) + " --compactness 0.5 --method grow --optimizer adam --checkpoint-every 0.05";
  const auto whole = finished(arguments, "whole");
  EXPECT_GT(run_stopped(arguments, "stopped", SIGTERM, {after_milliseconds(60), after_milliseconds(250)}), 0);
  EXPECT_GT(run_stopped(arguments, "killed", SIGKILL, {after_milliseconds(300), after_milliseconds(600)}), 0);
  for (const auto* name : {"stopped", "killed"}) expect_same_files(whole, at(name));
}

TEST_F(SplitRun, ACheckpointWithOtherReplayImagesIsRefused) {
  const auto again = at("again");
  StartedProgram program(command(split, "again"));
  while (program.running() && text_of(again / "metrics.jsonl").find("\"task\":2") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.signal(SIGTERM);
  program.wait();
  const auto file = again / "checkpoint.safetensors";
  auto checkpoint = cambium::TensorFile::read(file);
  ASSERT_TRUE(checkpoint.contains("replay.images"));
  auto& images = checkpoint.tensors.at("replay.images");
  images.bytes[0] ^= std::byte{1};
  checkpoint.write(file);
  const auto ended = train(split, "again");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("kept for replay"));
}

// A data set named mnist, with the images of Fashion-MNIST and labels that the test defines.
class ShiftingRun : public TrainCommand {
 protected:
  void SetUp() override {
    TrainCommand::SetUp();
    if (IsSkipped()) return;
    const auto listed = json::parse(cambium_program("data list --json").output);
    path place;
    for (const auto& data : listed.at("data_sets"))
      if (data.at("name") == "fashion-mnist") place = data.at("place").get<std::string>();
    std::filesystem::create_directories(at("data/mnist"));
    for (const auto& entry : std::filesystem::directory_iterator(place))
      if (entry.path().filename().string().find("images") != std::string::npos)
        std::filesystem::create_symlink(entry.path(), at("data/mnist") / entry.path().filename());
    label([](std::size_t image) { return image * 7 / 3 % 10; });
  }

  template <class Label>
  void label(Label&& of) {
    for (const auto& [name, count] : {std::pair{"train", 60'000u}, std::pair{"t10k", 10'000u}}) {
      Bytes labels;
      for (std::size_t i = 0; i < count; ++i) labels.push_back(static_cast<std::uint8_t>(of(i)));
      write_file(at("data/mnist") / (std::string(name) + "-labels-idx1-ubyte"), idx({count}, labels));
    }
  }

  std::string on(const std::string& arguments) const { return arguments + " --data-dir " + at("data").string(); }
};

constexpr auto permuted = "--stream permuted-mnist --task-images 640 --hidden 16 --seeds 1..2";
constexpr auto random_labels = "--stream random-label-mnist --tasks 3 --task-images 320 --hidden 16";

TEST_F(ShiftingRun, ConstantLabelsAreLearntCompletely) {
  label([](std::size_t) { return 3; });
  const auto run = finished(on(std::string(permuted) + " --tasks 3"), "run");
  EXPECT_EQ(mean_of(run, "accuracy"), 1.0);
  EXPECT_EQ(mean_of(run, "taa_tasks"), 1.0);
  EXPECT_GT(mean_of(run, "taoa"), 0.9);
  EXPECT_EQ(std::stod(table_of(run / "tasks.csv").back().at("online_accuracy")), 1.0);
}

TEST_F(ShiftingRun, WithoutLearningTheAccuracyIsThatOfChance) {
  const auto run = finished(on("--stream random-label-mnist --tasks 20 --task-images 320 --epochs-per-task 1 --hidden "
                               "16 --seeds 1..2 --lr 0"),
                            "run");
  // The standard deviation of the mean over 2 seeds x 20 tasks x 320 random labels of ten classes.
  const double deviation = std::sqrt(0.1 * 0.9 / (2 * 20 * 320));
  EXPECT_NEAR(mean_of(run, "taoa"), 0.1, 4 * deviation);
  EXPECT_NEAR(mean_of(run, "accuracy"), 0.1, 4 * deviation);
  EXPECT_EQ(mean_of(run, "forgetting"), 0.0);
}

TEST_F(ShiftingRun, AFirstTaskThatIsNotPermutedEqualsTheDataSet) {
  const auto same = " --hidden 16 --seeds 1..2 --batch 2000 --optimizer sgd --lr 0.1 --lr-schedule constant";
  const auto stream = finished(on("--stream permuted-mnist --tasks 1 --permute-first no --task-images 60000 "
                                  "--epochs-per-task 2" +
                                  std::string(same)),
                               "stream");
  const auto plain = finished(on("--data mnist --epochs 2 --cycles 1" + std::string(same)), "plain");
  const auto permuted = finished(
      on("--stream permuted-mnist --tasks 1 --task-images 60000 --epochs-per-task 2" + std::string(same)), "permuted");
  const auto weights = [](const path& run, const std::string& name) {
    return cambium::TensorFile::read(run / "checkpoint.safetensors").tensors.at(name).bytes;
  };
  for (const std::string name : {"fc1.weight", "fc1.bias", "fc2.weight", "fc3.bias"}) {
    EXPECT_TRUE(weights(stream, name) == weights(plain, name)) << name;
    EXPECT_FALSE(weights(stream, name) == weights(permuted, name)) << name;
  }
}

TEST_F(ShiftingRun, RandomLabelsAreMemorisedAndThenForgotten) {
  const auto run = finished(on("--stream random-label-mnist --tasks 3 --task-images 64 --epochs-per-task 400 "
                               "--hidden 64 --seeds 1..2 --lr 0.001"),
                            "run");
  for (const auto& row : table_of(run / "matrix.csv")) {
    const double accuracy = std::stod(row.at("accuracy"));
    if (row.at("after_task") == row.at("on_task"))
      EXPECT_GT(accuracy, 0.95) << row.at("after_task");
    else
      EXPECT_LT(accuracy, 0.3) << row.at("after_task");
  }
}

TEST_F(ShiftingRun, ASeedGivesTheSameNetworkAloneAndAmongOthers) {
  const auto both = finished(
      on(std::string(random_labels) + " --epochs-per-task 5 --method grow --compactness 0.5 --seeds 1..2"), "both");
  const auto alone = finished(
      on(std::string(random_labels) + " --epochs-per-task 5 --method grow --compactness 0.5 --seeds 2"), "alone");
  const auto of_both = cambium::TensorFile::read(both / "checkpoint.safetensors");
  const auto of_alone = cambium::TensorFile::read(alone / "checkpoint.safetensors");
  for (const std::string name : {"fc1.weight", "fc2.weight", "fc3.weight", "optimizer.exp_avg.fc1.weight"})
    EXPECT_EQ(network<float>(of_both, name, 1), network<float>(of_alone, name, 0)) << name;
}

// One class is larger than the others, so seeds need different numbers of steps for a task and are frozen meanwhile.
TEST_F(ShiftingRun, SeedsWithTasksOfDifferentSizesGiveTheSameNetworksAloneAndTogether) {
  label([](std::size_t image) { return image % 81 % 80 / 8; });
  const auto arguments =
      on("--stream split-mnist --epochs-per-task 2 --hidden 16 --batch 1000 --activation rsl "
         "--optimizer adam --method grow --compactness 0.5 --checkpoint-every 0.05");
  const auto together = finished(arguments + " --seeds 1..3", "together");
  const auto after = cambium::TensorFile::read(together / "checkpoint.safetensors");
  for (const std::string seed : {"1", "3"}) {
    const auto alone = finished(arguments + " --seeds " + seed, "alone" + seed);
    const auto of_alone = cambium::TensorFile::read(alone / "checkpoint.safetensors");
    for (const std::string name : {"fc1.weight", "fc2.weight", "fc3.bias", "optimizer.exp_avg_sq.fc1.weight"})
      EXPECT_EQ(network<float>(after, name, std::stoul(seed) - 1), network<float>(of_alone, name, 0)) << seed << name;
  }
  const Online online(together / "online.npy");
  EXPECT_GT(std::count(online.correct.begin(), online.correct.end(), -1), 0);
  EXPECT_GT(
      run_stopped(arguments + " --seeds 1..3", "stopped", SIGTERM, {after_milliseconds(60), after_milliseconds(200)}),
      0);
  EXPECT_TRUE(read_whole(at("stopped") / "checkpoint.safetensors") == read_whole(together / "checkpoint.safetensors"));
  EXPECT_TRUE(read_whole(at("stopped") / "online.npy") == read_whole(together / "online.npy"));
}

TEST_F(ShiftingRun, InterruptedOrKilledEndsWithTheSameBytes) {
  const auto arguments = [&](const std::string& method) {
    return on(std::string(random_labels) +
              " --epochs-per-task 20 --seeds 1..2 --compactness 0.5 --ticket --diagnostics --checkpoint-every 0.05"
              " --method " +
              method);
  };
  expect_same_when_stopped(arguments("grow"), SIGTERM, {after_milliseconds(50), after_milliseconds(200)}, false,
                           "grow");
  expect_same_when_stopped(arguments("prune"), SIGKILL, {after_milliseconds(200), after_milliseconds(400)}, false,
                           "prune");
}

TEST_F(ShiftingRun, GrowMakesNoChangesAfterItReachedItsTarget) {
  const auto run =
      finished(on("--stream permuted-mnist --tasks 12 --task-images 160 --hidden 20 --seeds 1 --method grow "
                  "--compactness 0.2"),
               "run");
  std::vector<std::string> active;
  for (const auto& row : table_of(run / "tasks.csv")) active.push_back(row.at("active_fc1"));
  EXPECT_THAT(active, testing::ElementsAre("2", "3", "4", "4", "4", "4", "4", "4", "4", "4", "4", "4"));
  EXPECT_EQ(lines_of(run / "events.jsonl").size(), 11u * 2);
}

TEST_F(ShiftingRun, CyclesCanSpanSeveralTasks) {
  const auto run =
      finished(on(std::string(permuted) + " --tasks 6 --cycles 2 --method prune --compactness 0.5"), "run");
  const auto events = lines_of(run / "events.jsonl");
  ASSERT_EQ(events.size(), 1u * 2 * 2);
  EXPECT_EQ(events[0].at("epoch"), 3);
}

TEST_F(ShiftingRun, WrongInputIsRefused) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"--stream permuted-mnits", "permuted-mnist"},
      {"--stream split-fashion --data mnist", "both given"},
      {"--data split-mnist", "data"},
      {"--stream split-fashion --tasks 6", "from 1 to 5"},
      {"--stream permuted-mnist --epochs 3", "no effect"},
      {"--stream permuted-mnist --replay tiny_er", "no effect"},
      {"--stream random-label-mnist --permute-first no", "no effect"},
      {"--stream split-fashion --replay none --replay-total 100", "no effect"},
      {"--stream split-fashion --batch 1", "2 or more images"},
      {"--stream 5+1-cifar --epochs-per-task 3", "no effect"},
      {"--stream permuted-mnist --cycles 501", "from 1 to 500"},
      {"--stream permuted-mnist --task-images 60001", "from 1 to 60000"},
  };
  for (const auto& [arguments, expected] : wrong) {
    const auto ended = train(on(arguments), "none");
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_THAT(ended.errors, HasSubstr(expected)) << arguments;
    EXPECT_FALSE(std::filesystem::exists(at("none"))) << arguments;
  }
}

TEST_F(ShiftingRun, CannotBeTraced) {
  const auto ended = train(on(std::string(permuted) + " --tasks 3 --trace " + at("t").string()), "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("--trace"), HasSubstr("permuted-mnist")));
}

}  // namespace
