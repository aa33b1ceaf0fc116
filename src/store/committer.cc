#include "store/committer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace updraft {
namespace {

/// More than can come before whoever waits for one of them has looked.
constexpr std::size_t kFailuresKept = 4096;
constexpr const char* kConflictReason = "the store has other events: somebody else has written";
constexpr const char* kTakenReason = "another node has taken the campaign";

}  // namespace

Committer::Committer(EventStore& store, bool grouped, Log log, std::chrono::milliseconds pause)
    : store_(store), grouped_(grouped), log_(std::move(log)), pause_(pause), thread_([this] {
        run();
      }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_all();
  thread_.join();
}

std::uint64_t Committer::epoch(std::int64_t campaign) const {
  const std::lock_guard lock(mutex_);
  return epoch_of(campaign);
}

/// Both only rise, and so does their sum.
std::uint64_t Committer::epoch_of(std::int64_t campaign) const {
  const auto losses = losses_.find(campaign);
  return epoch_ + (losses == losses_.end() ? 0 : losses->second);
}

void Committer::check() const {
  const std::lock_guard lock(mutex_);
  if (failures_.empty()) return;
  if (trusted_ && std::chrono::steady_clock::now() >= refuse_until_) return;
  throw failures_.back().error();
}

bool Committer::trusted() const {
  const std::lock_guard lock(mutex_);
  return trusted_;
}

std::uint64_t Committer::add(StoreWrite write, std::uint64_t epoch) {
  std::vector<StoreWrite> writes;
  writes.push_back(std::move(write));
  return add(std::move(writes), epoch);
}

std::uint64_t Committer::add(std::vector<StoreWrite> writes, std::uint64_t epoch) {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (epoch != epoch_of(campaign_of(writes.front())) || !trusted_) throw failures_.back().error();
    together_.push_back(writes.size());
    std::move(writes.begin(), writes.end(), std::back_inserter(queue_));
    ticket = last_added_ += writes.size();
  }
  added_.notify_one();
  return ticket;
}

const Committer::Failure* Committer::failure_of(std::uint64_t ticket) const {
  const auto found = std::find_if(failures_.begin(), failures_.end(), [ticket](const Failure& one) {
    return one.first <= ticket && ticket <= one.last &&
           (!one.only || std::binary_search(one.only->begin(), one.only->end(), ticket));
  });
  return found == failures_.end() ? nullptr : &*found;
}

void Committer::wait(std::uint64_t ticket) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return last_done_ >= ticket; });
  if (const Failure* failure = failure_of(ticket)) throw failure->error();
}

void Committer::when_done(std::uint64_t ticket, Done done) {
  std::optional<CommitFailed> failed;
  {
    const std::lock_guard lock(mutex_);
    if (last_done_ < ticket) {
      waiting_.push_back({ticket, std::move(done)});
      return;
    }
    if (const Failure* failure = failure_of(ticket)) failed = failure->error();
  }
  done(failed ? &*failed : nullptr);
}

std::uint64_t Committer::last_done() const {
  const std::lock_guard lock(mutex_);
  return last_done_;
}

void Committer::tell_waiting() {
  std::vector<std::pair<Waiting, std::optional<CommitFailed>>> done;
  {
    const std::lock_guard lock(mutex_);
    const auto later = std::partition(waiting_.begin(), waiting_.end(),
                                      [&](const Waiting& one) { return one.ticket > last_done_; });
    for (auto one = later; one != waiting_.end(); ++one) {
      const Failure* failure = failure_of(one->ticket);
      done.emplace_back(std::move(*one), failure ? std::optional(failure->error()) : std::nullopt);
    }
    waiting_.erase(later, waiting_.end());
  }
  for (const auto& [one, failed] : done) one.done(failed ? &*failed : nullptr);
}

CommitterCounts Committer::counts() const {
  const std::lock_guard lock(mutex_);
  CommitterCounts counts = counts_;
  counts.queued = last_added_ - last_done_;
  return counts;
}

void Committer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    added_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::vector<StoreWrite> batch;
    if (grouped_) {
      batch.swap(queue_);
      together_.clear();
    } else {
      const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(together_.front());
      std::move(queue_.begin(), end, std::back_inserter(batch));
      queue_.erase(queue_.begin(), end);
      together_.pop_front();
    }
    const std::uint64_t last = last_done_ + batch.size();
    lock.unlock();
    commit(std::move(batch), last);
    lock.lock();
  }
}

Committer::Failure Committer::taken(const std::vector<StoreWrite>& batch,
                                    const Taken& taken) const {
  Failure failure = {.reason = kTakenReason, .only = std::vector<std::uint64_t>()};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (taken.campaigns.count(campaign_of(batch[i])) > 0) {
      failure.only->push_back(last_done_ + 1 + i);
    }
  }
  failure.first = failure.only->front();
  failure.last = failure.only->back();
  return failure;
}

void Committer::commit(std::vector<StoreWrite> batch, std::uint64_t last) {
  const auto begin = std::chrono::steady_clock::now();
  Failure failure;
  std::optional<Taken> kept;
  try {
    kept = store_.write_apart(batch);
    if (!kept) failure.reason = kConflictReason;
  } catch (const StoreError& error) {
    failure.reason = error.what();
    failure.kind = error.kind();
  } catch (const std::exception& error) {
    failure.reason = error.what();
  }
  const auto end = std::chrono::steady_clock::now();
  if (!failure.reason.empty() && log_) log_("a commit failed: " + failure.reason);
  {
    const std::lock_guard lock(mutex_);
    counts_.seconds += std::chrono::duration<double>(end - begin).count();
    const auto keep_failure = [&](Failure one) {
      if (failures_.size() == kFailuresKept) failures_.erase(failures_.begin());
      failures_.push_back(std::move(one));
    };
    if (failure.reason.empty()) {
      ++counts_.commits;
      counts_.writes += batch.size();
      if (!kept->campaigns.empty()) {
        keep_failure(taken(batch, *kept));
        for (const std::int64_t campaign : kept->campaigns) ++losses_[campaign];
      }
      last_done_ = last;
    } else {
      ++counts_.failed_commits;
      ++epoch_;
      if (failure.kind == StoreError::Kind::kUnknown) trusted_ = false;
      refuse_until_ = end + pause_;
      failure.first = last_done_ + 1;
      failure.last = last_added_;
      keep_failure(failure);
      queue_.clear();
      together_.clear();
      last_done_ = last_added_;
    }
  }
  done_.notify_all();
  tell_waiting();
}

}  // namespace updraft
