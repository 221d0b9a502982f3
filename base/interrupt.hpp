// Lets a loop check between two steps whether SIGINT or SIGTERM arrived.
#pragma once

namespace cambium {

// While an object exists, the first SIGINT or SIGTERM only sets a flag. A second SIGINT ends the program. A second
// SIGTERM does not: a cluster sends it to all processes of a job, and a sweep sends it to its children again. Several
// objects may exist at a time, on several threads; they share the flag.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;

  bool interrupted() const;
  static void interrupt();  // sets the flag
};

}  // namespace cambium
