// Commits in groups: order, waiting, and what happens to writes when a commit fails.

#include "store/committer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "store/campaign_store.h"
#include "support/folder.h"

namespace updraft {
namespace {

using testing::TemporaryFolder;

const StoredCampaign kSpring = {1, "spring", "{}"};

EventWrite event(std::uint64_t number, std::size_t size = 4) {
  return {1, {number, EventKind::kDecided, "d", 0, std::string(size, 'x')}};
}

std::uint64_t events_in(const CampaignStore& store) {
  std::uint64_t count = 0;
  store.for_each_event(kSpring, 0, [&](const Event&) { ++count; });
  return count;
}

class Grouping : public ::testing::TestWithParam<bool> {};

TEST_P(Grouping, KeepsTheOrderAndAnswersWhenItIsOnDisk) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  Committer committer(store, GetParam());
  committer.add(kSpring, committer.epoch(1));
  std::uint64_t last = 0;
  for (std::uint64_t number = 1; number <= 200; ++number) {
    last = committer.add(event(number), committer.epoch(1));
    if (number % 50 == 0) {
      committer.wait(last);
      EXPECT_EQ(events_in(store), number);  // another connection sees it
    }
  }
  EXPECT_EQ(last, 201u);
  const CommitterCounts counts = committer.counts();
  EXPECT_EQ(counts.writes, 201u);
  EXPECT_EQ(counts.queued, 0u);
  EXPECT_EQ(counts.commits == 201u, !GetParam());
}

INSTANTIATE_TEST_SUITE_P(Committer, Grouping, ::testing::Bool());

TEST(Committer, CommitsWhatWasAddedBeforeItGoes) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  {
    Committer committer(store, true);
    committer.add(kSpring, 1);
    for (std::uint64_t number = 1; number <= 100; ++number) committer.add(event(number), 1);
  }
  EXPECT_EQ(events_in(store), 100u);
}

TEST(Committer, AFailedCommitEndsTheEpoch) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  Committer committer(store, true, {}, std::chrono::hours(1));
  const std::uint64_t epoch = committer.epoch(1);
  committer.wait(committer.add(kSpring, epoch));
  store.limit_pages(1);  // not less than there are
  const std::uint64_t ticket = committer.add(event(1, 1'000'000), epoch);
  try {
    committer.wait(ticket);
    FAIL() << "must be full";
  } catch (const CommitFailed& failure) {
    EXPECT_TRUE(failure.disk_full());
  }
  EXPECT_EQ(committer.epoch(1), epoch + 1);
  EXPECT_THROW(committer.check(), CommitFailed);  // for as long as it pauses
  EXPECT_THROW(committer.add(event(2), epoch), CommitFailed);
  EXPECT_EQ(committer.counts().failed_commits, 1u);
  EXPECT_EQ(committer.counts().queued, 0u);

  store.limit_pages(1'000'000);
  committer.wait(committer.add(event(1), epoch + 1));
  EXPECT_EQ(events_in(store), 1u);
  EXPECT_THROW(committer.wait(ticket), CommitFailed);  // still
}

TEST(Committer, GoesOnAfterThePause) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  Committer committer(store, true, {}, std::chrono::milliseconds(0));
  committer.wait(committer.add(kSpring, 1));
  store.limit_pages(1);
  EXPECT_THROW(committer.wait(committer.add(event(1, 1'000'000), 1)), CommitFailed);
  EXPECT_NO_THROW(committer.check());
}

TEST(Committer, ManyThreadsWaitForTheirOwn) {
  const TemporaryFolder folder;
  CampaignStore store(folder.path() / "campaigns.db", CampaignStore::Mode::kWrite);
  Committer committer(store, true);
  committer.wait(committer.add(kSpring, 1));
  std::mutex order;
  std::uint64_t number = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int j = 0; j < 30; ++j) {
        std::uint64_t ticket = 0;
        {
          const std::lock_guard lock(order);
          ticket = committer.add(event(++number), 1);
        }
        committer.wait(ticket);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(events_in(store), 240u);
  EXPECT_LT(committer.counts().commits, 241u);
}

/// Holds every write until it is told what comes of it.
class HeldStore final : public EventStore {
 public:
  std::vector<StoredCampaign> campaigns() const override { return {}; }
  std::optional<StoredSnapshot> last_snapshot(const StoredCampaign&) const override { return {}; }
  void for_each_event(const StoredCampaign&, std::uint64_t,
                      const std::function<void(const Event&)>&) const override {}
  std::vector<Event> events_after(const StoredCampaign&, std::uint64_t,
                                  std::size_t) const override {
    return {};
  }
  std::vector<Event> events_of(const StoredCampaign&, std::string_view) const override {
    return {};
  }
  std::string archive_summary(const StoredCampaign&) const override { return ""; }
  bool has_dropped() const override { return false; }
  std::int64_t new_campaign_id() const override { return 1; }
  AppendResult write(const std::vector<StoreWrite>& batch) override {
    began.release();
    end.acquire();
    writes += batch.size();
    if (kind) throw StoreError("told to", *kind);
    return AppendResult::kOk;
  }

  std::counting_semaphore<> began{0};
  std::counting_semaphore<> end{0};
  std::optional<StoreError::Kind> kind;
  std::size_t writes = 0;
};

TEST(Committer, WritesThatWaitBehindAFailedCommitFail) {
  HeldStore store;
  store.kind = StoreError::Kind::kOther;
  Committer committer(store, true);
  const std::uint64_t first = committer.add(event(1), 1);
  store.began.acquire();
  const std::uint64_t second = committer.add(event(2), 1);
  const std::uint64_t third = committer.add(event(3), 1);
  store.end.release();
  EXPECT_THROW(committer.wait(first), CommitFailed);
  EXPECT_THROW(committer.wait(second), CommitFailed);
  EXPECT_THROW(committer.wait(third), CommitFailed);
  EXPECT_EQ(store.writes, 1u) << "the others never reach the store";
  EXPECT_TRUE(committer.trusted());
}

TEST(Committer, CallsBackWhenItIsOnDiskAndNotBefore) {
  HeldStore store;
  Committer committer(store, true);
  const std::uint64_t first = committer.add(event(1), 1);
  store.began.acquire();
  const std::uint64_t second = committer.add(event(2), 1);
  std::atomic<int> calls = 0;
  std::binary_semaphore called{0};
  const auto count = [&](const CommitFailed* failure) {
    EXPECT_EQ(failure, nullptr);
    ++calls;
    called.release();
  };
  committer.when_done(first, count);
  committer.when_done(second, count);
  EXPECT_EQ(calls, 0) << "nothing is on disk";
  EXPECT_EQ(committer.last_done(), 0u);
  store.end.release();
  called.acquire();
  EXPECT_EQ(calls, 1) << "the second is in the next commit";
  EXPECT_EQ(committer.last_done(), first);
  store.began.acquire();
  store.end.release();
  called.acquire();
  EXPECT_EQ(calls, 2);
  committer.when_done(second, count);
  EXPECT_EQ(calls, 3) << "at once";
}

TEST(Committer, CallsBackWithTheFailure) {
  HeldStore store;
  store.kind = StoreError::Kind::kDiskFull;
  Committer committer(store, true);
  const std::uint64_t first = committer.add(event(1), 1);
  store.began.acquire();
  const std::uint64_t queued = committer.add(event(2), 1);
  std::counting_semaphore<> called{0};
  std::atomic<int> full = 0;
  const auto look = [&](const CommitFailed* failure) {
    if (failure != nullptr && failure->disk_full()) ++full;
    called.release();
  };
  committer.when_done(first, look);
  committer.when_done(queued, look);
  store.end.release();
  called.acquire();
  called.acquire();
  committer.when_done(queued, look);  // later, too
  EXPECT_EQ(full, 3);
}

TEST(Committer, NothingIsWrittenAfterTheDiskFailed) {
  HeldStore store;
  store.kind = StoreError::Kind::kUnknown;
  std::string logged;
  Committer committer(
      store, true, [&](const std::string& text) { logged = text; }, std::chrono::milliseconds(0));
  store.end.release();
  const std::uint64_t ticket = committer.add(event(1), 1);
  try {
    committer.wait(ticket);
    FAIL() << "must fail";
  } catch (const CommitFailed& failure) {
    EXPECT_TRUE(failure.unknown());
  }
  EXPECT_FALSE(committer.trusted());
  EXPECT_EQ(logged, "a commit failed: told to");
  EXPECT_THROW(committer.add(event(1), committer.epoch(1)), CommitFailed);
  EXPECT_THROW(committer.check(), CommitFailed) << "although it does not pause";
}

}  // namespace
}  // namespace updraft
