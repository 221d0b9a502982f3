#include "lab/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/made_files.hpp"

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
  EXPECT_EQ(config.epochs, 100);
  EXPECT_EQ(config.cycles, 5);
  EXPECT_EQ(config.batch, 256u);
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
    EXPECT_EQ(config.epochs, 200);
    EXPECT_EQ(config.cycles, 5);
    EXPECT_EQ(config.batch, 128u);
    EXPECT_TRUE(config.standardised);
    EXPECT_TRUE(config.augment);
  }
}

TEST(Config, FashionMnistIsLikeMnist) {
  auto fashion = to_json(make_config({{"data", "fashion-mnist"}}));
  fashion["data"] = "mnist";
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

TEST(Config, CyclesEndWhereTheEpochsAreDivided) {
  const auto config = make_config(mnist({{"epochs", "7"}, {"cycles", "3"}}));
  EXPECT_THAT((std::vector{config.cycle_end(1), config.cycle_end(2), config.cycle_end(3)}), ElementsAre(2, 4, 7));
}

TEST(Config, EpochsFollowFromEpochsPerCycle) {
  EXPECT_EQ(make_config(mnist({{"epochs_per_cycle", "20"}})).epochs, 100);
  EXPECT_EQ(make_config(mnist({{"epochs_per_cycle", "20"}, {"cycles", "10"}})).epochs, 200);
  EXPECT_THAT(refused(mnist({{"epochs_per_cycle", "20"}, {"epochs", "100"}})),
              AllOf(HasSubstr("epochs"), HasSubstr("epochs_per_cycle")));
}

TEST(Config, FewEpochsHaveACycleEach) { EXPECT_EQ(make_config(mnist({{"epochs", "3"}})).cycles, 3); }

TEST(Config, RestartingTheRateNeedsEqualCycles) {
  EXPECT_EQ(make_config(mnist({{"lr_mode", "restart"}})).schedule.restart_every, 20);
  EXPECT_THAT(refused(mnist({{"lr_mode", "restart"}, {"epochs", "7"}, {"cycles", "3"}})), HasSubstr("lr_mode"));
}

TEST(Config, DataMustBeGiven) { EXPECT_THAT(refused({}), AllOf(HasSubstr("data"), HasSubstr("mnist"))); }

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

// One configuration each in which a key has an effect.
const std::map<std::string, ConfigText> accepted{
    {"data", mnist()},
    {"network", mnist({{"network", "convnet"}})},
    {"hidden", mnist({{"hidden", "16,32"}})},
    {"method", mnist({{"method", "dense"}})},
    {"masks", mnist({{"masks", "a folder/\"some\" \\ file.safetensors"}})},
    {"compactness", mnist({{"masks", "random"}, {"compactness", "0.35"}})},
    {"bias_schedule", cifar({{"masks", "random"}, {"bias_schedule", "ends_skewed"}})},
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
    {"epochs", mnist({{"epochs", "7"}})},
    {"cycles", mnist({{"cycles", "20"}})},
    {"epochs_per_cycle", mnist({{"epochs_per_cycle", "3"}})},
    {"batch", mnist({{"batch", "65536"}})},
    {"pixels", mnist({{"pixels", "standardised"}})},
    {"augment", cifar({{"augment", "no"}})},
    {"seeds", mnist({{"seeds", "1,4..6,4294967295"}})}};

TEST(Config, EveryKeyIsAcceptedSomewhere) {
  for (const auto& key : config_keys()) {
    ASSERT_TRUE(accepted.contains(key.name)) << key.name << " has no example in this test";
    EXPECT_TRUE(accepted.at(key.name).contains(key.name)) << key.name;
    EXPECT_NO_THROW(make_config(accepted.at(key.name))) << key.name;
  }
}

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
}

TEST_F(ConfigFile, AWrittenConfigurationReadsBackAsItself) {
  for (const auto& [key, given] : accepted) {
    SCOPED_TRACE(key);
    const auto config = make_config(given);
    expect_same(make_config(read(to_toml(config))), config);
  }
}

TEST_F(ConfigFile, AThousandSeedsReadBack) {
  const auto config = make_config(mnist({{"seeds", "1..999,1000"}}));
  expect_same(make_config(read(to_toml(config))), config);
}

TEST_F(ConfigFile, WhatIsWrittenHasOneLinePerKeyInTheOrderOfTheKeys) {
  const auto text = to_toml(make_config(mnist({{"masks", "random"}, {"activation", "rsl"}})));
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

TEST_F(ConfigFile, FilesAndFlagsSayTheSame) {
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

TEST_F(ConfigFile, AFileThatIsNotThereIsNamed) {
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

TEST(Seeds, AreRefusedWithTheTextWhenTheyCannotBe) {
  for (const std::string text : {"", "3..1", "1,1", "1..3,2", "x", "-1", "1..", "..3", "1...3", "1..2..3", "1,", ",1",
                                 "1 2", " 1", "+1", "1.5", "4294967296", "0..4294967295", "1e3"})
    EXPECT_THAT(refusal([&] { parse_seeds(text); }), HasSubstr("seeds = " + text + ":")) << text;
}

TEST(Seeds, TooManyAreRefusedWithTheMost) {
  for (const std::string text : {"1..1001", "1..1000,1001", "1..600,601..1200"})
    EXPECT_THAT(refusal([&] { parse_seeds(text); }), HasSubstr("1000")) << text;
}

}  // namespace
}  // namespace cambium
