#include "service/worker_pool.h"

#include <algorithm>
#include <utility>

namespace updraft {

WorkerPool::WorkerPool(std::size_t threads, std::size_t few)
    : few_(std::min(few, threads)), working_(threads), sleepers_(threads) {
  for (Sleeper& one : sleepers_) threads_.emplace_back([this, &one] { run(one); });
}

WorkerPool::~WorkerPool() { join(); }

WorkerPool::Sleeper* WorkerPool::wake_one() {
  Sleeper* const one = asleep_.back();
  asleep_.pop_back();
  one->awake = true;
  ++working_;
  return one;
}

void WorkerPool::post(std::function<void()> work) {
  Sleeper* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(work), Clock::now()});
    if (working_ >= few_) return;
    woken = wake_one();
  }
  woken->wake.notify_one();
}

bool WorkerPool::help() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point late = Clock::now() - kPatience;
  for (const Waiting& waiting : queue_) {
    if (waiting.since > late || asleep_.empty()) break;
    wake_one()->wake.notify_one();
  }
  return !queue_.empty();
}

void WorkerPool::run(Sleeper& self) {
  std::unique_lock lock(mutex_);
  while (true) {
    while (!queue_.empty()) {
      const std::function<void()> work = std::move(queue_.front().work);
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
    --working_;
    if (ending_) return;
    self.awake = false;
    asleep_.push_back(&self);
    self.wake.wait(lock, [&] { return self.awake || ending_; });
    if (self.awake) continue;
    std::erase(asleep_, &self);
    ++working_;
  }
}

void WorkerPool::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  for (Sleeper& one : sleepers_) one.wake.notify_one();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace updraft
