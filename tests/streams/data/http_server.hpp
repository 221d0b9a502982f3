// A web server on 127.0.0.1 for tests; the test writes every answer byte by byte.
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
  std::size_t from = 0;    // start of the requested range; 0 without a range
};

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  void send(const std::string& text) const;
  void send(const Bytes& bytes, std::size_t from = 0, std::size_t count = std::string::npos) const;
  void reset() const;                                            // ends the connection with an error
  void wait_until_closed() const;                                // sends nothing until the client closes the connection
  void answer(const Request& request, const Bytes& file) const;  // a correct answer, also to a range

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
