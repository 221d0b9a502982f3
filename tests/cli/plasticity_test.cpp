// Runs with GROW and PRUNE: edits, rewinds, tickets, stopped runs, and input that is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <functional>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::Tensor;
using cambium::TensorFile;
using nlohmann::json;
using std::filesystem::path;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Options of small runs. A cycle is an epoch of 30 steps.
const std::string grow = std::string(small) + " --method grow --compactness 0.5";
const std::string prune = std::string(small) + " --method prune --compactness 0.5";
const std::string adam_with_all =
    " --optimizer adam --grow-score gradmax --two-speed-steps 40 "
    "--intervention two_speed,moment_transplant,net2wider";

const char* const parameter_names[] = {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias"};

// The names of the parameters with the same bytes in two files; `in_a` and `in_b` are prefixes of the names there.
std::vector<std::string> same_parameters(const TensorFile& a, const std::string& in_a, const TensorFile& b,
                                         const std::string& in_b) {
  std::vector<std::string> names;
  for (const std::string name : parameter_names)
    if (a.tensors.at(in_a + name).bytes == b.tensors.at(in_b + name).bytes) names.push_back(name);
  return names;
}
const auto all_parameters = testing::ElementsAreArray(parameter_names);

// The tensors of a checkpoint without those of the diagnostics.
std::map<std::string, std::vector<std::byte>> networks_in(const path& checkpoint) {
  std::map<std::string, std::vector<std::byte>> tensors;
  const auto file = TensorFile::read(checkpoint);
  for (const auto& [name, tensor] : file.tensors)
    if (name != "diagnosis.reference") tensors[name] = tensor.bytes;
  return tensors;
}

// A column of epochs.csv in the rows of one seed in the cycles.
std::vector<int> column(const path& file, const std::string& name, const std::string& seed) {
  std::vector<int> values;
  for (const auto& row : table_of(file))
    if (row.at("seed") == seed && row.at("phase") == "cycles") values.push_back(std::stoi(row.at(name)));
  return values;
}

class PlasticRun : public TrainCommand {
 protected:
  TensorFile traced(const std::string& arguments, const std::string& out) const {
    const auto file = at(out + ".trace");
    finished(arguments + " --trace " + file.string(), out);
    return TensorFile::read(file);
  }
};

TEST_F(PlasticRun, WritesTheFilesThatItsFlagsSelect) {
  const auto with_all = finished(grow + " --epochs 2 --ticket --diagnostics", "with_all");
  EXPECT_THAT(names_in(with_all),
              ElementsAre("checkpoint.safetensors", "cohorts.csv", "config.toml", "cycles.safetensors", "epochs.csv",
                          "events.jsonl", "lock", "metrics.jsonl", "parities.csv", "result.json", "sessions.jsonl"));
  EXPECT_THAT(text_of(with_all / "config.toml"),
              AllOf(HasSubstr("ticket = true\n"), HasSubstr("diagnostics = true\n")));
  const auto plain = finished(prune + " --epochs 2 --no-ticket --diagnostics no", "plain");
  EXPECT_THAT(names_in(plain), ElementsAre("checkpoint.safetensors", "config.toml", "epochs.csv", "events.jsonl",
                                           "lock", "metrics.jsonl", "result.json", "sessions.jsonl"));
  EXPECT_THAT(text_of(plain / "config.toml"), AllOf(HasSubstr("ticket = false\n"), HasSubstr("diagnostics = false\n")));
}

TEST(TrainHelp, ListsRulesAndInterventions) {
  const auto help = cambium_program("train --help");
  EXPECT_EQ(help.code, 0);
  for (const char* name : {"activation (", "gradient (", "gradmax (", "random (", "magnitude (", "net2wider (",
                           "moment_transplant (", "two_speed (", "--no-ticket", "--no-diagnostics", "--rewind-to"})
    EXPECT_THAT(help.output, HasSubstr(name));
}

TEST_F(PlasticRun, EveryEditDoesItsShareOfTheWayToTheTarget) {
  // Targets: round(0.3 x 16) = 5 and 0.3 x 20 = 6; GROW starts with 2 and 2. An edit adds or removes the
  // remaining difference divided by the remaining edits, rounded up.
  const std::string base =
      "--data fashion-mnist --hidden 16,20 --batch 2000 --seeds 4,9 --compactness 0.3 --no-diagnostics --no-ticket";
  const auto grown = finished(base + " --method grow --epochs 4", "grown") / "epochs.csv";
  const auto pruned = finished(base + " --method prune --epochs 4", "pruned") / "epochs.csv";
  for (const std::string seed : {"4", "9"}) {
    EXPECT_THAT(column(grown, "active_fc1", seed), ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(column(grown, "active_fc2", seed), ElementsAre(2, 4, 5, 6));
    EXPECT_THAT(column(pruned, "active_fc1", seed), ElementsAre(16, 12, 8, 5));
    EXPECT_THAT(column(pruned, "active_fc2", seed), ElementsAre(20, 15, 10, 6));
    EXPECT_THAT(column(grown, "cycle", seed), ElementsAre(1, 2, 3, 4));
  }
}

TEST_F(PlasticRun, WithFirstEditBeforeTheFirstCycleAnEventPrecedesTheFirstStep) {
  const auto run = finished(
      "--data fashion-mnist --hidden 16 --batch 2000 --seeds 1 --compactness 0.3 --method prune "
      "--epochs 3 --no-diagnostics --no-ticket --first-edit before_first_cycle",
      "run");
  const auto events = lines_of(run / "events.jsonl");
  ASSERT_EQ(events.size(), 3u * 2u);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].at("event"), i / 2);
    EXPECT_EQ(events[i].at("epoch"), i / 2);
    EXPECT_EQ(events[i].at("step"), 30 * (i / 2));
  }
  EXPECT_THAT(column(run / "epochs.csv", "active_fc1", "1"), ElementsAre(12, 8, 5));
}

TEST_F(PlasticRun, AllMethodsStartFromTheSameWeightsAndUseTheSameBatches) {
  const auto dense = traced(std::string(small) + " --epochs 2", "dense");
  for (const auto& method : {grow, prune}) {
    const auto name = method == grow ? "grow" : "prune";
    const auto trace = traced(method + " --epochs 2 --no-ticket --no-diagnostics", name);
    EXPECT_THAT(same_parameters(trace, "init.", dense, "init."), all_parameters);
    EXPECT_TRUE(trace.tensors.at("batches").bytes == dense.tensors.at("batches").bytes);
    // Until its first edit, PRUNE equals DENSE.
    if (method != prune) continue;
    for (std::size_t seed = 0; seed < 2; ++seed) {
      const auto losses = network<float>(trace, "loss", seed), expected = network<float>(dense, "loss", seed);
      EXPECT_TRUE(std::equal(losses.begin(), losses.begin() + 30, expected.begin()));
      EXPECT_NE(losses[30], expected[30]);
    }
  }
}

// The learning rate is zero after the last edit, so that the networks do not change after it.
constexpr auto zero_rate_after_one_epoch =
    " --epochs 2 --t-max 1 --lr-mode global --lr 0.1 --no-ticket --no-diagnostics";
constexpr auto zero_rate_after_two_epochs =
    " --epochs 3 --t-max 2 --lr-mode global --lr 0.1 --no-ticket --no-diagnostics";

TEST_F(PlasticRun, ARewindToTheInitialWeightsResetsAllParameters) {
  const auto trace = traced(prune + zero_rate_after_one_epoch + std::string(" --momentum 0.9"), "run");
  EXPECT_THAT(same_parameters(trace, "final.", trace, "init."), all_parameters);
  EXPECT_TRUE(lines_of(at("run") / "events.jsonl").at(0).contains("loss_rewound"));
}

TEST_F(PlasticRun, WithoutARewindAnEditKeepsAllParametersAndAMaskedRewindKeepsTheOutputLayer) {
  const auto dense = traced(std::string(small) + " --epochs 2 --t-max 1 --lr 0.1", "dense");
  const auto kept = traced(prune + zero_rate_after_one_epoch + std::string(" --rewind-to none"), "kept");
  EXPECT_THAT(same_parameters(kept, "final.", dense, "final."), all_parameters);
  EXPECT_FALSE(lines_of(at("kept") / "events.jsonl").at(0).contains("loss_rewound"));
  const auto masked = traced(prune + zero_rate_after_one_epoch + std::string(" --rewind-scope masked"), "masked");
  EXPECT_THAT(same_parameters(masked, "final.", masked, "init."),
              ElementsAre("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"));
  EXPECT_THAT(same_parameters(masked, "final.", dense, "final."), ElementsAre("fc3.weight", "fc3.bias"));
}

TEST_F(PlasticRun, ARewindToASnapshotResetsTheParametersToItsEpoch) {
  const auto trace =
      traced(prune + zero_rate_after_two_epochs + std::string(" --rewind-to snapshot --rewind-epoch 1"), "run");
  const auto dense = traced(std::string(small) + " --epochs 1 --t-max 2 --lr 0.1", "dense");
  EXPECT_THAT(same_parameters(trace, "final.", dense, "final."), all_parameters);
}

TEST_F(PlasticRun, NewbornsStartWithTheirInitialWeightsAndIncumbentsKeepTheirs) {
  const auto trace = traced(grow + zero_rate_after_one_epoch, "run");
  const auto before = trace.values<std::uint8_t>("mask.init.fc1", {2, 16});
  const auto after = trace.values<std::uint8_t>("mask.1.fc1", {2, 16});
  const auto first = trace.values<float>("init.fc1.weight", {2, 16, 784});
  const auto last = trace.values<float>("final.fc1.weight", {2, 16, 784});
  int newborns = 0;
  for (std::size_t unit = 0; unit < 32; ++unit) {
    newborns += after[unit] - before[unit];
    const auto begin = static_cast<std::ptrdiff_t>(unit * 784);
    EXPECT_EQ(std::equal(first.begin() + begin, first.begin() + begin + 784, last.begin() + begin), before[unit] == 0)
        << unit;
  }
  EXPECT_EQ(newborns, 2 * 6);
}

class Ticket : public PlasticRun {
 protected:
  // Compares the ticket of a run with a dense run that has its masks.
  void expect_like_dense(const std::string& method, const std::string& more) const {
    const auto run = finished(method + " --epochs 2 --no-diagnostics" + more, "run");
    const auto masks = (run / "cycles.safetensors").string();
    const auto dense = finished(std::string(small) + " --epochs 2" + more + " --masks " + masks, "dense");
    const auto ticket = TensorFile::read(run / "checkpoint.safetensors");
    const auto expected = TensorFile::read(dense / "checkpoint.safetensors");
    EXPECT_EQ(ticket.text("phase"), "ticket");
    for (const auto& [name, tensor] : expected.tensors)
      EXPECT_TRUE(ticket.tensors.at(name).bytes == tensor.bytes) << name << " differs";
    const auto lines = lines_of(run / "metrics.jsonl"), expected_lines = lines_of(dense / "metrics.jsonl");
    ASSERT_EQ(lines.size(), 4u);
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      auto line = lines[2 + epoch];
      EXPECT_EQ(line.at("phase"), "ticket");
      line["phase"] = "cycles";
      EXPECT_EQ(line, expected_lines[epoch]);
    }
    const auto result = json::parse(text_of(run / "result.json"));
    EXPECT_EQ(result.at("ticket").at("accuracy"), json::parse(text_of(dense / "result.json")).at("accuracy"));
  }
};

TEST_F(Ticket, OfAGrownNetworkEqualsTheDenseRunWithItsMasks) {
  // Two-Speed is still active at the end of the cycles. The schedule restarts in every cycle, but not in the ticket.
  const std::string run = grow + " --intervention two_speed";
  expect_like_dense(run, " --optimizer adam --t-max 2");
}

TEST_F(Ticket, OfAPrunedNetworkEqualsTheDenseRunWithItsMasks) {
  expect_like_dense(prune, " --momentum 0.9 --activation rsl --lr-mode global --t-max 3");
}

TEST_F(Ticket, StartsFromTheInitialWeightsOfTheRunOrFromFreshOnes) {
  for (const std::string start : {"original", "fresh"}) {
    const auto trace = traced(grow + " --epochs 2 --lr 0 --no-diagnostics --wt-init " + start, start);
    EXPECT_THAT(same_parameters(trace, "ticket.final.", trace, "ticket.init."), all_parameters);
    if (start == "original")
      EXPECT_THAT(same_parameters(trace, "ticket.final.", trace, "init."), all_parameters);
    else  // all biases are zero
      EXPECT_THAT(same_parameters(trace, "ticket.final.", trace, "init."),
                  ElementsAre("fc1.bias", "fc2.bias", "fc3.bias"));
  }
}

TEST_F(PlasticRun, DiagnosticsDoNotChangeTraining) {
  for (const auto& run : {grow + adam_with_all, prune + std::string(" --momentum 0.9")}) {
    const auto name = std::to_string(run.size());
    const auto looked = finished(run + " --epochs 2 --no-ticket --diagnostics", "looked" + name);
    const auto alone = finished(run + " --epochs 2 --no-ticket --no-diagnostics", "alone" + name);
    EXPECT_TRUE(networks_in(looked / "checkpoint.safetensors") == networks_in(alone / "checkpoint.safetensors"));
    for (const char* file : {"metrics.jsonl", "events.jsonl"}) EXPECT_EQ(text_of(looked / file), text_of(alone / file));
    EXPECT_TRUE(std::filesystem::exists(looked / "cohorts.csv"));
    EXPECT_FALSE(std::filesystem::exists(alone / "cohorts.csv"));
  }
}

TEST_F(PlasticRun, ASeedGivesTheSameNetworkAloneAndAmongOthers) {
  for (const std::string& more : {" --method grow" + adam_with_all, std::string(" --method prune --momentum 0.9")}) {
    const std::string base =
        "--data fashion-mnist --hidden 16 --batch 2000 --epochs 2 --no-ticket --compactness 0.4" + more;
    const auto name = std::to_string(more.size());
    const auto several = finished(base + " --seeds 1..3", "several" + name);
    const auto alone = finished(base + " --seeds 2", "alone" + name);
    const auto three = TensorFile::read(several / "checkpoint.safetensors");
    const auto one = TensorFile::read(alone / "checkpoint.safetensors");
    for (const auto& [tensor_name, tensor] : one.tensors) {
      if (tensor_name == "optimizer.steps" || tensor_name == "diagnosis.reference" || tensor_name.starts_with("run."))
        continue;  // shared by all seeds
      const auto& all = three.tensors.at(tensor_name).bytes;
      const auto each = static_cast<std::ptrdiff_t>(tensor.bytes.size());
      ASSERT_EQ(all.size(), 3 * tensor.bytes.size()) << tensor_name;
      EXPECT_TRUE(std::equal(tensor.bytes.begin(), tensor.bytes.end(), all.begin() + each))
          << tensor_name << " differs";
    }
    std::vector<json> among_others;
    for (const auto& line : lines_of(several / "events.jsonl"))
      if (line.at("seed") == 2) among_others.push_back(line);
    EXPECT_EQ(among_others, lines_of(alone / "events.jsonl"));
    const auto among_others_metrics = lines_of(several / "metrics.jsonl"),
               alone_metrics = lines_of(alone / "metrics.jsonl");
    ASSERT_EQ(among_others_metrics.size(), alone_metrics.size());
    for (std::size_t epoch = 0; epoch < alone_metrics.size(); ++epoch)
      for (const char* key : {"train_loss", "test_accuracy"})
        EXPECT_EQ(among_others_metrics[epoch].at(key).at(1), alone_metrics[epoch].at(key).at(0));
  }
}

TEST_F(PlasticRun, TwoSpeedWithFactorOneEqualsNoIntervention) {
  const std::string base = grow + " --epochs 2 --no-ticket --no-diagnostics --lr 0.1";
  const auto none = finished(base, "none");
  const auto one = finished(base + " --intervention two_speed --two-speed-r 1", "one");
  EXPECT_TRUE(networks_in(one / "checkpoint.safetensors") == networks_in(none / "checkpoint.safetensors"));
  EXPECT_EQ(text_of(one / "metrics.jsonl"), text_of(none / "metrics.jsonl"));
}

TEST_F(PlasticRun, TwoSpeedEndsAfterItsSteps) {
  const auto losses = [&](const std::string& more, const std::string& name) {
    const auto trace = traced(grow + " --epochs 2 --no-ticket --no-diagnostics --lr 0.1" + more, name);
    return network<float>(trace, "loss", 0);
  };
  const auto none = losses("", "none");
  const auto one = losses(" --intervention two_speed --two-speed-steps 1", "one");
  const auto five = losses(" --intervention two_speed --two-speed-steps 5", "five");
  // The loss of a step is computed before its update, so the first different loss is that of the second step after the
  // edit.
  for (const auto& with : {one, five}) EXPECT_TRUE(std::equal(none.begin(), none.begin() + 31, with.begin()));
  EXPECT_NE(one[31], none[31]);
  EXPECT_EQ(one[31], five[31]);
  EXPECT_NE(one[32], five[32]);
}

// Runs that are stopped when their files show a certain state, and resumed.
class StoppedRun : public PlasticRun {
 protected:
  static Moment epochs_done(std::size_t count) {
    return [count](const path& run) {
      const auto text = text_of(run / "metrics.jsonl");
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= count;
    };
  }
  static Moment edit_made(int event) {
    return [event](const path& run) {
      return text_of(run / "events.jsonl").find("\"event\":" + std::to_string(event)) != std::string::npos;
    };
  }
  static Moment ticket_begun() {
    return [](const path& run) { return std::filesystem::exists(run / "cycles.safetensors"); };
  }
};

TEST_F(StoppedRun, GrowWithAllInterventionsInterruptedEndsWithTheSameBytes) {
  expect_same_when_stopped(grow + adam_with_all + " --epochs 3", SIGINT, {epochs_done(1), edit_made(2), epochs_done(4)},
                           true);
}

TEST_F(StoppedRun, PruneWithASnapshotInterruptedEndsWithTheSameBytes) {
  expect_same_when_stopped(prune + " --epochs 3 --optimizer adam --rewind-to snapshot --wt-init fresh", SIGTERM,
                           {edit_made(1), ticket_begun()}, true);
}

TEST_F(StoppedRun, GrowKilledBetweenCheckpointsEndsWithTheSameBytes) {
  expect_same_when_stopped(grow + " --epochs 3 --intervention two_speed --two-speed-steps 20 --checkpoint-every 0.2",
                           SIGKILL, {edit_made(1), edit_made(2), epochs_done(4)}, true);
}

TEST_F(StoppedRun, PruneKilledAtAnyMomentEndsWithTheSameBytes) {
  expect_same_when_stopped(prune + " --epochs 3 --momentum 0.9 --rewind-to snapshot --checkpoint-every 0", SIGKILL,
                           {epochs_done(1), edit_made(2), ticket_begun()}, false);
}

TEST_F(StoppedRun, InterruptedAfterAnEditBeforeTheFirstStepEndsWithTheSameBytes) {
  expect_same_when_stopped(prune + " --epochs 2 --no-ticket --first-edit before_first_cycle", SIGINT, {edit_made(0)},
                           true);
}

TEST_F(PlasticRun, WrongInputIsRefusedAndLeavesNoFolder) {
  const auto of_method = std::string(small) + " --method ";
  const std::pair<std::string, std::string> cases[] = {
      {of_method + "grow --compactness 0", "compactness = 0"},
      {of_method + "prune --compactness 1.5", "from 1e-06 to 1"},
      {of_method + "prune --compactness nan", "compactness = nan"},
      {grow + " --grow-score activity", "mean activation?"},
      {grow + " --intervention net2wide", "mean net2wider?"},
      {grow + " --intervention two_speed,two_speed", "twice"},
      {grow + " --intervention moment_transplant", "use adam, or momentum above 0"},
      {prune + " --intervention two_speed", "Leave it out"},
      {prune + " --seed-fraction 0.2", "Leave it out"},
      {grow + " --rewind-to none", "Leave it out"},
      {std::string(small) + " --grow-score random", "Leave it out"},
      {std::string(small) + " --ticket", "Leave it out"},
      {std::string(small) + " --no-diagnostics", "Leave it out"},
      {grow + " --masks random", "Leave it out"},
      {grow + " --cycles 1 --epochs 4", "Use two or more cycles"},
      {prune + " --epochs 4 --rewind-to snapshot --rewind-epoch 2", "before the snapshot would be taken"},
      {prune + " --epochs 7 --cycles 3", "Choose other numbers, or lr_mode = global"},
      {grow + " --seed-fraction 0", "seed_fraction = 0"},
      {grow + " --ticket --no-ticket", "--no-ticket"},
      {grow + " --ticket perhaps", "the value must be yes or no"},
      {grow + " --wt-init fresh --no-ticket", "Leave it out"},
      {grow + " --bias-schedule fc1_protect", "bias_schedule"}};
  for (const auto& [arguments, expected] : cases) {
    const auto ended = train(arguments, "run");
    EXPECT_EQ(ended.code, 2) << arguments << "\n" << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr(expected)) << arguments;
    EXPECT_EQ(ended.output, "") << arguments;
    EXPECT_FALSE(std::filesystem::exists(at("run"))) << arguments;
  }
}

// A finished run without its result, whose checkpoint is changed.
class ChangedCheckpoint : public PlasticRun {
 protected:
  void begin(const std::string& arguments) {
    arguments_ = arguments;
    run_ = finished(arguments, "run");
    std::filesystem::remove(run_ / "result.json");
    original_ = TensorFile::read(run_ / "checkpoint.safetensors");
  }
  void expect_refused(const std::function<void(TensorFile&)>& change, const std::string& why,
                      const std::string& flags = "") const {
    auto changed = original_;
    change(changed);
    changed.write(run_ / "checkpoint.safetensors");
    const auto before = contents_of(run_);
    const auto ended = train(arguments_ + flags, "run");
    EXPECT_EQ(ended.code, 2) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr(why));
    EXPECT_TRUE(contents_of(run_) == before) << "something was overwritten";
  }
  // Sets one value of a tensor.
  template <class T>
  static std::function<void(TensorFile&)> with(const std::string& name, std::size_t place, T value) {
    return [=](TensorFile& file) {
      const auto shape = file.tensors.at(name).shape;
      auto values = file.values<T>(name, shape);
      values.at(place) = value;
      file.tensors[name] = Tensor::of<T>(shape, values);
    };
  }
  static std::function<void(TensorFile&)> with(const std::string& key, const std::string& value) {
    return [=](TensorFile& file) { file.metadata[key] = value; };
  }
  static std::function<void(TensorFile&)> without(const std::string& name) {
    return [=](TensorFile& file) { file.tensors.erase(name); };
  }

  std::string arguments_;
  path run_;
  TensorFile original_;
};

TEST_F(ChangedCheckpoint, OfGrowIsRefused) {
  begin(grow + " --epochs 2 --no-ticket");
  const auto file = (run_ / "checkpoint.safetensors").string();
  const auto masks = original_.values<std::uint8_t>("mask.fc2", {2, 16});
  const auto active = static_cast<std::size_t>(std::find(masks.begin(), masks.end(), 1) - masks.begin());
  const auto inactive = static_cast<std::size_t>(std::find(masks.begin(), masks.end(), 0) - masks.begin());
  expect_refused(with<std::uint8_t>("mask.fc2", active, 0), file + ": network 1 has 7 active units in hidden layer 2");
  expect_refused(with("events", "2"), file + ": 2 edits are finished, but the run has 1");
  expect_refused(without("birth.fc1"), "birth.fc1");
  expect_refused(without("diagnosis.reference"), "diagnosis.reference");
  expect_refused(with<std::int32_t>("birth.fc2", active, 1'000'000), "birth.fc2: unit");
  expect_refused(with<std::int32_t>("birth.fc2", inactive, 1), "which is not active");
}

TEST_F(ChangedCheckpoint, WithAnImpossiblePositionIsRefused) {
  begin(grow + " --epochs 2 --no-ticket --no-diagnostics");
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"events", "-1", "-1 edits"},
      {"events", "0", "0 edits are finished instead of 1 at epoch 2"},
      {"events", "many", "events is 'many'"},
      {"period", "4294967298", "period is '4294967298'"},
      {"phase", "ticket", "no phase 'ticket'"},
      {"phase", "other", "no phase 'other'"},
      {"step", "31", "step 31"}};
  for (const auto& [key, value, why] : cases) {
    auto changed = original_;
    changed.metadata[key] = value;
    changed.write(run_ / "checkpoint.safetensors");
    const auto ended = cambium_program("inspect " + run_.string());  // reads it in the same way, and faster
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.errors, AllOf(HasSubstr((run_ / "checkpoint.safetensors").string()), HasSubstr(why)));
  }
}

TEST_F(ChangedCheckpoint, OfPruneWithoutItsSnapshotIsRefused) {
  begin(prune + " --epochs 2 --no-ticket --no-diagnostics --rewind-to snapshot");
  expect_refused(
      [](TensorFile& file) {
        std::erase_if(file.tensors, [](const auto& entry) { return entry.first.starts_with("rewind."); });
      },
      "rewind.fc1.weight");
}

TEST_F(ChangedCheckpoint, OfATicketIsRefusedAndATraceCannotBeginInTheTicket) {
  begin(prune + " --epochs 2 --no-diagnostics");
  // The checkpoint at the begin of the ticket.
  const auto at_the_start = [](TensorFile& file) {
    file.metadata["period"] = file.metadata["step"] = "0";
    for (const std::string name : {"test_accuracy", "cumulative", "pooled", "last", "best"})
      file.tensors["run." + name] = Tensor::of<double>({0, 2}, std::vector<double>{});
    file.tensors["run.online"] = Tensor::of<double>({0, 2, 5}, std::vector<double>{});
  };
  expect_refused(without("run.cycles.test_accuracy"), "run.cycles.test_accuracy");
  expect_refused(at_the_start, "--trace", " --trace " + at("trace").string());
  EXPECT_FALSE(std::filesystem::exists(at("trace")));
}

}  // namespace
