#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace updraft {

/// Threads that do what is posted, in order. To wake a thread costs as much as a short request, so
/// as long as `few` are at work, the next work is left to them, unless it has waited for
/// `kPatience`: then they are held up, and help() wakes others.
class WorkerPool {
 public:
  static constexpr std::chrono::milliseconds kPatience{2};

  WorkerPool(std::size_t threads, std::size_t few);
  /// As join().
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// `work` must not throw.
  void post(std::function<void()> work);

  /// Wakes a thread for each work that has waited too long. Whether any work waits: then to be
  /// called again after kPatience.
  bool help();

  /// Until all work is done; nothing may be posted any more.
  void join();

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::function<void()> work;
    Clock::time_point since;
  };

  void run();

  const std::size_t few_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Waiting> queue_;
  std::size_t working_ = 0;  // or woken for it
  std::size_t woken_ = 0;    // and not yet at work
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace updraft
