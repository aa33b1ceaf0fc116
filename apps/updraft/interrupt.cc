#include "interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

namespace updraft::cli {
namespace {

// Wakes the watcher when the work is done. Nothing else sends it to that thread.
constexpr int kWakeSignal = SIGUSR1;

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt(std::function<void()> on_hangup) : on_hangup_(std::move(on_hangup)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, kWakeSignal);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!is_ignored(signal)) sigaddset(&signals_, signal);
  }
  if (on_hangup_) sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_mask_);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  done_ = true;
  pthread_kill(watcher_.native_handle(), kWakeSignal);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

void Interrupt::watch() {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0 || done_) return;
    if (signal == kWakeSignal) continue;
    if (signal == SIGHUP) {
      on_hangup_();
      continue;
    }
    if (!source_.request_stop()) _exit(1);
  }
}

}  // namespace updraft::cli
