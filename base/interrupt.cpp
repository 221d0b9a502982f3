#include "base/interrupt.hpp"

#include <csignal>
#include <mutex>

namespace cambium {
namespace {

volatile std::sig_atomic_t noted = 0;
std::mutex mutex;
int watches = 0;

extern "C" void note(int signal) {
  noted = 1;
  if (signal == SIGINT) std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  const std::lock_guard lock(mutex);
  if (watches++ > 0) return;
  noted = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

InterruptWatch::~InterruptWatch() {
  const std::lock_guard lock(mutex);
  if (--watches > 0) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptWatch::interrupted() const { return noted != 0; }

void InterruptWatch::interrupt() { noted = 1; }

}  // namespace cambium
