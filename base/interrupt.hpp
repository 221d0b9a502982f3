// SIGINT and SIGTERM as a question that a loop asks between two steps.
#pragma once

namespace cambium {

// While it lives, the first SIGINT or SIGTERM is noted. A second SIGINT ends the program as it always would: someone is
// in a hurry. A second SIGTERM does not: a cluster sends it to all processes of a job, and each passes it on to its
// own. Several watches may live at a time, on several threads: each sees the same.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;

  bool interrupted() const;
  static void interrupt();  // as a signal would
};

}  // namespace cambium
