#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <stop_token>
#include <thread>

namespace updraft::cli {

/// While it lives, SIGINT and SIGTERM ask to stop instead of ending the process; a second one
/// ends it at once, with exit code 1. A signal that the process was started to ignore stays
/// ignored. With `on_hangup`, SIGHUP calls it, in a thread of its own, instead of ending the
/// process. Construct it before the threads that it stops, so that they leave the signals to it.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> on_hangup = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch();

  std::function<void()> on_hangup_;
  std::stop_source source_;
  std::atomic<bool> done_ = false;
  sigset_t signals_;
  sigset_t previous_mask_;
  std::thread watcher_;
};

}  // namespace updraft::cli
