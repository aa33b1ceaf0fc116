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
    if (working_ >= few_ || asleep_.empty()) return;
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

void WorkerLanes::post(const std::string& lane, std::size_t most, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    Lane& here = lanes_[lane];
    if (here.working >= most) {
      here.waiting.push_back(std::move(work));
      return;
    }
    ++here.working;
  }
  give(lane, std::move(work));
}

void WorkerLanes::give(const std::string& lane, std::function<void()> work) {
  pool_.post([this, lane, work = std::move(work)]() mutable {
    work();
    work = nullptr;  // what it holds may take much memory
    go_on(lane);
  });
}

void WorkerLanes::go_on(const std::string& lane) {
  std::function<void()> next;
  {
    const std::lock_guard lock(mutex_);
    const auto here = lanes_.find(lane);
    if (here->second.waiting.empty()) {
      if (--here->second.working == 0) lanes_.erase(here);
      return;
    }
    next = std::move(here->second.waiting.front());
    here->second.waiting.pop_front();
  }
  give(lane, std::move(next));
}

}  // namespace updraft
