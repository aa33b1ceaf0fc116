#include "service/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <semaphore>
#include <set>
#include <thread>

namespace updraft {
namespace {

TEST(WorkerPool, DoesEverythingBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool(8, 2);
    for (int i = 0; i < 10'000; ++i) pool.post([&] { ++done; });
  }
  EXPECT_EQ(done, 10'000);
}

TEST(WorkerPool, WakesOthersIfThoseAtWorkAreHeldUp) {
  WorkerPool pool(5, 2);
  std::binary_semaphore held{0};
  std::latch all_at_work(5);
  std::latch ended(5);
  for (int i = 0; i < 5; ++i) {
    pool.post([&] {
      all_at_work.count_down();
      held.acquire();
      held.release();
      ended.count_down();
    });
  }
  while (!all_at_work.try_wait()) {
    std::this_thread::sleep_for(WorkerPool::kPatience);
    pool.help();
  }
  EXPECT_FALSE(pool.help()) << "nothing waits";
  held.release();
  ended.wait();
}

TEST(WorkerPool, GoesOnWithFewAfterItWasHelped) {
  WorkerPool pool(4, 1);
  for (int round = 0; round < 200; ++round) {
    std::latch ended(10);
    for (int i = 0; i < 10; ++i) pool.post([&] { ended.count_down(); });
    pool.help();
    ended.wait();
  }
}

TEST(WorkerPool, WakesTheOneThatWorkedLast) {
  WorkerPool pool(16, 1);
  std::set<std::thread::id> at_work;
  for (int round = 0; round < 200; ++round) {
    std::latch ended(1);
    pool.post([&] {
      at_work.insert(std::this_thread::get_id());
      ended.count_down();
    });
    ended.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(at_work.size(), 16u) << "all in turn";
}

}  // namespace
}  // namespace updraft
