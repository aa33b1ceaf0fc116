#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace updraft {

/// Threads that do what is posted, in order. To wake a thread costs as much as a short request, so
/// as long as `few` are at work, the next work is left to them, unless it has waited for
/// `kPatience`: then they are held up, and help() wakes others. The one that went to sleep last is
/// woken first: what it needs is still in the processor's cache.
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

  struct Sleeper {
    std::condition_variable wake;
    bool awake = false;
  };

  void run(Sleeper& self);
  /// Whom to notify; with the lock, and if not all are at work.
  Sleeper* wake_one();

  const std::size_t few_;
  std::mutex mutex_;
  std::deque<Waiting> queue_;
  std::size_t working_;           // or woken for it
  std::vector<Sleeper*> asleep_;  // the last one is the first to be woken
  bool ending_ = false;
  std::vector<Sleeper> sleepers_;
  std::vector<std::thread> threads_;
};

/// Posts work in lanes, so that one of them cannot keep all threads of a pool busy: work beyond the
/// share of its lane waits without a thread. A thread that has done work of a lane goes on with
/// what waits there, in order.
class WorkerLanes {
 public:
  explicit WorkerLanes(WorkerPool& pool) : pool_(pool) {}

  /// At most `most` works of the lane are done at a time. `work` must not throw.
  void post(const std::string& lane, std::size_t most, std::function<void()> work);

 private:
  struct Lane {
    std::size_t working = 0;
    std::deque<std::function<void()>> waiting;
  };

  void give(const std::string& lane, std::function<void()> work);
  /// Some work of the lane is done.
  void go_on(const std::string& lane);

  WorkerPool& pool_;
  std::mutex mutex_;
  std::unordered_map<std::string, Lane> lanes_;  // those with work
};

}  // namespace updraft
