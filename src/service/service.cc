#include "service/service.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "service/campaign_report.h"
#include "service/live_campaign.h"
#include "service/replay_events.h"
#include "service/variable_page.h"
#include "store/campaign_store.h"
#include "store/committer.h"
#include "updraft/error.h"

namespace updraft {
namespace {

std::int64_t system_milliseconds() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

constexpr std::size_t kMostWaitingNumbers = std::size_t{1} << 25;  // 256 MiB of a campaign
constexpr std::size_t kLargestSnapshot = 500'000'000;              // SQLite takes 1e9 bytes
constexpr std::size_t kLostAtOnce = 1000;
constexpr int kViewRest = 10;  // times what a view takes, before another one is made

using Clock = std::chrono::steady_clock;

/// A campaign with its place in the store. `mutex` guards what follows it.
struct Entry {
  StoredCampaign stored;
  std::shared_ptr<const CampaignDefinition> definition;

  std::mutex mutex;
  std::unique_ptr<LiveCampaign> live;
  std::uint64_t epoch = 0;        // of the committer, when `live` was built; 0: must be built anew
  std::uint64_t last_ticket = 0;  // of the committer
  std::shared_ptr<const CampaignView> view;
  Clock::time_point view_until;  // as long as that another view of the same epoch will do
  std::uint64_t view_epoch = 0;
};

DecisionAnswer answer_of(std::string_view id, const LiveDecision& decision) {
  return {.id = std::string(id),
          .status = decision.status,
          .state_version = decision.number - 1,
          .action = decision.decided.action,
          .index = decision.decided.index,
          .treatments = decision.decided.treatments,
          .probability = decision.decided.probability};
}

Unavailable unavailable(const CommitFailed& failure) {
  return {failure.disk_full() ? "the disk is full: nothing was changed"
                              : "the store cannot be written now: nothing was changed",
          failure.disk_full()};
}

/// Whether `live` could be restored; if not, it is of no use any more.
bool restored(LiveCampaign& live, std::string_view snapshot) {
  try {
    live.restore(snapshot);
    return true;
  } catch (const InvalidInput&) {  // of another revision, most likely
    return false;
  }
}

void check_room(const LiveCampaign& live, const DecisionRequest& request, std::size_t most) {
  const std::size_t outstanding = live.counts().outstanding;
  if (outstanding >= most) {
    throw Conflict(fmt::format("{} decisions are outstanding, which is the limit", outstanding));
  }
  if (live.waiting_numbers() + numbers_of(request) > kMostWaitingNumbers) {
    throw Conflict(
        fmt::format("pools, contexts and payoffs of outstanding decisions hold {} numbers; with "
                    "this one there would be more than {}",
                    live.waiting_numbers(), kMostWaitingNumbers));
  }
}

}  // namespace

std::string_view status_name(DecisionStatus status) {
  switch (status) {
    case DecisionStatus::kOutstanding:
      return "outstanding";
    case DecisionStatus::kComplete:
      return "complete";
    case DecisionStatus::kLost:
      return "lost";
  }
  return "";
}

struct Service::Parts {
  Parts(ServiceOptions given, std::unique_ptr<EventStore> given_store)
      : options(std::move(given)),
        store(std::move(given_store)),
        committer(*store, options.group_commits) {
    if (!options.clock) options.clock = system_milliseconds;
    opened = Clock::now().time_since_epoch().count();
  }

  Entry& entry(std::string_view name) const {
    const std::shared_lock lock(campaigns_mutex);
    const auto found = campaigns.find(name);
    if (found == campaigns.end()) throw NotFound(fmt::format("there is no campaign {}", name));
    return *found->second;
  }

  /// Of what was kept. With the entry's lock, as all that takes an entry.
  void rebuild(Entry& entry) {
    const std::uint64_t epoch = committer.epoch();
    auto live = std::make_unique<LiveCampaign>(entry.definition);
    const auto snapshot = store->last_snapshot(entry.stored);
    const bool unusable = snapshot && !restored(*live, snapshot->body);
    if (unusable) live = std::make_unique<LiveCampaign>(entry.definition);
    const std::uint64_t before = live->version();
    replay_events(*store, entry.stored, *live);
    const bool was_long = live->version() - before >= options.snapshot_every;
    entry.live = std::move(live);
    entry.epoch = epoch;
    entry.last_ticket = 0;
    if (was_long || unusable) keep_snapshot(entry);
  }

  /// The state; where a commit or a change failed, rebuilt first. Throws CommitFailed.
  LiveCampaign& current(Entry& entry) {
    if (entry.epoch == committer.epoch()) return *entry.live;
    try {
      committer.wait(entry.last_ticket);
    } catch (const CommitFailed&) {  // which is why
    }
    try {
      rebuild(entry);
    } catch (const StoreError& error) {
      throw CommitFailed(error.what(), false);
    } catch (const InvalidInput& error) {  // of what is kept, not of what was asked
      throw std::runtime_error(error.what());
    }
    return *entry.live;
  }

  /// Runs what changes the state and keeps the event. Where that fails otherwise than by a refusal,
  /// the state may be ahead of what is kept.
  template <typename Change>
  auto changing(Entry& entry, Change change) {
    try {
      return change();
    } catch (const InvalidInput&) {
      throw;
    } catch (const Conflict&) {
      throw;
    } catch (...) {
      entry.epoch = 0;
      throw;
    }
  }

  std::uint64_t keep(Entry& entry, Event event) {
    entry.last_ticket = committer.add(EventWrite{entry.stored.id, std::move(event)}, entry.epoch);
    return entry.last_ticket;
  }

  /// Where it is time for a snapshot.
  void keep_snapshot_when_due(Entry& entry) {
    if (entry.live->version() % options.snapshot_every == 0) keep_snapshot(entry);
  }

  /// Its failure is not that of the event before it.
  void keep_snapshot(Entry& entry) {
    const std::uint64_t version = entry.live->version();
    try {
      std::string body = entry.live->snapshot();
      if (body.size() > kLargestSnapshot) return;
      committer.add(SnapshotWrite{entry.stored.id, {version, std::move(body)}}, entry.epoch);
    } catch (const CommitFailed&) {
    } catch (const std::bad_alloc&) {
    }
  }

  /// A decision wherever it is. Decisions that were settled long ago are only in the store.
  std::optional<LiveDecision> find(const Entry& entry, const LiveCampaign& live,
                                   std::string_view id) const {
    if (const LiveDecision* found = live.find(id)) return *found;
    return decision_from(store->events_of(entry.stored, id),
                         std::numeric_limits<std::uint64_t>::max());
  }

  /// What `look` sees of a state.
  template <typename Look>
  auto seen(Entry& entry, Look look) {
    try {
      const std::lock_guard lock(entry.mutex);
      return look(current(entry));
    } catch (const CommitFailed& failure) {
      throw unavailable(failure);
    }
  }

  /// Counts as lost what has waited for too long, some at a time; whether that was all.
  bool sweep_some(Entry& entry) {
    std::unique_lock lock(entry.mutex);
    committer.check();
    LiveCampaign& live = current(entry);
    std::vector<std::pair<std::string, std::uint64_t>> lost;
    changing(entry, [&] {
      while (lost.size() < kLostAtOnce) {
        std::optional<Event> event = live.lose(options.clock());
        if (!event) break;
        lost.emplace_back(event->decision, event->number);
        keep(entry, std::move(*event));
        keep_snapshot_when_due(entry);
      }
    });
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    if (lost.empty()) return true;
    committer.wait(ticket);
    lock.lock();
    for (const auto& [id, number] : lost) entry.live->forget(id, number);
    return lost.size() < kLostAtOnce;
  }

  ServiceOptions options;
  Clock::rep opened = 0;
  std::unique_ptr<EventStore> store;
  Committer committer;
  mutable std::shared_mutex campaigns_mutex;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> campaigns;
};

Service::Service(ServiceOptions options)
    : Service(options,
              std::make_unique<CampaignStore>(options.store, CampaignStore::Mode::kWrite)) {}

Service::Service(ServiceOptions options, std::unique_ptr<EventStore> store)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(store))) {
  for (StoredCampaign& stored : parts_->store->campaigns()) {
    auto entry = std::make_unique<Entry>();
    entry->stored = std::move(stored);
    try {
      entry->definition =
          std::make_shared<CampaignDefinition>(parse_definition(entry->stored.definition));
      parts_->rebuild(*entry);
    } catch (const StoreError&) {
      throw;
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("{}: campaign {} cannot be rebuilt: {}; run updraft store check",
                      parts_->options.store.string(), entry->stored.name, error.what()));
    }
    parts_->campaigns.emplace(entry->stored.name, std::move(entry));
  }
}

Service::~Service() = default;

bool Service::create(const CampaignDefinition& definition) {
  const std::unique_lock lock(parts_->campaigns_mutex);
  const auto found = parts_->campaigns.find(definition.name);
  if (found != parts_->campaigns.end()) {
    if (found->second->definition->canonical == definition.canonical) return false;
    throw Conflict(fmt::format("another campaign is named {}", definition.name));
  }
  if (parts_->campaigns.size() >= parts_->options.most_campaigns) {
    throw Conflict(
        fmt::format("there are {} campaigns, which is the limit", parts_->campaigns.size()));
  }
  auto entry = std::make_unique<Entry>();
  entry->definition = std::make_shared<CampaignDefinition>(definition);
  entry->epoch = parts_->committer.epoch();
  entry->live = std::make_unique<LiveCampaign>(entry->definition);
  try {
    parts_->committer.check();
    entry->stored = {parts_->store->new_campaign_id(), definition.name, definition.canonical};
    parts_->committer.wait(parts_->committer.add(entry->stored, entry->epoch));
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  } catch (const StoreError& error) {
    throw unavailable(CommitFailed(error.what(), false));
  }
  parts_->campaigns.emplace(definition.name, std::move(entry));
  return true;
}

void Service::stop(std::string_view campaign) {
  Entry& entry = parts_->entry(campaign);
  try {
    std::unique_lock lock(entry.mutex);
    parts_->committer.check();
    LiveCampaign& live = parts_->current(entry);
    if (!live.stopped()) {
      parts_->changing(entry, [&] { parts_->keep(entry, live.stop(parts_->options.clock())); });
      parts_->keep_snapshot_when_due(entry);
    }
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->committer.wait(ticket);
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  }
}

const CampaignDefinition& Service::definition(std::string_view campaign) const {
  return *parts_->entry(campaign).definition;
}

DecisionAnswer Service::decide(std::string_view campaign, const DecisionRequest& request) {
  Entry& entry = parts_->entry(campaign);
  try {
    std::unique_lock lock(entry.mutex);
    parts_->committer.check();
    LiveCampaign& live = parts_->current(entry);
    DecisionAnswer answer;
    std::optional<LiveDecision> known;
    if (!request.id.empty()) known = parts_->find(entry, live, request.id);
    if (known) {
      if (!known->decided.answers(request)) {
        throw Conflict(fmt::format("decision {} was made for another {}", request.id,
                                   entry.definition->contexts ? "context" : "pool"));
      }
      answer = answer_of(request.id, *known);
    } else {
      check_room(live, request, parts_->options.most_outstanding);
      parts_->changing(entry, [&] {
        Event event = live.decide(request, parts_->options.clock());
        answer = answer_of(event.decision, *live.find(event.decision));
        parts_->keep(entry, std::move(event));
      });
      parts_->keep_snapshot_when_due(entry);
    }
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->committer.wait(ticket);
    return answer;
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  }
}

PayoffsAnswer Service::pay(std::string_view campaign, std::string_view decision,
                           const PayoffPart& part) {
  Entry& entry = parts_->entry(campaign);
  try {
    std::unique_lock lock(entry.mutex);
    parts_->committer.check();
    LiveCampaign& live = parts_->current(entry);
    std::optional<LiveDecision> known = parts_->find(entry, live, decision);
    if (!known) throw NotFound(fmt::format("there is no decision {}", decision));
    PayoffsAnswer answer = {.id = std::string(decision)};
    if (const LiveDecision::Paid* paid = known->paid(part.part)) {
      if (!(paid->part == part)) {
        throw Conflict(
            fmt::format("decision {} already has other payoffs in part '{}'", decision, part.part));
      }
      answer.status = known->status_after(*paid);
      answer.state_version = paid->number;
    } else {
      const bool forgotten = live.find(decision) == nullptr;
      const std::uint64_t last = known->last;
      if (forgotten) live.remember(std::string(decision), std::move(*known));
      try {
        parts_->changing(entry, [&] {
          Event event = live.pay(decision, part, parts_->options.clock());
          answer.status = live.find(decision)->status;
          answer.state_version = event.number;
          parts_->keep(entry, std::move(event));
        });
      } catch (...) {
        if (forgotten) live.forget(decision, last);
        throw;
      }
      parts_->keep_snapshot_when_due(entry);
    }
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->committer.wait(ticket);
    lock.lock();
    entry.live->forget(decision, answer.state_version);
    return answer;
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  }
}

DecisionAnswer Service::decision(std::string_view campaign, std::string_view decision) const {
  Entry& entry = parts_->entry(campaign);
  try {
    std::unique_lock lock(entry.mutex);
    const std::optional<LiveDecision> known = parts_->find(entry, parts_->current(entry), decision);
    if (!known) throw NotFound(fmt::format("there is no decision {}", decision));
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->committer.wait(ticket);
    return answer_of(decision, *known);
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  }
}

std::int64_t Service::now_ms() const { return parts_->options.clock(); }

nlohmann::json Service::list() const {
  const std::shared_lock lock(parts_->campaigns_mutex);
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [name, entry] : parts_->campaigns) {
    out.push_back(parts_->seen(*entry, brief));
  }
  return {{"campaigns", out}, {"now_ms", now_ms()}};
}

nlohmann::json Service::show(std::string_view campaign) const {
  return parts_->seen(parts_->entry(campaign), described);
}

nlohmann::json Service::report(std::string_view campaign) const {
  nlohmann::json out = parts_->seen(parts_->entry(campaign), [](const LiveCampaign& live) {
    return campaign_report(live, false);
  });
  out["now_ms"] = now_ms();
  return out;
}

nlohmann::json Service::history(std::string_view campaign) const {
  return parts_->seen(parts_->entry(campaign), campaign_history);
}

nlohmann::json Service::variables(std::string_view campaign, const VariableQuery& query) const {
  return parts_->seen(parts_->entry(campaign),
                      [&query](const LiveCampaign& live) { return variable_page(live, query); });
}

std::shared_ptr<const CampaignView> Service::view(std::string_view campaign) const {
  Entry& entry = parts_->entry(campaign);
  return parts_->seen(entry, [&](const LiveCampaign& live) {
    const Clock::time_point start = Clock::now();
    const bool same_epoch = entry.view && entry.view_epoch == entry.epoch;
    if (same_epoch && (entry.view->state_version == live.version() || start < entry.view_until)) {
      return entry.view;
    }
    entry.view = std::make_shared<CampaignView>(CampaignView{
        .state_version = live.version(),
        .tag = fmt::format("\"{:x}-{:x}-{}\"", parts_->opened, entry.epoch, live.version()),
        .report = campaign_report(live, true).dump()});
    const Clock::time_point end = Clock::now();
    entry.view_until = end + kViewRest * (end - start);
    entry.view_epoch = entry.epoch;
    return entry.view;
  });
}

void Service::sweep() {
  std::vector<Entry*> waiting;
  {
    const std::shared_lock lock(parts_->campaigns_mutex);
    for (const auto& [name, entry] : parts_->campaigns) {
      if (entry->definition->wait_seconds) waiting.push_back(entry.get());
    }
  }
  std::exception_ptr failure;
  for (Entry* entry : waiting) {
    try {
      while (!parts_->sweep_some(*entry)) {
      }
    } catch (const CommitFailed&) {
      // They are outstanding as before; the next sweep tries again.
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

ServiceGauges Service::gauges() const {
  const CommitterCounts counts = parts_->committer.counts();
  ServiceGauges out = {.commits = counts.commits,
                       .writes = counts.writes,
                       .failed_commits = counts.failed_commits,
                       .queued = counts.queued,
                       .commit_seconds = counts.seconds,
                       .campaigns = {}};
  const std::shared_lock lock(parts_->campaigns_mutex);
  for (const auto& [name, entry] : parts_->campaigns) {
    out.campaigns.push_back(
        parts_->seen(*entry, [](const LiveCampaign& live) { return live.counts(); }));
  }
  return out;
}

}  // namespace updraft
