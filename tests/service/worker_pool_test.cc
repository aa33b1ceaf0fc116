#include "service/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

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

TEST(WorkerLanes, OneLaneTakesItsShareAndNoMore) {
  WorkerPool pool(4, 4);
  WorkerLanes lanes(pool);
  std::counting_semaphore<> held{0};
  std::atomic<int> at_work = 0;
  std::atomic<int> most_at_work = 0;
  std::latch held_up(2);
  std::latch ended(20);
  for (int i = 0; i < 20; ++i) {
    lanes.post("slow", 2, [&, i] {
      const int now = ++at_work;
      for (int most = most_at_work; most < now && !most_at_work.compare_exchange_weak(most, now);) {
      }
      if (i < 2) held_up.count_down();
      held.acquire();
      --at_work;
      ended.count_down();
    });
  }
  held_up.wait();
  std::latch others(10);
  for (int i = 0; i < 10; ++i) lanes.post("quick", 2, [&] { others.count_down(); });
  others.wait();  // although much of the slow lane waits
  EXPECT_EQ(at_work, 2);
  held.release(20);
  ended.wait();
  EXPECT_EQ(most_at_work, 2);
  pool.join();  // before the lanes end
}

TEST(WorkerLanes, WorkGoesInOrderAndAllOfItIsDone) {
  std::vector<int> order;
  {
    WorkerPool pool(3, 1);
    WorkerLanes lanes(pool);
    for (int i = 0; i < 1000; ++i) lanes.post("one", 1, [&, i] { order.push_back(i); });
    pool.join();
  }
  ASSERT_EQ(order.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace updraft
