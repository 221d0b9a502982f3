// A web server of the tests' own on 127.0.0.1, whose every answer, good or broken, a test writes byte by byte.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/streams/data/made_files.hpp"

struct Request {
  std::string path;        // "/file.gz"
  std::size_t number = 0;  // 0 for the first request to this server
  std::size_t from = 0;    // where the range that was asked for begins; 0 without one
};

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  void send(const std::string& text) const;
  void send(const Bytes& bytes, std::size_t from = 0, std::size_t count = std::string::npos) const;
  void reset() const;                                            // ends the connection with an error rather than an end
  void wait_until_closed() const;                                // says nothing more until the other side gives up
  void answer(const Request& request, const Bytes& file) const;  // as a good server does, ranges included

 private:
  int socket_;
};

class HttpServer {
 public:
  using Handler = std::function<void(const Request&, const Connection&)>;
  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  std::string address() const;  // "http://127.0.0.1:port/"
  std::vector<Request> requests() const;

 private:
  void serve();

  Handler handler_;
  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::thread thread_;
};
