// Fetching small data sets from a local test server.

#include "streams/data/fetch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "streams/data/contents.hpp"
#include "tests/streams/data/http_server.hpp"

namespace cambium {
namespace {

using testing::HasSubstr;

std::string sha256(const Bytes& bytes) { return digest_like(std::string(64, '0'), bytes); }

class Fetching : public testing::Test {
 protected:
  Fetching() {
    entry_ = catalogue_entry("mnist");
    entry_.train_images = entry_.test_images = 1;
    auto& layout = entry_.layouts.front();
    for (auto* part : {&layout.train, &layout.test}) {
      add((*part)[0], idx({1, 28, 28}, noise(784, ++seed_)));
      add((*part)[1], idx({1}, {5}));
    }
    where_ = {.searched = {folder_.path()}, .fetched_into = folder_.path()};
  }

  void add(CatalogueFile& file, const Bytes& bytes) {
    file.bytes = bytes.size();
    file.checksum = sha256(bytes);
    served_["/" + file.name + ".gz"] = packed(bytes, Packing::gzip);
  }

  void serve(const Request& request, const Connection& to) {
    const auto file = served_.find(request.path);
    if (file == served_.end()) return to.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    to.answer(request, file->second);
  }

  Fetched fetch() {
    FetchOptions options{.url = server_.address(), .download = {}};
    options.download.attempts = 1;
    return fetch_data_set(entry_, where_, options);
  }

  std::uint32_t seed_ = 0;
  std::map<std::string, Bytes> served_;
  CatalogueEntry entry_;
  TemporaryFolder folder_;
  DataFolders where_;
  HttpServer server_{[this](const Request& request, const Connection& to) { serve(request, to); }};
};

TEST_F(Fetching, ADataSetIsFetchedCompletely) {
  const auto fetched = fetch();
  EXPECT_EQ(fetched.files, 4);
  EXPECT_EQ(fetched.place, folder_.path() / "mnist");
  for (const auto& check : verify_contents(locate_data_set(entry_, where_))) EXPECT_TRUE(check.good()) << check.file;
}

TEST_F(Fetching, AnUndamagedCopyIsNotFetchedAgain) {
  fetch();
  EXPECT_EQ(fetch().files, 0);
  EXPECT_EQ(server_.requests().size(), 4u);
}

TEST_F(Fetching, OnlyMissingAndDamagedFilesAreFetched) {
  fetch();
  std::filesystem::remove(folder_.path() / "mnist/train-labels-idx1-ubyte.gz");
  write_file(folder_.path() / "mnist/t10k-images-idx3-ubyte.gz", noise(100));
  EXPECT_EQ(fetch().files, 2);
  for (const auto& check : verify_contents(locate_data_set(entry_, where_))) EXPECT_TRUE(check.good()) << check.file;
}

TEST_F(Fetching, AMirrorMayPackFilesInAnotherWay) {
  auto& labels = served_["/t10k-labels-idx1-ubyte.gz"];
  labels = packed(idx({1}, {5}), Packing::none);  // the reader looks at the content, whatever the name
  EXPECT_EQ(fetch().files, 4);
}

TEST_F(Fetching, AFileWithAnotherChecksumIsRefusedAndNotKept) {
  served_["/train-images-idx3-ubyte.gz"] = packed(idx({1, 28, 28}, noise(784, 50)), Packing::gzip);
  try {
    fetch();
    FAIL() << "the wrong content was taken";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("train-images-idx3-ubyte has the checksum"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "mnist"));
}

TEST_F(Fetching, AFileThatTheMirrorLacksIsNamed) {
  served_.erase("/t10k-labels-idx1-ubyte.gz");
  try {
    fetch();
    FAIL() << "nothing was missed";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(server_.address() + "t10k-labels-idx1-ubyte.gz: the server has no such file (404)"));
  }
}

TEST_F(Fetching, ADamagedCopyThatIsFoundFirstIsNamed) {
  fetch();
  write_file(folder_.path() / "mnist/train-images-idx3-ubyte", noise(10));  // found before the packed one
  EXPECT_THAT(refusal([&] { fetch(); }), HasSubstr("mnist/train-images-idx3-ubyte is found first and is damaged"));
}

TEST_F(Fetching, WithoutFolderToFetchIntoNothingIsFetched) {
  where_.fetched_into.clear();
  EXPECT_THAT(refusal([&] { fetch(); }), HasSubstr("--data-dir"));
}

TEST_F(Fetching, AnArchiveIsCheckedMemberByMemberAndReadInPlace) {
  entry_ = catalogue_entry("cifar-100");
  entry_.train_images = 2;
  entry_.test_images = 1;
  auto& layout = entry_.layouts.front();
  Bytes train = noise(2 * 3074), test = noise(3074, 2);
  train[0] = train[1] = train[3074] = train[3075] = test[0] = test[1] = 7;
  layout.train[0] = {"train.bin", train.size(), sha256(train), {}};
  layout.test[0] = {"test.bin", test.size(), sha256(test), {}};
  served_["/cifar-100-binary.tar.gz"] =
      tar({{"cifar-100-binary/test.bin", test}, {"cifar-100-binary/train.bin", train}}, Packing::gzip);
  EXPECT_EQ(fetch().files, 1);
  const auto location = locate_data_set(entry_, where_);
  EXPECT_EQ(location.place, folder_.path() / "cifar-100-binary.tar.gz");
  const auto data = read_contents(location);
  EXPECT_EQ(data.train.count, 2);
  EXPECT_THAT(data.test.labels, testing::ElementsAre(7));

  std::filesystem::remove(location.place);
  test[100] ^= 1;
  served_["/cifar-100-binary.tar.gz"] = tar({{"test.bin", test}, {"train.bin", train}}, Packing::gzip);
  EXPECT_THROW(fetch(), EnvironmentError);
}

}  // namespace
}  // namespace cambium
