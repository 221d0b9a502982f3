// SIGINT and SIGTERM as a question that a loop asks between two steps.
#pragma once

namespace cambium {

// While it lives, the first SIGINT or SIGTERM is noted; a second one ends the program as it always would.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;

  bool interrupted() const;
};

}  // namespace cambium
