#include "tests/streams/data/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

void Connection::send(const std::string& text) const { send(Bytes(text.begin(), text.end())); }

void Connection::send(const Bytes& bytes, std::size_t from, std::size_t count) const {
  const std::size_t end = from + std::min(count, bytes.size() - from);
  while (from < end) {
    const auto sent = ::send(socket_, bytes.data() + from, end - from, MSG_NOSIGNAL);
    if (sent <= 0) return;  // The client closed the connection.
    from += static_cast<std::size_t>(sent);
  }
}

void Connection::reset() const {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void Connection::wait_until_closed() const {
  char ignored;
  while (recv(socket_, &ignored, 1, 0) > 0) {
  }
}

void Connection::answer(const Request& request, const Bytes& file) const {
  const auto size = std::to_string(file.size());
  if (request.from >= file.size())
    return send("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */" + size +
                "\r\nContent-Length: 0\r\n\r\n");
  const auto rest = std::to_string(file.size() - request.from);
  if (request.from == 0)
    send("HTTP/1.1 200 OK\r\nContent-Length: " + rest + "\r\n\r\n");
  else
    send("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(request.from) + "-" +
         std::to_string(file.size() - 1) + "/" + size + "\r\nContent-Length: " + rest + "\r\n\r\n");
  send(file, request.from);
}

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof where;
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0 ||
      listen(listener_, 8) != 0 || getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &length) != 0)
    throw std::runtime_error("no server on 127.0.0.1");
  port_ = ntohs(where.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

std::string HttpServer::address() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

std::vector<Request> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::serve() {
  for (;;) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    std::string head;
    char next;
    while (!head.ends_with("\r\n\r\n") && recv(socket, &next, 1, 0) == 1) head += next;
    Request request;
    request.path = head.substr(4, head.find(' ', 4) - 4);
    if (const auto range = head.find("Range: bytes="); range != std::string::npos)
      request.from = std::stoul(head.substr(range + 13));
    {
      const std::lock_guard lock(mutex_);
      request.number = requests_.size();
      requests_.push_back(request);
    }
    handler_(request, Connection(socket));
    close(socket);  // one request to a connection
  }
}
