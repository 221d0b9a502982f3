#include "base/interrupt.hpp"

#include <csignal>
#include <mutex>

namespace cambium {
namespace {

volatile std::sig_atomic_t flag = 0;
std::mutex mutex;
int watches = 0;

extern "C" void set_flag(int signal) {
  flag = 1;
  if (signal == SIGINT) std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  const std::lock_guard lock(mutex);
  if (watches++ > 0) return;
  flag = 0;
  std::signal(SIGINT, set_flag);
  std::signal(SIGTERM, set_flag);
}

InterruptWatch::~InterruptWatch() {
  const std::lock_guard lock(mutex);
  if (--watches > 0) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptWatch::interrupted() const { return flag != 0; }

void InterruptWatch::interrupt() { flag = 1; }

}  // namespace cambium
