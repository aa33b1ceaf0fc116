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

void run_tasks(const Tasks& tasks, const std::function<void(std::size_t, TaskControl&)>& task) {
  const unsigned wanted =
      tasks.threads > 0 ? tasks.threads : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = std::min<std::size_t>(wanted, tasks.count);
  TaskControl control;
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

  const auto report = [&](double rounds) {
    if (tasks.progress) tasks.progress((tasks.rounds_done_before + rounds) / tasks.total_rounds);
  };
  std::unique_lock lock(mutex);
  while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; })) {
    if (tasks.stop.stop_requested()) control.cancel();
    lock.unlock();
    report(static_cast<double>(control.rounds_done()));
    lock.lock();
  }
  if (failure) std::rethrow_exception(failure);
  if (control.cancelled()) throw Cancelled();
  report(tasks.total_rounds - tasks.rounds_done_before);
}

}  // namespace updraft
