#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>

namespace updraft {

/// What running tasks tell those who wait for them, and are told by them.
class TaskControl {
 public:
  void advance(std::uint64_t rounds) {
    rounds_done_ += rounds;
    if (on_advance) on_advance();
  }
  std::uint64_t rounds_done() const { return rounds_done_; }

  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

  std::function<void()> on_advance = {};  ///< called by advance(), if there is one

 private:
  std::atomic<std::uint64_t> rounds_done_ = 0;
  std::atomic<bool> cancelled_ = false;
};

struct Tasks {
  std::size_t count = 0;
  double total_rounds = 0.0;                  ///< of all tasks, for progress
  double rounds_done_before = 0.0;            ///< of these, done earlier
  unsigned threads = 0;                       ///< 0 = as many as the machine has
  bool on_caller = false;                     ///< on the calling thread, one after the other
  std::function<void(double)> progress = {};  ///< share done, from the calling thread
  std::stop_token stop = {};
};

/// Runs task(0) ... task(count - 1), started in this order, on threads. Throws the first exception
/// of a task, after all have ended, or Cancelled if `stop` asked for it.
void run_tasks(const Tasks& tasks, const std::function<void(std::size_t, TaskControl&)>& task);

}  // namespace updraft
