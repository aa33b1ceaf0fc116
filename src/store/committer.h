#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "store/event_store.h"

namespace updraft {

/// Why a write did not come about. Nothing of it is on disk, unless that is unknown.
class CommitFailed : public std::runtime_error {
 public:
  CommitFailed(const std::string& what, StoreError::Kind kind)
      : std::runtime_error(what), kind_(kind) {}
  bool disk_full() const { return kind_ == StoreError::Kind::kDiskFull; }
  bool unknown() const { return kind_ == StoreError::Kind::kUnknown || in_doubt(); }
  /// It is known once the campaign was claimed again.
  bool in_doubt() const { return kind_ == StoreError::Kind::kInDoubt; }

 private:
  StoreError::Kind kind_;
};

struct CommitterCounts {
  std::uint64_t commits = 0;
  std::uint64_t writes = 0;
  std::uint64_t failed_commits = 0;
  std::uint64_t queued = 0;
  double seconds = 0.0;
};

/// Commits writes in the order in which they were added; those that are added while one commit is
/// on its way go into the next one together. Safe for many threads.
///
/// Whoever adds a write has changed a state that others see before it is on disk. So where a commit
/// fails, or finds a conflict, all writes that were added since fail as well: the epoch ends, and
/// writes that were made from states of an earlier epoch are refused. States must then be rebuilt
/// from the store. If the store has other writers and one of them has taken a campaign, this is so
/// for that campaign alone.
///
/// If the disk fails to keep a commit, nobody can know what it holds, and asking again proves
/// nothing: the system may have dropped what it could not write. So no write comes about any more;
/// the process must end, and the next one reads what is there.
class Committer {
 public:
  using Log = std::function<void(const std::string&)>;

  /// `grouped`: else every write is a commit of its own. `log` is told why commits fail. For
  /// `pause` after a failure, check() throws.
  Committer(EventStore& store, bool grouped, Log log = {},
            std::chrono::milliseconds pause = std::chrono::milliseconds(200));
  /// Commits what was added.
  ~Committer();

  /// Of a campaign.
  std::uint64_t epoch(std::int64_t campaign) const;

  /// Throws CommitFailed where a commit failed a moment ago: before anything is changed in vain.
  void check() const;

  /// A number to wait for. Throws CommitFailed where the epoch of the campaign is over.
  std::uint64_t add(StoreWrite write, std::uint64_t epoch);
  /// The same for several writes for one campaign, at least one, which go into one commit.
  std::uint64_t add(std::vector<StoreWrite> writes, std::uint64_t epoch);

  /// Until it is on disk. Throws CommitFailed.
  void wait(std::uint64_t ticket);

  /// Calls `done` once when wait() would return, with what it would throw or null: now, or later in
  /// the thread that commits, which must not be held up. So no thread waits for the disk.
  using Done = std::function<void(const CommitFailed*)>;
  void when_done(std::uint64_t ticket, Done done);

  /// The last write that is on disk or has failed, like all before it.
  std::uint64_t last_done() const;

  CommitterCounts counts() const;

  /// False once the disk has failed to keep a commit.
  bool trusted() const;

 private:
  struct Failure {
    std::uint64_t first = 0;  ///< tickets
    std::uint64_t last = 0;
    std::string reason;
    StoreError::Kind kind = StoreError::Kind::kOther;
    /// Those of them that failed, if some were kept.
    std::optional<std::vector<std::uint64_t>> only = {};

    CommitFailed error() const { return {reason, kind}; }
  };

  struct Waiting {
    std::uint64_t ticket = 0;
    Done done;
  };

  /// Of the write, or null; with the lock.
  const Failure* failure_of(std::uint64_t ticket) const;
  std::uint64_t epoch_of(std::int64_t campaign) const;
  /// Of the campaigns that another writer has.
  Failure taken(const std::vector<StoreWrite>& batch, const Taken& campaigns) const;
  /// Calls those whose writes are done.
  void tell_waiting();
  void run();
  void commit(std::vector<StoreWrite> batch, std::uint64_t last);

  EventStore& store_;
  const bool grouped_;
  const Log log_;
  const std::chrono::milliseconds pause_;
  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable done_;
  std::vector<StoreWrite> queue_;
  std::deque<std::size_t> together_;  // how many writes of the queue were added at once, in order
  std::vector<Waiting> waiting_;
  std::uint64_t last_added_ = 0;
  std::uint64_t last_done_ = 0;  // committed or failed
  std::uint64_t epoch_ = 1;
  std::map<std::int64_t, std::uint64_t> losses_;  // how often a campaign was taken
  std::vector<Failure> failures_;                 // the last few
  std::chrono::steady_clock::time_point refuse_until_;
  CommitterCounts counts_;
  bool trusted_ = true;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace updraft
