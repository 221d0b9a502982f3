// cambium data: list, verify and fetch, with an HTTP server in the test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/run_program.hpp"
#include "tests/streams/data/http_server.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto debian = "/usr/share/datasets/fashion-mnist";

class DataCommand : public testing::Test {
 protected:
  Ended data(const std::string& arguments) {
    return run_program("CAMBIUM_DATA= XDG_DATA_HOME=" + folder_.path().string() + " " CAMBIUM_PROGRAM " data " +
                       arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(DataCommand, ListShowsFoundDataSetsAndHowToFetchOthers) {
  const auto ended = data("list --json");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto parsed = nlohmann::json::parse(ended.output);
  EXPECT_EQ(parsed.at("fetched_into"), (folder_.path() / "cambium").string());
  ASSERT_EQ(parsed.at("data_sets").size(), 5u);
  EXPECT_EQ(parsed.at("data_sets").at(0).at("name"), "mnist");
  EXPECT_EQ(parsed.at("data_sets").at(0).at("found"), false);
  EXPECT_THAT(data("list").output, AllOf(HasSubstr("cambium data fetch mnist"), HasSubstr("cifar-100")));
}

TEST_F(DataCommand, DataSetsThatCannotBeFetchedAreExplained) {
  const auto listed = nlohmann::json::parse(data("list --json").output).at("data_sets").at(4);
  EXPECT_EQ(listed.at("name"), "imagenet-32");
  EXPECT_EQ(listed.at("found"), false);
  EXPECT_THAT(listed.at("by_hand").get<std::string>(), HasSubstr("image-net.org"));
  EXPECT_THAT(data("list").output, AllOf(HasSubstr("not found  It cannot be fetched. ImageNet's terms"),
                                         Not(HasSubstr("cambium data fetch imagenet-32"))));
  const auto ended = data("fetch imagenet-32");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("imagenet-32 cannot be fetched"), HasSubstr("image-net.org"),
                                  HasSubstr("Imagenet32_train"), HasSubstr("classes")));
}

TEST_F(DataCommand, ListNamesAnIncompleteFolder) {
  write_file(folder_.path() / "cifar-10/data_batch_1.bin", {1});
  EXPECT_THAT(data("list --data-dir " + folder_.path().string()).output, HasSubstr("cifar-10 lacks data_batch_2.bin"));
}

TEST_F(DataCommand, VerifyFailsForDamagedDataSetsAndForNamedOnesThatAreMissing) {
  write_file(folder_.path() / "cifar-100/train.bin", {1});
  write_file(folder_.path() / "cifar-100/test.bin", {1});
  const auto damaged = data("verify --data-dir " + folder_.path().string());
  EXPECT_EQ(damaged.code, 2);
  EXPECT_THAT(damaged.output, AllOf(HasSubstr("cifar-100      wrong"), HasSubstr("mnist          not found")));
  EXPECT_EQ(data("verify mnist").code, 2);
  EXPECT_THAT(data("verify mnits").errors, HasSubstr("Did you mean mnist?"));
}

TEST_F(DataCommand, FetchedDataAreVerifiedAndNotFetchedTwice) {
  if (!std::filesystem::exists(debian)) GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  HttpServer server(
      [&](const Request& request, const Connection& to) { to.answer(request, read_whole(debian + request.path)); });
  const std::string arguments =
      "fetch fashion-mnist --url " + server.address() + " --data-dir " + folder_.path().string();
  const auto fetched = data(arguments);
  EXPECT_EQ(fetched.code, 0) << fetched.errors;
  EXPECT_THAT(fetched.output, HasSubstr("fetched into " + (folder_.path() / "fashion-mnist").string()));
  EXPECT_EQ(server.requests().size(), 4u);
  const auto good = data("verify fashion-mnist --data-dir " + folder_.path().string());
  EXPECT_EQ(good.code, 0);
  EXPECT_THAT(good.output, HasSubstr("good   " + (folder_.path() / "fashion-mnist").string()));
  EXPECT_THAT(data(arguments).output, HasSubstr("already in"));
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(DataCommand, AFailedFetchPrintsTheReasonAndExitsWithThree) {
  HttpServer server(
      [](const Request&, const Connection& to) { to.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"); });
  const auto ended = data("fetch mnist --url " + server.address());
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("404"), HasSubstr("train-images-idx3-ubyte.gz")));
}

TEST_F(DataCommand, AMirrorServesOneDataSetOnly) {
  const auto ended = data("fetch mnist cifar-10 --url http://127.0.0.1:1/");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("--url"));
}

}  // namespace
