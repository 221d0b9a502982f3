#include "lab/config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text_file.hpp"
#include "lab/config/key.hpp"
#include "lab/config/study_presets.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ConfigText with(ConfigText base, const ConfigText& more) {
  for (const auto& [key, value] : more) base[key] = value;
  return base;
}
ConfigText mnist(const ConfigText& more = {}) { return with({{"data", "mnist"}}, more); }
ConfigText cifar(const ConfigText& more = {}) { return with({{"data", "cifar-100"}}, more); }
ConfigText grow(const ConfigText& more = {}) { return mnist(with({{"method", "grow"}}, more)); }
ConfigText prune(const ConfigText& more = {}) { return mnist(with({{"method", "prune"}}, more)); }
std::string refused(const ConfigText& given) {
  return refusal([&] { make_config(given); });
}

TEST(Config, MnistHasItsDefaults) {
  const auto config = make_config(mnist());
  EXPECT_EQ(config.network, "mlp");
  EXPECT_THAT(config.hidden, ElementsAre(256, 256));
  EXPECT_EQ(config.method, Method::dense);
  EXPECT_EQ(config.masks, "all");
  EXPECT_EQ(config.activation.kind, Activation::Kind::relu);
  EXPECT_EQ(config.init, Initialisation::kaiming_relu);
  EXPECT_EQ(config.optimizer.kind, OptimizerSettings::Kind::sgd);
  EXPECT_EQ(config.optimizer.momentum, 0);
  EXPECT_EQ(config.optimizer.weight_decay, 0);
  EXPECT_EQ(config.schedule.rate, 0.01);
  EXPECT_EQ(config.schedule.kind, Schedule::Kind::cosine);
  EXPECT_EQ(config.schedule.t_max, 200);
  EXPECT_EQ(config.schedule.restart_every, 0);
  EXPECT_EQ(config.periods(), 100);
  EXPECT_EQ(config.cycles, 5);
  EXPECT_EQ(config.curriculum.batch, 256u);
  EXPECT_FALSE(config.standardised);
  EXPECT_FALSE(config.augment);
  EXPECT_THAT(config.seeds, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST(Config, CifarHasItsDefaults) {
  for (const std::string data : {"cifar-10", "cifar-100"}) {
    const auto config = make_config({{"data", data}});
    EXPECT_EQ(config.network, "convnet");
    EXPECT_THAT(config.hidden, ElementsAre(512, 512, 256));
    EXPECT_EQ(config.optimizer.kind, OptimizerSettings::Kind::sgd);
    EXPECT_EQ(config.schedule.rate, 0.1);
    EXPECT_EQ(config.schedule.t_max, 200);
    EXPECT_EQ(config.periods(), 200);
    EXPECT_EQ(config.cycles, 5);
    EXPECT_EQ(config.curriculum.batch, 128u);
    EXPECT_TRUE(config.standardised);
    EXPECT_TRUE(config.augment);
  }
}

TEST(Config, FashionMnistIsLikeMnist) {
  auto fashion = to_json(make_config({{"data", "fashion-mnist"}}));
  fashion["stream"] = "mnist";
  EXPECT_EQ(fashion, to_json(make_config(mnist())));
}

TEST(Config, AdamHasItsDefaults) {
  for (const auto& base : {mnist(), cifar()}) {
    const auto config = make_config(with(base, {{"optimizer", "adam"}}));
    EXPECT_EQ(config.optimizer.kind, OptimizerSettings::Kind::adam);
    EXPECT_EQ(config.schedule.rate, 0.001);
    EXPECT_EQ(config.optimizer.beta1, 0.9f);
    EXPECT_EQ(config.optimizer.beta2, 0.999f);
    EXPECT_EQ(config.optimizer.epsilon, 1e-8f);
  }
}

TEST(Config, RandomSlopesHaveTheDefaultsOfTheData) {
  const auto small = make_config(mnist({{"activation", "rsl"}})).activation;
  EXPECT_THAT((std::vector{small.c, small.p, small.lower, small.upper}), ElementsAre(0.8f, 1.0f, 0.3f, 0.6f));
  const auto large = make_config(cifar({{"activation", "rsl"}})).activation;
  EXPECT_THAT((std::vector{large.c, large.p, large.lower, large.upper}), ElementsAre(3.0f, 5.0f, 0.125f, 0.333f));
}

TEST(Config, GrowAndPruneHaveTheirDefaults) {
  for (const auto& base : {grow(), prune()}) {
    const auto config = make_config(base);
    EXPECT_EQ(config.compactness, 0.2);
    EXPECT_EQ(config.bias_schedule, "neutral");
    EXPECT_EQ(config.cycles, 5);
    EXPECT_EQ(config.schedule.restart_every, 20);
    EXPECT_FALSE(config.edit_before_first_cycle);
    EXPECT_TRUE(config.ticket);
    EXPECT_FALSE(config.fresh_ticket);
    EXPECT_TRUE(config.diagnostics);
    EXPECT_EQ(config.diagnostics_tau, 0.05f);
    EXPECT_EQ(config.events().count(), 4);
  }
  const auto settings = make_config(grow()).grow;
  EXPECT_EQ(settings.seed_fraction, 0.1);
  EXPECT_EQ(settings.rule, "activation");
  EXPECT_EQ(settings.tau, 0.05f);
  EXPECT_TRUE(settings.interventions.empty());
  const auto rewind = make_config(prune()).rewind;
  EXPECT_EQ(rewind.to, RewindSettings::To::init);
  EXPECT_EQ(rewind.scope, RewindSettings::Scope::all);
  EXPECT_TRUE(rewind.optimizer);
  EXPECT_TRUE(rewind.when_nothing);
}

TEST(Config, InterventionsHaveTheirDefaults) {
  const auto settings =
      make_config(grow({{"intervention", "two_speed,moment_transplant,net2wider"}, {"optimizer", "adam"}})).grow;
  EXPECT_EQ(settings.intervention.two_speed_factor, 5.0f);
  EXPECT_EQ(settings.intervention.two_speed_steps, 1955u);
  EXPECT_EQ(settings.intervention.net2wider_epsilon, 1e-3f);
}

TEST(Config, TheOrderOfInterventionsDoesNotMatter) {
  const auto one = make_config(grow({{"intervention", "two_speed,net2wider"}}));
  const auto other = make_config(grow({{"intervention", "net2wider,two_speed"}}));
  EXPECT_EQ(run_id(one), run_id(other));
}

TEST(Config, PlannedUnitsAreThoseOfTheStudy) {
  const auto planned = [](const ConfigText& given) {
    const auto config = make_config(given);
    std::vector<std::int32_t> units;
    for (std::int32_t edits = 0; edits <= config.events().count(); ++edits)
      units.push_back(planned_units(config, architecture_of(config), edits)[0]);
    return units;
  };
  EXPECT_THAT(planned(grow()), ElementsAre(26, 33, 39, 45, 51));
  EXPECT_THAT(planned(prune()), ElementsAre(256, 204, 153, 102, 51));
  EXPECT_THAT(planned(cifar({{"method", "grow"}, {"first_edit", "before_first_cycle"}})),
              ElementsAre(51, 62, 72, 82, 92, 102));
}

TEST(Config, TheVariantNamesRuleInterventionsAndActivation) {
  EXPECT_EQ(make_config(grow()).variant(), "grow");
  EXPECT_EQ(make_config(prune({{"activation", "rsl"}})).variant(), "prune+rsl");
  EXPECT_EQ(make_config(grow({{"grow_score", "gradmax"}, {"intervention", "two_speed"}})).variant(),
            "grow+gradmax+two_speed");
}

TEST(Config, CyclesEndWhereTheEpochsAreDivided) {
  const auto config = make_config(mnist({{"epochs", "7"}, {"cycles", "3"}}));
  EXPECT_THAT((std::vector{config.cycle_end(1), config.cycle_end(2), config.cycle_end(3)}), ElementsAre(2, 4, 7));
}

TEST(Config, EpochsFollowFromEpochsPerCycle) {
  EXPECT_EQ(make_config(mnist({{"epochs_per_cycle", "20"}})).periods(), 100);
  EXPECT_EQ(make_config(mnist({{"epochs_per_cycle", "20"}, {"cycles", "10"}})).periods(), 200);
  EXPECT_THAT(refused(mnist({{"epochs_per_cycle", "20"}, {"epochs", "100"}})),
              AllOf(HasSubstr("epochs"), HasSubstr("epochs_per_cycle")));
}

TEST(Config, FewEpochsHaveOneCycleEach) { EXPECT_EQ(make_config(mnist({{"epochs", "3"}})).cycles, 3); }

TEST(Config, RestartingTheRateNeedsEqualCycles) {
  EXPECT_EQ(make_config(mnist({{"lr_mode", "restart"}})).schedule.restart_every, 20);
  EXPECT_THAT(refused(mnist({{"lr_mode", "restart"}, {"epochs", "7"}, {"cycles", "3"}})), HasSubstr("lr_mode"));
}

TEST(Config, AStreamMustBeGiven) { EXPECT_THAT(refused({}), AllOf(HasSubstr("--stream"), HasSubstr("split-mnist"))); }

TEST(Config, DataIsTheStreamOfAWholeDataSet) {
  EXPECT_EQ(to_json(make_config({{"stream", "mnist"}})), to_json(make_config(mnist())));
  EXPECT_THAT(refused({{"data", "split-mnist"}}), HasSubstr("data"));
  EXPECT_THAT(refused({{"data", "mnist"}, {"stream", "mnist"}}), HasSubstr("both given"));
}

// The study's lengths, batch sizes and optimizers.
TEST(Config, StreamsHaveTheStudysDefaults) {
  struct Expected {
    const char* stream;
    std::int32_t tasks, cycles;
    std::uint32_t batch;
    std::uint64_t steps;
    bool adam, constant, replay;
  };
  const Expected expected[] = {
      {"split-fashion", 5, 5, 256, 20 * 47 + 80 * 94, false, false, true},
      {"split-cifar100", 10, 10, 128, 200 * 40, true, true, false},
      {"permuted-mnist", 500, 500, 16, 500 * 625, true, true, false},
      {"random-label-mnist", 50, 50, 16, 50 * 30'000, true, true, false},
      {"random-label-cifar", 50, 50, 16, 50 * 30'000, true, true, false},
      {"5+1-cifar", 30, 30, 32, 30 * 780, true, true, false},
      {"continual-imagenet", 500, 500, 100, 500 * 120, true, true, false},
  };
  for (const auto& row : expected) {
    const auto config = make_config({{"stream", row.stream}});
    EXPECT_EQ(config.curriculum.tasks, row.tasks) << row.stream;
    EXPECT_EQ(config.cycles, row.cycles) << row.stream;
    EXPECT_EQ(config.curriculum.batch, row.batch) << row.stream;
    EXPECT_EQ(config.curriculum.step_numbers(), row.steps) << row.stream;
    EXPECT_EQ(config.optimizer.kind == OptimizerSettings::Kind::adam, row.adam) << row.stream;
    EXPECT_EQ(config.schedule.kind == Schedule::Kind::constant, row.constant) << row.stream;
    EXPECT_EQ(config.curriculum.replay, row.replay) << row.stream;
    EXPECT_FALSE(config.augment) << row.stream;
  }
}

TEST(Config, RandomSlopesAndTheirRateAreThoseOfTheStudy) {
  const auto config = make_config({{"stream", "split-cifar100"}, {"activation", "rsl"}});
  EXPECT_FLOAT_EQ(config.activation.c, 0.5f);
  EXPECT_FLOAT_EQ(config.activation.upper, 2.673f);
  EXPECT_EQ(config.schedule.rate, 0.0001);
  EXPECT_EQ(make_config({{"stream", "split-cifar100"}}).schedule.rate, 0.001);
}

TEST(Config, CyclesOfAStreamEndWithTasks) {
  const auto config = make_config({{"stream", "split-cifar100"}, {"method", "grow"}, {"cycles", "4"}});
  std::vector<std::int32_t> ends;
  for (std::int32_t t = 0; t <= 4; ++t) ends.push_back(config.cycle_end(t));
  EXPECT_THAT(ends, ElementsAre(0, 2 * 20, 5 * 20, 7 * 20, 10 * 20));
}

TEST(Config, ShiftingStreamsHaveNoTicketUnlessAskedFor) {
  const ConfigText keys{{"stream", "permuted-mnist"}, {"method", "grow"}};
  EXPECT_FALSE(make_config(keys).ticket);
  EXPECT_FALSE(make_config(keys).diagnostics);
  EXPECT_TRUE(make_config(with(keys, {{"ticket", "yes"}})).ticket);
}

TEST(Config, AnUnknownKeyNamesTheNearest) {
  const std::pair<const char*, const char*> cases[] = {
      {"epoch", "epochs"}, {"optimiser", "optimizer"}, {"seed", "seeds"},      {"learning_rate_mode", "lr"},
      {"tmax", "t_max"},   {"Momentum", "momentum"},   {"batch-size", "batch"}};
  for (const auto& [key, near] : cases)
    EXPECT_THAT(refused(mnist({{key, "1"}})), AllOf(HasSubstr(key), HasSubstr(near))) << key;
}

TEST(Config, AWrongChoiceNamesTheKeyAndTheNearest) {
  EXPECT_THAT(refused({{"data", "mnits"}}), AllOf(HasSubstr("data = mnits"), HasSubstr("mean mnist")));
  EXPECT_THAT(refused(mnist({{"optimizer", "adm"}})), AllOf(HasSubstr("optimizer = adm"), HasSubstr("mean adam")));
  EXPECT_THAT(refused(mnist({{"network", "transformer"}})), AllOf(HasSubstr("network"), HasSubstr("mlp, convnet")));
}

TEST(Config, WrongValuesNameTheKey) {
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {"lr", {"abc", "", "-1", "nan", "inf", "0.1x", "0,1", " 0.1", "1e31"}},
      {"momentum", {"-0.1", "1.5", "nan"}},
      {"weight_decay", {"-1", "much"}},
      {"epochs", {"0", "-3", "2.5", "1e3", "99999999999", ""}},
      {"cycles", {"0", "101", "x"}},
      {"t_max", {"0", "-200"}},
      {"batch", {"0", "-1", "65537", "many"}},
      {"hidden", {"", "0", "16,", ",16", "16,,16", "a", "16,16,16", "-5", "65537", "1.5"}},
      {"augment", {"maybe", "1", "YES"}},
      {"pixels", {"raw"}},
      {"init", {"zeros"}},
      {"method", {"grown"}},
      {"activation", {"tanh"}},
      {"lr_schedule", {"linear"}},
      {"lr_mode", {"local"}},
      {"seeds", {"", "x"}}};
  for (const auto& [key, values] : cases)
    for (const char* value : values)
      EXPECT_THAT(refused(mnist({{key, value}})), HasSubstr(std::string(key) + " = ")) << key << " = " << value;
}

TEST(Config, WrongValuesOfDependentKeysNameTheKey) {
  for (const char* value : {"0", "-0.2", "1.01", "nan", "half"})
    EXPECT_THAT(refused(cifar({{"masks", "random"}, {"compactness", value}})), HasSubstr("compactness = ")) << value;
  EXPECT_THAT(refused(cifar({{"masks", "random"}, {"bias_schedule", "fc1_protects"}})), HasSubstr("mean fc1_protect"));
  EXPECT_THAT(refused(mnist({{"masks", "random"}, {"bias_schedule", "fc1_protect"}})), HasSubstr("bias_schedule"));
  EXPECT_THAT(refused(mnist({{"activation", "rsl"}, {"rsl_p", "0"}})), HasSubstr("rsl_p = 0"));
  EXPECT_THAT(refused(mnist({{"activation", "rsl"}, {"rsl_lower", "0.7"}})),
              AllOf(HasSubstr("rsl_lower"), HasSubstr("rsl_upper")));
}

TEST(Config, WrongValuesOfGrowAndPruneNameTheKey) {
  const std::pair<const char*, std::vector<const char*>> of_grow[] = {
      {"compactness", {"0", "1.5", "nan", "-1", ""}},
      {"seed_fraction", {"0", "1.1", "nan", "ten"}},
      {"tau", {"nan", "inf", "x"}},
      {"intervention", {"two_sped", "", "two_speed,", "none,two_speed", "two_speed,two_speed"}},
      {"first_edit", {"before", "yes"}},
      {"ticket", {"1", "perhaps"}},
      {"wt_init", {"old"}},
      {"diagnostics", {"some"}},
      {"tau_diagnostics", {"nan"}}};
  for (const auto& [key, values] : of_grow)
    for (const char* value : values)
      EXPECT_THAT(refused(grow({{key, value}})), HasSubstr(std::string(key) + " = ")) << key << " = " << value;
  for (const char* value : {"0", "-1", "nan", "2000"})
    EXPECT_THAT(refused(grow({{"intervention", "two_speed"}, {"two_speed_r", value}})), HasSubstr("two_speed_r = "));
  for (const char* value : {"0", "1.5", "-3"})
    EXPECT_THAT(refused(grow({{"intervention", "two_speed"}, {"two_speed_steps", value}})),
                HasSubstr("two_speed_steps = "));
  for (const char* value : {"-1", "nan"})
    EXPECT_THAT(refused(grow({{"intervention", "net2wider"}, {"net2wider_eps", value}})),
                HasSubstr("net2wider_eps = "));
  const std::pair<const char*, std::vector<const char*>> of_prune[] = {{"rewind_to", {"start", "snapshots"}},
                                                                       {"rewind_scope", {"trunk"}},
                                                                       {"rewind_opt", {"2"}},
                                                                       {"rewind_when_k0", {"x"}}};
  for (const auto& [key, values] : of_prune)
    for (const char* value : values)
      EXPECT_THAT(refused(prune({{key, value}})), HasSubstr(std::string(key) + " = ")) << key << " = " << value;
  for (const char* value : {"0", "-1", "1.5"})
    EXPECT_THAT(refused(prune({{"rewind_to", "snapshot"}, {"rewind_epoch", value}})), HasSubstr("rewind_epoch = "));
}

TEST(Config, AWrongRuleOrInterventionNamesTheNearest) {
  EXPECT_THAT(refused(grow({{"grow_score", "gradmx"}})), HasSubstr("mean gradmax"));
  EXPECT_THAT(refused(grow({{"intervention", "two_sped"}})), AllOf(HasSubstr("two_sped"), HasSubstr("mean two_speed")));
  EXPECT_THAT(refused(grow({{"intervention", "magic"}})), HasSubstr("net2wider, moment_transplant, two_speed"));
}

TEST(Config, MomentTransplantNeedsAnOptimizerWithMoments) {
  const ConfigText transplant = grow({{"intervention", "moment_transplant"}});
  EXPECT_THAT(refused(transplant), AllOf(HasSubstr("moment_transplant"), HasSubstr("adam"), HasSubstr("momentum")));
  EXPECT_NO_THROW(make_config(with(transplant, {{"momentum", "0.9"}})));
  EXPECT_NO_THROW(make_config(with(transplant, {{"optimizer", "adam"}})));
}

TEST(Config, EditsNeedTwoCyclesOrMore) {
  for (const auto& base : {grow(), prune()}) {
    EXPECT_THAT(refused(with(base, {{"cycles", "1"}})), AllOf(HasSubstr("cycle"), HasSubstr("before_first_cycle")));
    EXPECT_NO_THROW(make_config(with(base, {{"cycles", "1"}, {"first_edit", "before_first_cycle"}})));
    EXPECT_THAT(refused(with(base, {{"epochs", "7"}, {"cycles", "3"}})), HasSubstr("lr_mode = restart"));
    EXPECT_NO_THROW(make_config(with(base, {{"epochs", "7"}, {"cycles", "3"}, {"lr_mode", "global"}})));
  }
}

TEST(Config, ASnapshotAfterTheFirstEditIsRefused) {
  const ConfigText base = prune({{"rewind_to", "snapshot"}, {"epochs", "10"}});
  EXPECT_NO_THROW(make_config(with(base, {{"rewind_epoch", "2"}})));
  EXPECT_THAT(refused(with(base, {{"rewind_epoch", "3"}})),
              AllOf(HasSubstr("rewind_epoch = 3"), HasSubstr("2 epochs")));
  EXPECT_THAT(refused(with(base, {{"first_edit", "before_first_cycle"}})), HasSubstr("rewind_epoch = 1"));
}

TEST(Config, KeysOfAnotherMethodAreRefused) {
  const char* of_grow[] = {"seed_fraction", "grow_score", "tau", "intervention"};
  const char* of_prune[] = {"rewind_to", "rewind_epoch", "rewind_scope", "rewind_opt", "rewind_when_k0"};
  const char* of_both[] = {"first_edit", "ticket", "wt_init", "diagnostics", "tau_diagnostics"};
  const auto expect_refused = [](const ConfigText& base, const char* key) {
    EXPECT_THAT(refused(with(base, {{key, "x"}})), AllOf(HasSubstr(std::string(key) + " = x"), HasSubstr("no effect")));
  };
  for (const char* key : of_grow) expect_refused(prune(), key), expect_refused(mnist(), key);
  for (const char* key : of_prune) expect_refused(grow(), key), expect_refused(mnist(), key);
  for (const char* key : of_both) expect_refused(mnist(), key);
  for (const auto& base : {grow(), prune()}) expect_refused(base, "masks");
}

TEST(Config, KeysWithoutEffectOnEditsAreRefused) {
  const std::pair<const char*, ConfigText> cases[] = {
      {"tau", grow({{"grow_score", "random"}, {"tau", "0.1"}})},
      {"two_speed_r", grow({{"two_speed_r", "2"}})},
      {"two_speed_steps", grow({{"intervention", "net2wider"}, {"two_speed_steps", "2"}})},
      {"net2wider_eps", grow({{"intervention", "two_speed"}, {"net2wider_eps", "0"}})},
      {"rewind_epoch", prune({{"rewind_epoch", "1"}})},
      {"rewind_epoch", prune({{"rewind_to", "none"}, {"rewind_epoch", "1"}})},
      {"rewind_scope", prune({{"rewind_to", "none"}, {"rewind_scope", "all"}})},
      {"rewind_opt", prune({{"rewind_to", "none"}, {"rewind_opt", "no"}})},
      {"rewind_when_k0", prune({{"rewind_to", "none"}, {"rewind_when_k0", "no"}})},
      {"wt_init", grow({{"ticket", "no"}, {"wt_init", "fresh"}})},
      {"tau_diagnostics", prune({{"diagnostics", "no"}, {"tau_diagnostics", "0.1"}})}};
  for (const auto& [key, given] : cases)
    EXPECT_THAT(refused(given), AllOf(HasSubstr(std::string(key) + " = "), HasSubstr("no effect"))) << key;
}

TEST(Config, KeysWithoutEffectAreRefused) {
  const std::pair<const char*, ConfigText> cases[] = {
      {"momentum", {{"optimizer", "adam"}, {"momentum", "0.9"}}},
      {"t_max", {{"lr_schedule", "constant"}, {"t_max", "100"}}},
      {"lr_mode", {{"lr_schedule", "constant"}, {"lr_mode", "global"}}},
      {"rsl_c", {{"rsl_c", "1"}}},
      {"rsl_p", {{"activation", "relu"}, {"rsl_p", "1"}}},
      {"leaky_alpha", {{"activation", "rsl"}, {"leaky_alpha", "0.2"}}},
      {"rsl_lower", {{"activation", "smooth_leaky"}, {"rsl_lower", "0.2"}}},
      {"rsl_upper", {{"activation", "smooth_leaky"}, {"rsl_upper", "0.2"}}},
      {"compactness", {{"masks", "all"}, {"compactness", "0.2"}}},
      {"compactness", {{"masks", "some.safetensors"}, {"compactness", "0.2"}}},
      {"bias_schedule", {{"bias_schedule", "neutral"}}}};
  for (const auto& [key, given] : cases)
    EXPECT_THAT(refused(mnist(given)), AllOf(HasSubstr(std::string(key) + " = "), HasSubstr("no effect"))) << key;
}

// For each key, a configuration in which it has an effect.
const std::map<std::string, ConfigText> accepted{
    {"data", mnist()},
    {"network", mnist({{"network", "convnet"}})},
    {"hidden", mnist({{"hidden", "16,32"}})},
    {"method", mnist({{"method", "dense"}})},
    {"masks", mnist({{"masks", "a folder/\"some\" \\ file.safetensors"}})},
    {"compactness", mnist({{"masks", "random"}, {"compactness", "0.35"}})},
    {"bias_schedule", cifar({{"masks", "random"}, {"bias_schedule", "ends_skewed"}})},
    {"seed_fraction", grow({{"seed_fraction", "0.123456789012"}})},
    {"grow_score", grow({{"grow_score", "gradmax"}})},
    {"tau", grow({{"tau", "-0.1"}})},
    {"intervention", grow({{"intervention", "two_speed,net2wider"}})},
    {"two_speed_r", grow({{"intervention", "two_speed"}, {"two_speed_r", "2.7"}})},
    {"two_speed_steps", grow({{"intervention", "two_speed"}, {"two_speed_steps", "1000000000"}})},
    {"net2wider_eps", grow({{"intervention", "net2wider"}, {"net2wider_eps", "0"}})},
    {"rewind_to", prune({{"rewind_to", "none"}})},
    {"rewind_epoch", prune({{"rewind_to", "snapshot"}, {"rewind_epoch", "20"}})},
    {"rewind_scope", prune({{"rewind_scope", "masked"}})},
    {"rewind_opt", prune({{"rewind_opt", "no"}})},
    {"rewind_when_k0", prune({{"rewind_when_k0", "no"}})},
    {"first_edit", prune({{"first_edit", "before_first_cycle"}})},
    {"ticket", grow({{"ticket", "no"}})},
    {"wt_init", prune({{"wt_init", "fresh"}})},
    {"diagnostics", grow({{"diagnostics", "no"}})},
    {"tau_diagnostics", prune({{"tau_diagnostics", "0.1"}})},
    {"activation", mnist({{"activation", "rsl"}})},
    {"rsl_c", mnist({{"activation", "rsl"}, {"rsl_c", "2.7182818"}})},
    {"rsl_p", mnist({{"activation", "smooth_leaky"}, {"rsl_p", "1e-6"}})},
    {"rsl_lower", cifar({{"activation", "rsl"}, {"rsl_lower", "-0.1"}})},
    {"rsl_upper", cifar({{"activation", "rsl"}, {"rsl_upper", "2.673"}})},
    {"leaky_alpha", mnist({{"activation", "smooth_leaky"}, {"leaky_alpha", "0.2"}})},
    {"init", mnist({{"init", "kaiming_stock"}})},
    {"optimizer", mnist({{"optimizer", "adam"}})},
    {"lr", mnist({{"lr", "1e-05"}})},
    {"momentum", mnist({{"momentum", "0.9"}})},
    {"weight_decay", mnist({{"weight_decay", "0.0005"}})},
    {"lr_schedule", mnist({{"lr_schedule", "constant"}})},
    {"t_max", mnist({{"t_max", "100"}})},
    {"lr_mode", mnist({{"lr_mode", "restart"}, {"epochs", "30"}, {"cycles", "3"}})},
    {"stream", {{"stream", "5+1-cifar"}}},
    {"tasks", {{"stream", "permuted-mnist"}, {"tasks", "7"}}},
    {"epochs_per_task", {{"stream", "random-label-cifar"}, {"epochs_per_task", "7"}}},
    {"steps_per_task", {{"stream", "5+1-cifar"}, {"steps_per_task", "7"}}},
    {"task_images", {{"stream", "random-label-mnist"}, {"task_images", "7"}}},
    {"permute_first", {{"stream", "permuted-mnist"}, {"permute_first", "no"}}},
    {"evaluation_images", {{"stream", "continual-imagenet"}, {"evaluation_images", "7"}}},
    {"replay", {{"stream", "split-cifar100"}, {"replay", "tiny_er"}}},
    {"replay_per_class", {{"stream", "split-mnist"}, {"replay_per_class", "7"}}},
    {"replay_total", {{"stream", "split-mnist"}, {"replay_total", "7"}}},
    {"epochs", mnist({{"epochs", "7"}})},
    {"cycles", mnist({{"cycles", "20"}})},
    {"epochs_per_cycle", mnist({{"epochs_per_cycle", "3"}})},
    {"batch", mnist({{"batch", "65536"}})},
    {"pixels", mnist({{"pixels", "standardised"}})},
    {"augment", cifar({{"augment", "no"}})},
    {"seeds", mnist({{"seeds", "1,4..6,4294967295"}})}};

TEST(Config, EveryKeyHasAnExample) {
  for (const auto& key : config_keys()) {
    ASSERT_TRUE(accepted.contains(key.name)) << key.name << " has no example in this test";
    EXPECT_TRUE(accepted.at(key.name).contains(key.name)) << key.name;
    EXPECT_NO_THROW(make_config(accepted.at(key.name))) << key.name;
  }
}

TEST(Keys, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const auto& key : config_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
  }
  EXPECT_EQ(find_key("epoch"), nullptr);
}

TEST(Keys, HaveEverythingThatHelpAndTablesShow) {
  for (const auto& key : config_keys())
    for (const auto& text : {key.label, key.help, key.placeholder, key.values, key.default_value.words})
      EXPECT_FALSE(text.empty()) << key.name;
}

TEST(Keys, AKeyWithoutEffectSaysWhenItApplies) {
  EXPECT_THAT(refused(mnist({{"optimizer", "adam"}, {"momentum", "0.9"}})),
              HasSubstr("momentum applies only with optimizer = sgd"));
  EXPECT_THAT(refused({{"stream", "split-mnist"}, {"epochs", "5"}}),
              HasSubstr("epochs applies only to whole data sets"));
}

TEST(Keys, DefaultsAreAcceptedAsValues) {
  for (const auto& [name, given] : accepted) {
    const auto config = make_config(given);
    for (const auto& key : config_keys()) {
      if (!key.get || !key.applies(config) || key.name == "stream") continue;
      RunConfig copy = config;
      EXPECT_NO_THROW(key.set(copy, key.default_value.text(config))) << key.name << " with " << name;
    }
  }
}

TEST(Keys, TheDocumentationIsUpToDate) {
  const auto file = std::filesystem::path(EXPERIMENTS_FOLDER).parent_path() / "docs" / "configuration.md";
  EXPECT_TRUE(read_text_file(file) == keys_as_markdown())
      << file << " differs from the keys. Update it: cambium keys > docs/configuration.md";
}

TEST(Presets, EveryStreamHasOne) {
  for (const auto& entry : streams()) EXPECT_EQ(study_preset(entry.name).stream, entry.name);
}

TEST(Presets, AStreamWithoutOneIsAMistakeOfTheProgram) { EXPECT_THROW(study_preset("mnits"), std::logic_error); }

class ConfigFile : public testing::Test {
 protected:
  ConfigText read(const std::string& text) {
    write_file(file_, Bytes(text.begin(), text.end()));
    return read_config(file_);
  }
  std::string refused(const std::string& text) {
    return refusal([&] { read(text); });
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "run.toml";
};

void expect_same(const RunConfig& a, const RunConfig& b) {
  EXPECT_EQ(to_json(a), to_json(b));
  EXPECT_EQ(a.seeds, b.seeds);
  EXPECT_EQ(a.schedule.rate, b.schedule.rate);
  EXPECT_EQ(a.schedule.restart_every, b.schedule.restart_every);
  EXPECT_EQ(a.compactness, b.compactness);
  EXPECT_EQ(a.activation.c, b.activation.c);
  EXPECT_EQ(a.activation.upper, b.activation.upper);
  EXPECT_EQ(a.optimizer.momentum, b.optimizer.momentum);
  EXPECT_EQ(a.optimizer.weight_decay, b.optimizer.weight_decay);
  EXPECT_EQ(a.grow.seed_fraction, b.grow.seed_fraction);
  EXPECT_EQ(a.grow.rule, b.grow.rule);
  EXPECT_EQ(a.grow.tau, b.grow.tau);
  EXPECT_EQ(a.grow.interventions, b.grow.interventions);
  EXPECT_EQ(a.grow.intervention.two_speed_factor, b.grow.intervention.two_speed_factor);
  EXPECT_EQ(a.grow.intervention.two_speed_steps, b.grow.intervention.two_speed_steps);
  EXPECT_EQ(a.grow.intervention.net2wider_epsilon, b.grow.intervention.net2wider_epsilon);
  EXPECT_EQ(a.rewind.to, b.rewind.to);
  EXPECT_EQ(a.rewind.epoch, b.rewind.epoch);
  EXPECT_EQ(a.rewind.scope, b.rewind.scope);
  EXPECT_EQ(a.rewind.optimizer, b.rewind.optimizer);
  EXPECT_EQ(a.rewind.when_nothing, b.rewind.when_nothing);
  EXPECT_EQ(a.edit_before_first_cycle, b.edit_before_first_cycle);
  EXPECT_EQ(a.ticket, b.ticket);
  EXPECT_EQ(a.fresh_ticket, b.fresh_ticket);
  EXPECT_EQ(a.diagnostics, b.diagnostics);
  EXPECT_EQ(a.diagnostics_tau, b.diagnostics_tau);
}

TEST_F(ConfigFile, AWrittenConfigurationReadsBackAsItself) {
  for (const auto& [key, given] : accepted) {
    SCOPED_TRACE(key);
    const auto config = make_config(given);
    expect_same(make_config(read(to_toml(config))), config);
  }
}

TEST_F(ConfigFile, EveryCombinationOfGrowReadsBackAsItself) {
  for (const char* rule : {"activation", "gradient", "gradmax", "random", "magnitude"})
    for (const char* names : {"none", "two_speed", "net2wider,two_speed", "moment_transplant,net2wider,two_speed"})
      for (const char* first : {"after_first_cycle", "before_first_cycle"})
        for (const char* yes : {"yes", "no"}) {
          const auto config = make_config(grow({{"grow_score", rule},
                                                {"intervention", names},
                                                {"first_edit", first},
                                                {"ticket", yes},
                                                {"diagnostics", yes},
                                                {"compactness", "0.3"},
                                                {"momentum", "0.9"}}));
          SCOPED_TRACE(to_toml(config));
          expect_same(make_config(read(to_toml(config))), config);
        }
}

TEST_F(ConfigFile, EveryCombinationOfPruneReadsBackAsItself) {
  for (const char* to : {"init", "snapshot"})
    for (const char* scope : {"all", "head", "masked"})
      for (const char* yes : {"yes", "no"})
        for (const char* other : {"yes", "no"}) {
          const auto config = make_config(cifar({{"method", "prune"},
                                                 {"rewind_to", to},
                                                 {"rewind_scope", scope},
                                                 {"rewind_opt", yes},
                                                 {"rewind_when_k0", other},
                                                 {"wt_init", "fresh"},
                                                 {"bias_schedule", "fc3_protect"}}));
          SCOPED_TRACE(to_toml(config));
          expect_same(make_config(read(to_toml(config))), config);
        }
}

TEST_F(ConfigFile, AThousandSeedsReadBack) {
  const auto config = make_config(mnist({{"seeds", "1..999,1000"}}));
  expect_same(make_config(read(to_toml(config))), config);
}

TEST_F(ConfigFile, AWrittenConfigurationHasOneLinePerKeyInTheOrderOfTheKeys) {
  for (const auto& given :
       {mnist({{"masks", "random"}, {"activation", "rsl"}}), grow({{"intervention", "net2wider,two_speed"}}),
        prune({{"rewind_to", "snapshot"}}), ConfigText{{"stream", "split-mnist"}}, ConfigText{{"stream", "5+1-cifar"}},
        ConfigText{{"stream", "permuted-mnist"}, {"optimizer", "sgd"}}}) {
    const auto text = to_toml(make_config(given));
    std::size_t last = 0, lines = 0;
    for (const auto& key : config_keys()) {
      const auto at = ("\n" + text).find("\n" + key.name + " = ");
      if (at == std::string::npos) continue;
      EXPECT_GE(at, last) << key.name;
      last = at;
      ++lines;
    }
    EXPECT_EQ(lines, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  }
}

TEST_F(ConfigFile, AFileAndFlagsGiveTheSameConfiguration) {
  const auto from_file = make_config(read(R"(
    data = "cifar-100"   # a comment
    hidden = [64, 32, 16]
    masks = "random"
    compactness = 0.5
    lr = 1
    weight_decay = 5e-4
    epochs = 20
    augment = false
    seeds = [3, 1, 2]
  )"));
  const auto from_flags = make_config({{"data", "cifar-100"},
                                       {"hidden", "64,32,16"},
                                       {"masks", "random"},
                                       {"compactness", "0.5"},
                                       {"lr", "1"},
                                       {"weight_decay", "0.0005"},
                                       {"epochs", "20"},
                                       {"augment", "no"},
                                       {"seeds", "3,1,2"}});
  expect_same(from_file, from_flags);
}

TEST_F(ConfigFile, SeedsMayBeTextANumberOrAnArray) {
  EXPECT_EQ(read("seeds = \"1..3\"").at("seeds"), "1..3");
  EXPECT_EQ(read("seeds = 5").at("seeds"), "5");
  EXPECT_EQ(read("seeds = [1, \"4..6\"]").at("seeds"), "1,4..6");
}

TEST_F(ConfigFile, AnUnknownKeyNamesItsLineAndTheNearest) {
  EXPECT_THAT(refused("data = \"mnist\"\n\nepoch = 3\n"),
              AllOf(HasSubstr(file_.string()), HasSubstr("line 3"), HasSubstr("epoch"), HasSubstr("mean epochs")));
}

TEST_F(ConfigFile, ASyntaxErrorNamesItsLine) {
  EXPECT_THAT(refused("data = \"mnist\"\nlr = = 3\n"), AllOf(HasSubstr(file_.string()), HasSubstr("line 2")));
  EXPECT_THAT(refused("data = \"mnist\nlr = 3\n"), HasSubstr("line 1"));
  EXPECT_THAT(refused("lr = 1\nbatch = 2\nlr = 2\n"), HasSubstr("line 3"));
}

TEST_F(ConfigFile, TablesAndDatesAreRefusedWithTheirLine) {
  EXPECT_THAT(refused("lr = 1\n[hidden]\na = 1\n"), AllOf(HasSubstr("line 2"), HasSubstr("hidden")));
  EXPECT_THAT(refused("seeds = 2020-01-01\n"), AllOf(HasSubstr("line 1"), HasSubstr("seeds")));
  EXPECT_THAT(refused("seeds = [[1], [2]]\n"), AllOf(HasSubstr("line 1"), HasSubstr("seeds")));
}

TEST_F(ConfigFile, AMissingFileIsNamed) {
  EXPECT_THAT(refusal([&] { read_config(file_); }), HasSubstr(file_.string()));
  EXPECT_THAT(refusal([&] { read_config(folder_.path()); }), HasSubstr(folder_.path().string()));
}

TEST(Seeds, AreRangesAndLists) {
  EXPECT_THAT(parse_seeds("5"), ElementsAre(5));
  EXPECT_THAT(parse_seeds("1..3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(parse_seeds("7..7"), ElementsAre(7));
  EXPECT_THAT(parse_seeds("1,4..6"), ElementsAre(1, 4, 5, 6));
  EXPECT_THAT(parse_seeds("9,2"), ElementsAre(9, 2));
  EXPECT_THAT(parse_seeds("0"), ElementsAre(0));
  EXPECT_THAT(parse_seeds("4294967294..4294967295"), ElementsAre(4294967294u, 4294967295u));
  EXPECT_EQ(parse_seeds("1..1000").size(), 1000u);
}

TEST(Seeds, WrongTextIsRefusedAndQuoted) {
  for (const std::string text : {"", "3..1", "1,1", "1..3,2", "x", "-1", "1..", "..3", "1...3", "1..2..3", "1,", ",1",
                                 "1 2", " 1", "+1", "1.5", "4294967296", "0..4294967295", "1e3"})
    EXPECT_THAT(refusal([&] { parse_seeds(text); }), HasSubstr("seeds = " + text + ":")) << text;
}

TEST(Seeds, TooManyAreRefusedAndTheLimitIsNamed) {
  for (const std::string text : {"1..1001", "1..1000,1001", "1..600,601..1200"})
    EXPECT_THAT(refusal([&] { parse_seeds(text); }), HasSubstr("1000")) << text;
}

}  // namespace
}  // namespace cambium
