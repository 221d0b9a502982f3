// SIGINT and SIGTERM as a question that a loop asks between two steps.
#pragma once

namespace cambium {

// While it lives, the first SIGINT or SIGTERM is noted. A second SIGINT ends the program as it always would: someone is
// in a hurry. A second SIGTERM does not: a cluster sends it to all processes of a job, and each passes it on to its
// own.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;

  bool interrupted() const;
};

}  // namespace cambium
