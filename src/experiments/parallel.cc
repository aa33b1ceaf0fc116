#include "experiments/parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "updraft/simulate.h"

namespace updraft {

namespace {

constexpr std::chrono::milliseconds kAttend{100};  // between two looks at progress and stop

/// Shows the progress, and passes a stop on to the tasks.
void attend(const Tasks& tasks, TaskControl& control) {
  if (tasks.stop.stop_requested()) control.cancel();
  if (!tasks.progress) return;
  const double rounds = tasks.rounds_done_before + static_cast<double>(control.rounds_done());
  tasks.progress(rounds / tasks.total_rounds);
}

void run_on_caller(const Tasks& tasks, const std::function<void(std::size_t, TaskControl&)>& task,
                   TaskControl& control) {
  auto next = std::chrono::steady_clock::now();
  control.on_advance = [&] {
    if (std::chrono::steady_clock::now() < next) return;
    attend(tasks, control);
    next = std::chrono::steady_clock::now() + kAttend;
  };
  for (std::size_t j = 0; j < tasks.count && !control.cancelled(); ++j) task(j, control);
}

void run_on_threads(const Tasks& tasks, const std::function<void(std::size_t, TaskControl&)>& task,
                    TaskControl& control) {
  const unsigned wanted =
      tasks.threads > 0 ? tasks.threads : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = std::min<std::size_t>(wanted, tasks.count);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t working = threads;
  std::exception_ptr failure;

  std::vector<std::jthread> workers;
  const auto work = [&] {
    try {
      for (std::size_t j = next++; j < tasks.count && !control.cancelled(); j = next++) {
        task(j, control);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      control.cancel();
    }
    const std::scoped_lock lock(mutex);
    --working;
    finished.notify_one();
  };
  try {
    for (std::size_t t = 0; t < threads; ++t) workers.emplace_back(work);
  } catch (...) {  // no thread to be had: end those that started
    control.cancel();
    throw;
  }
  std::unique_lock lock(mutex);
  while (!finished.wait_for(lock, kAttend, [&] { return working == 0; })) {
    lock.unlock();
    attend(tasks, control);
    lock.lock();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void run_tasks(const Tasks& tasks, const std::function<void(std::size_t, TaskControl&)>& task) {
  TaskControl control;
  if (tasks.on_caller) {
    run_on_caller(tasks, task, control);
  } else {
    run_on_threads(tasks, task, control);
  }
  if (control.cancelled()) throw Cancelled();
  attend(tasks, control);
}

}  // namespace updraft
