#include "service/worker_pool.h"

#include <algorithm>
#include <utility>

namespace updraft {

WorkerPool::WorkerPool(std::size_t threads, std::size_t few) : few_(std::min(few, threads)) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() { join(); }

void WorkerPool::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(work), Clock::now()});
    if (working_ >= few_) return;
    ++working_;
    ++woken_;
  }
  posted_.notify_one();
}

bool WorkerPool::help() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point late = Clock::now() - kPatience;
  for (const Waiting& waiting : queue_) {
    if (waiting.since > late || working_ == threads_.size()) break;
    ++working_;
    ++woken_;
    posted_.notify_one();
  }
  return !queue_.empty();
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [&] { return woken_ > 0 || ending_; });
    if (woken_ > 0) {
      --woken_;
    } else {
      ++working_;
    }
    while (!queue_.empty()) {
      const std::function<void()> work = std::move(queue_.front().work);
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
    --working_;
    if (ending_) return;
  }
}

void WorkerPool::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace updraft
