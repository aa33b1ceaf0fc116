#include "service/service.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "service/campaign_report.h"
#include "service/live_campaign.h"
#include "store/campaign_store.h"
#include "store/committer.h"

namespace updraft {
namespace {

std::int64_t system_milliseconds() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

/// A campaign with its place in the store. `mutex` guards what follows it.
struct Entry {
  StoredCampaign stored;
  std::shared_ptr<const CampaignDefinition> definition;

  std::mutex mutex;
  std::unique_ptr<LiveCampaign> live;
  std::uint64_t epoch = 0;        // of the committer, when `live` was built
  std::uint64_t last_ticket = 0;  // of the committer
};

DecisionAnswer answer_of(std::string_view id, const LiveDecision& decision) {
  return {.id = std::string(id),
          .status = decision.status,
          .state_version = decision.number - 1,
          .action = decision.decided.action,
          .index = decision.decided.index,
          .treatments = decision.decided.treatments};
}

Unavailable unavailable(const CommitFailed& failure) {
  return {failure.disk_full() ? "the disk is full: nothing was changed"
                              : "it cannot be written now: nothing was changed",
          failure.disk_full()};
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
  explicit Parts(ServiceOptions given)
      : options(std::move(given)),
        store(options.store, CampaignStore::Mode::kWrite),
        committer(store, options.group_commits) {
    if (!options.clock) options.clock = system_milliseconds;
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
    const auto snapshot = store.last_snapshot(entry.stored);
    if (snapshot) live->restore(snapshot->body);
    const auto find_lost = [&](const Event& event) {
      return decision_from(store.events_of(entry.stored, event.decision), event.number);
    };
    store.for_each_event(entry.stored, live->version(),
                         [&](const Event& event) { live->replay(event, find_lost); });
    entry.live = std::move(live);
    entry.epoch = epoch;
  }

  /// The state, where that of a failed commit is replaced first.
  LiveCampaign& current(Entry& entry) {
    try {
      if (entry.epoch != committer.epoch()) rebuild(entry);
    } catch (const StoreError& error) {
      throw CommitFailed(error.what(), false);
    }
    return *entry.live;
  }

  std::uint64_t keep(Entry& entry, Event event) {
    entry.last_ticket = committer.add(EventWrite{entry.stored.id, std::move(event)}, entry.epoch);
    const std::uint64_t ticket = entry.last_ticket;
    const std::uint64_t version = entry.live->version();
    if (version % options.snapshot_every == 0) {
      entry.last_ticket = committer.add(
          SnapshotWrite{entry.stored.id, {version, entry.live->snapshot()}}, entry.epoch);
    }
    return ticket;
  }

  /// A decision wherever it is. Decisions that were settled long ago are only in the store.
  std::optional<LiveDecision> find(Entry& entry, std::string_view id) {
    if (const LiveDecision* found = current(entry).find(id)) return *found;
    return decision_from(store.events_of(entry.stored, id),
                         std::numeric_limits<std::uint64_t>::max());
  }

  ServiceOptions options;
  CampaignStore store;
  Committer committer;
  mutable std::shared_mutex campaigns_mutex;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> campaigns;
};

Service::Service(ServiceOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {
  for (StoredCampaign& stored : parts_->store.campaigns()) {
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
          fmt::format("{}: campaign {} cannot be rebuilt: {}; updraft store check says more",
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
    throw Conflict(fmt::format("there is another campaign {}", definition.name));
  }
  if (parts_->campaigns.size() >= parts_->options.most_campaigns) {
    throw Conflict(
        fmt::format("there are {} campaigns, which is the most", parts_->campaigns.size()));
  }
  auto entry = std::make_unique<Entry>();
  entry->stored = {static_cast<std::int64_t>(parts_->campaigns.size()) + 1, definition.name,
                   definition.canonical};
  entry->definition = std::make_shared<CampaignDefinition>(definition);
  entry->epoch = parts_->committer.epoch();
  entry->live = std::make_unique<LiveCampaign>(entry->definition);
  try {
    parts_->committer.check();
    parts_->committer.wait(parts_->committer.add(entry->stored, entry->epoch));
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
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
    const std::uint64_t ticket = live.stopped()
                                     ? entry.last_ticket
                                     : parts_->keep(entry, live.stop(parts_->options.clock()));
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
    DecisionAnswer answer;
    std::uint64_t ticket = 0;
    std::optional<LiveDecision> known;
    if (!request.id.empty()) known = parts_->find(entry, request.id);
    if (known) {
      if (known->decided.pool != request.pool || known->decided.baseline != request.baseline) {
        throw Conflict(fmt::format("decision {} was asked for with another pool", request.id));
      }
      answer = answer_of(request.id, *known);
      ticket = entry.last_ticket;
    } else {
      LiveCampaign& live = parts_->current(entry);
      if (live.counts().outstanding >= parts_->options.most_outstanding) {
        throw Conflict(fmt::format("{} decisions are outstanding, which is the most",
                                   live.counts().outstanding));
      }
      Event event = live.decide(request, parts_->options.clock());
      answer = answer_of(event.decision, *live.find(event.decision));
      ticket = parts_->keep(entry, std::move(event));
    }
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
    const std::optional<LiveDecision> known = parts_->find(entry, decision);
    if (!known) throw NotFound(fmt::format("there is no decision {}", decision));
    PayoffsAnswer answer = {.id = std::string(decision), .status = known->status};
    if (const LiveDecision::Paid* paid = known->paid(part.part)) {
      if (!(paid->part == part)) {
        throw Conflict(
            fmt::format("decision {} has other payoffs in part '{}'", decision, part.part));
      }
      if (!part.complete) answer.status = DecisionStatus::kOutstanding;
      answer.state_version = paid->number;
      const std::uint64_t ticket = entry.last_ticket;
      lock.unlock();
      parts_->committer.wait(ticket);
      return answer;
    }
    LiveCampaign& live = parts_->current(entry);
    const bool forgotten = live.find(decision) == nullptr;
    if (forgotten) live.remember(std::string(decision), *known);
    std::uint64_t ticket = 0;
    try {
      Event event = live.pay(decision, part, parts_->options.clock());
      answer.status = live.find(decision)->status;
      answer.state_version = event.number;
      ticket = parts_->keep(entry, std::move(event));
    } catch (...) {
      live.forget(decision);
      throw;
    }
    lock.unlock();
    parts_->committer.wait(ticket);
    lock.lock();
    entry.live->forget(decision);
    return answer;
  } catch (const CommitFailed& failure) {
    throw unavailable(failure);
  }
}

DecisionAnswer Service::decision(std::string_view campaign, std::string_view decision) const {
  Entry& entry = parts_->entry(campaign);
  const std::lock_guard lock(entry.mutex);
  const std::optional<LiveDecision> known = parts_->find(entry, decision);
  if (!known) throw NotFound(fmt::format("there is no decision {}", decision));
  return answer_of(decision, *known);
}

nlohmann::json Service::list() const {
  const std::shared_lock lock(parts_->campaigns_mutex);
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [name, entry] : parts_->campaigns) {
    const std::lock_guard entry_lock(entry->mutex);
    out.push_back(brief(parts_->current(*entry)));
  }
  return {{"campaigns", out}};
}

nlohmann::json Service::show(std::string_view campaign) const {
  Entry& entry = parts_->entry(campaign);
  const std::lock_guard lock(entry.mutex);
  return described(parts_->current(entry));
}

nlohmann::json Service::report(std::string_view campaign) const {
  Entry& entry = parts_->entry(campaign);
  const std::lock_guard lock(entry.mutex);
  return campaign_report(parts_->current(entry));
}

void Service::sweep() {
  std::vector<Entry*> waiting;
  {
    const std::shared_lock lock(parts_->campaigns_mutex);
    for (const auto& [name, entry] : parts_->campaigns) {
      if (entry->definition->wait_seconds) waiting.push_back(entry.get());
    }
  }
  for (Entry* entry : waiting) {
    try {
      std::unique_lock lock(entry->mutex);
      parts_->committer.check();
      LiveCampaign& live = parts_->current(*entry);
      std::vector<std::string> lost;
      std::uint64_t ticket = 0;
      while (std::optional<Event> event = live.lose(parts_->options.clock())) {
        lost.push_back(event->decision);
        ticket = parts_->keep(*entry, std::move(*event));
      }
      lock.unlock();
      if (lost.empty()) continue;
      parts_->committer.wait(ticket);
      lock.lock();
      for (const std::string& id : lost) entry->live->forget(id);
    } catch (const CommitFailed&) {
      // They are outstanding as before; the next sweep tries again.
    }
  }
}

void Service::limit_store_pages(std::int64_t pages) { parts_->store.limit_pages(pages); }

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
    const std::lock_guard entry_lock(entry->mutex);
    out.campaigns.push_back(entry->live->counts());
  }
  return out;
}

}  // namespace updraft
