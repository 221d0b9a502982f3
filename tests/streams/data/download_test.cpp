// Downloads from servers that work, fail, and misbehave.

#include "streams/data/download.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.hpp"
#include "tests/streams/data/http_server.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Download : public testing::Test {
 protected:
  // Returns the message of the error; empty if the download succeeded.
  std::string fetch(const std::vector<std::string>& addresses) {
    DownloadOptions options{.attempts = 3, .first_pause = 0.01, .connect_seconds = 2, .stalled_seconds = 1};
    options.largest = largest_;
    options.progress = [this](std::uint64_t done, std::uint64_t total) { done_ = done, total_ = total; };
    const auto check = [this](const std::filesystem::path& part) {
      return read_whole(part) == content_ ? "" : "not the content";
    };
    try {
      download(addresses, file_, check, options);
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return {};
  }
  std::string fetch(const HttpServer& server) { return fetch(std::vector{server.address() + "file"}); }

  const Bytes content_ = noise(400'000);
  std::uint64_t largest_ = 400'000, done_ = 0, total_ = 0;
  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "new/file", part_ = folder_.path() / "new/file.part";
};

TEST_F(Download, ACompleteFileGetsItsName) {
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  EXPECT_FALSE(std::filesystem::exists(part_));
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/file");
  EXPECT_EQ(done_, content_.size());
  EXPECT_EQ(total_, content_.size());
}

TEST_F(Download, AResetConnectionIsResumedWhereItEnded) {
  HttpServer server([&](const Request& request, const Connection& to) {
    if (request.number > 0) return to.answer(request, content_);
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n");
    to.send(content_, 0, 150'000);  // and the connection ends
  });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].from, 150'000u);
}

TEST_F(Download, ALaterCallResumesAnEarlierOne) {
  write_file(part_, {content_.begin(), content_.begin() + 1'000});
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].from, 1'000u);
}

TEST_F(Download, ACompletePartFileIsNotFetchedAgain) {
  write_file(part_, content_);
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].from, content_.size());
}

TEST_F(Download, AServerThatIgnoresRangesSendsTheWholeFile) {
  write_file(part_, {content_.begin(), content_.begin() + 1'000});
  HttpServer server([&](Request request, const Connection& to) {
    request.from = 0;
    to.answer(request, content_);
  });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  EXPECT_EQ(server.requests().back().from, 0u);
}

TEST_F(Download, APartOfAnotherFileIsDiscarded) {
  write_file(part_, noise(1'000, 99));
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(Download, APartLongerThanTheFileIsDiscarded) {
  write_file(part_, noise(400'000, 99));
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
}

TEST_F(Download, RepeatedConnectionResetsAreAnError) {
  HttpServer server([&](const Request&, const Connection& to) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n");
    to.reset();
  });
  EXPECT_THAT(fetch(server), AllOf(HasSubstr("cannot be fetched"), HasSubstr(server.address())));
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Download, BytesThatArrivedBeforeTheErrorAreKept) {
  HttpServer server([&](const Request& request, const Connection& to) {
    if (request.number > 0) return to.send("HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n");
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n");
    to.send(content_, 0, 1'000);
  });
  EXPECT_THAT(fetch(server), HasSubstr("The bytes that arrived are kept"));
  EXPECT_EQ(read_whole(part_), Bytes(content_.begin(), content_.begin() + 1'000));
}

TEST_F(Download, AStalledServerIsAnError) {
  HttpServer server([&](const Request& request, const Connection& to) {
    if (request.number > 0) return to.answer(request, content_);
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n");
    to.send(content_, 0, 1'000);
    to.wait_until_closed();
  });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].from, 1'000u);
}

TEST_F(Download, WrongContentNeverGetsTheName) {
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, noise(5'000, 7)); });
  EXPECT_THAT(fetch(server), HasSubstr("not the content"));
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_FALSE(std::filesystem::exists(part_));
  EXPECT_EQ(server.requests().size(), 1u) << "the same server has nothing better";
}

TEST_F(Download, AFileCutShortWithoutLengthIsRefused) {
  HttpServer server([&](const Request&, const Connection& to) {
    to.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");  // no length
    to.send(content_, 0, 300'000);
  });
  EXPECT_THAT(fetch(server), HasSubstr("not the content"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Download, AMissingFileIsRequestedOnce) {
  HttpServer server(
      [](const Request&, const Connection& to) { to.send("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"); });
  EXPECT_THAT(fetch(server), HasSubstr("404"));
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(part_));
}

TEST_F(Download, ATemporaryServerErrorIsRetried) {
  HttpServer server([&](const Request& request, const Connection& to) {
    if (request.number < 2) return to.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    to.answer(request, content_);
  });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(Download, TheNextAddressIsTriedWhenOneFails) {
  HttpServer bad([](const Request&, const Connection& to) { to.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"); });
  HttpServer good([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_EQ(fetch(std::vector{bad.address() + "file", good.address() + "file"}), "");
  EXPECT_EQ(read_whole(file_), content_);
}

TEST_F(Download, EveryAddressThatFailedIsNamed) {
  const auto error = fetch({"http://nowhere.invalid/file", "http://127.0.0.1:1/file", "gopher://old/file"});
  EXPECT_THAT(
      error,
      AllOf(HasSubstr("http://nowhere.invalid/file: the host is unknown"), HasSubstr("http://127.0.0.1:1/file"),
            HasSubstr("gopher://old/file: the address does not begin with http:// or https://"), HasSubstr("--url")));
}

TEST_F(Download, AFileAboveTheSizeLimitIsRefused) {
  largest_ = 100'000;
  HttpServer server([&](const Request& request, const Connection& to) { to.answer(request, content_); });
  EXPECT_THAT(fetch(server), HasSubstr("more than 100000 bytes"));
  EXPECT_FALSE(std::filesystem::exists(part_));
}

TEST_F(Download, RedirectionsAreFollowedUpToALimit) {
  HttpServer server([&](const Request& request, const Connection& to) {
    if (request.path == "/real") return to.answer(request, content_);
    to.send("HTTP/1.1 302 Found\r\nLocation: " + std::string(request.path == "/file" ? "/real" : "/loop") +
            "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(read_whole(file_), content_);
  EXPECT_THAT(fetch({server.address() + "loop"}), HasSubstr("redirect"));
}

TEST_F(Download, TwoProcessesDoNotWriteToOneFile) {
  write_file(part_, {1});
  const int other = open(part_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(refusal([&] { fetch({"http://127.0.0.1:1/file"}); }), HasSubstr("another process"));
  close(other);
}

TEST_F(Download, AFileInPlaceOfTheFolderIsAnInputError) {
  write_file(folder_.path() / "new", {1});  // a file where the folder should be
  EXPECT_THAT(refusal([&] { fetch({"http://127.0.0.1:1/file"}); }), HasSubstr((folder_.path() / "new").string()));
}

}  // namespace
}  // namespace cambium
