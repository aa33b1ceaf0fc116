#include "service/service.h"

#include <fmt/format.h>

#include <limits>

#include "service/campaign_report.h"
#include "service/decision_page.h"
#include "service/event_page.h"
#include "service/queries.h"
#include "service/service_parts.h"
#include "service/variable_page.h"
#include "store/open_store.h"

namespace updraft {
namespace {

constexpr std::size_t kMostWaitingNumbers = std::size_t{1} << 25;  // 256 MiB of a campaign
constexpr int kViewRest = 10;  // times what a view takes, before another one is made

}  // namespace

DecisionAnswer answer_of(std::string_view id, const LiveDecision& decision) {
  return {.id = std::string(id),
          .status = decision.status,
          .state_version = decision.number - 1,
          .action = decision.decided.action,
          .index = decision.decided.index,
          .treatments = decision.decided.treatments,
          .probability = decision.decided.probability,
          .proposal = decision.decided.proposal,
          .by_caller = decision.decided.by_caller,
          .held_out = decision.decided.held_out,
          .probe = decision.decided.probe};
}

namespace {

void check_room(const LiveCampaign& live, const DecisionRequest& request, std::size_t most) {
  const std::size_t outstanding = live.counts().outstanding;
  if (outstanding >= most) {
    throw Conflict(fmt::format("{} decisions are outstanding, which is the limit", outstanding));
  }
  const std::size_t count = std::max<std::size_t>(request.batch.size, 1);
  if (count > most - outstanding) {
    throw Conflict(fmt::format(
        "{} decisions are outstanding; with {} more there would be more than the limit, {}",
        outstanding, count, most));
  }
  if (live.waiting_numbers() + count * numbers_of(request) > kMostWaitingNumbers) {
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

Service::Service(ServiceOptions options)
    : Service(options, open_store_to_write(options.store, options.node, options.log)) {}

Service::Service(ServiceOptions options, std::unique_ptr<EventStore> store)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(store))) {
  for (StoredCampaign& stored : parts_->store->campaigns()) parts_->take_in(std::move(stored));
}

Quarantined::Quarantined(std::string_view campaign, std::string_view reason)
    : std::runtime_error(fmt::format(
          "campaign {} is quarantined: {}; docs/operations.md says what to do", campaign, reason)) {
}

void Service::stop(std::string_view campaign, std::string_view by) {
  parts_->commit(*parts_->entry(campaign), by, [&](LiveCampaign& live) {
    return live.stopped() ? std::nullopt : std::optional(live.stop(parts_->options.clock()));
  });
}

void Service::go_live(std::string_view campaign, std::string_view by) {
  parts_->commit(*parts_->entry(campaign), by, [&](LiveCampaign& live) {
    return live.in_shadow() ? std::optional(live.go_live(parts_->options.clock())) : std::nullopt;
  });
}

std::uint64_t Service::set_status(std::string_view campaign, ActionId action, ActionStatus status,
                                  std::string_view by) {
  std::uint64_t version = 0;
  parts_->commit(*parts_->entry(campaign), by, [&](LiveCampaign& live) -> std::optional<Event> {
    version = live.version();
    const ActionRoster& roster = live.action_changes().roster();
    if (action < roster.actions() && roster.status(action) == status) return std::nullopt;
    Event event = live.set_status(action, status, parts_->options.clock());
    version = event.number;
    return event;
  });
  return version;
}

HistoryAnswer Service::learn_past(std::string_view campaign, const HistoryRequest& request,
                                  std::string_view by) {
  const EntryPtr entry = parts_->entry(campaign);
  HistoryAnswer answer = {.batch = request.batch, .rounds = request.rounds.size()};
  bool known = false;
  parts_->commit(*entry, by, [&](LiveCampaign& live) -> std::optional<Event> {
    const auto found = live.past_batches().find(request.batch);
    known = found != live.past_batches().end();
    if (known) {
      answer.state_version = found->second;
      return std::nullopt;
    }
    Event event = live.learn_past(request.batch, request.rounds, parts_->options.clock());
    answer.state_version = event.number;
    return event;
  });
  if (!known) return answer;
  const std::vector<Event> kept = parts_->from_store(*entry, [&] {
    return parts_->store->events_of(entry->stored, fmt::format("{}{}", kBatch, request.batch));
  });
  if (kept.empty() || kept.front().body != encode(request.rounds)) {
    throw Conflict(fmt::format("batch {} already has other rounds", request.batch));
  }
  return answer;
}

std::shared_ptr<const CampaignDefinition> Service::definition(std::string_view campaign) const {
  auto definition = parts_->entry(campaign)->definition();
  if (!definition) throw Conflict(fmt::format("campaign {} is archived", campaign));
  return definition;
}

DecisionAnswer Service::decide(std::string_view campaign, const DecisionRequest& request,
                               std::string_view by, Commit* later) {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  return parts_->answered(entry, [&](auto& lock) {
    LiveCampaign& live = parts_->to_change(entry);
    DecisionAnswer answer;
    std::optional<LiveDecision> known;
    if (!request.id.empty()) known = parts_->find(entry, live, request.id);
    if (known) {
      if (!known->decided.differs_by(request).empty()) {
        throw Conflict(fmt::format("decision {} was made for another {}", request.id,
                                   known->decided.differs_by(request)));
      }
      answer = answer_of(request.id, *known);
    } else {
      check_room(live, request, parts_->options.most_outstanding);
      parts_->check_kept(entry, request);
      parts_->changing(entry, [&] {
        Event event = live.decide(request, parts_->options.clock());
        answer = answer_of(event.decision, *live.find(event.decision));
        parts_->keep(entry, std::move(event), by);
      });
      parts_->keep_snapshot_when_due(entry);
    }
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->wait_unless(later, ticket);
    return answer;
  });
}

std::vector<DecisionAnswer> Service::decide_batch(std::string_view campaign,
                                                  const DecisionRequest& request,
                                                  std::string_view by, Commit* later) {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  return parts_->answered(entry, [&](auto& lock) {
    LiveCampaign& live = parts_->to_change(entry);
    std::vector<DecisionAnswer> answers = parts_->batch_made(entry, live, request);
    if (answers.empty()) {
      check_room(live, request, parts_->options.most_outstanding);
      const std::uint64_t before = live.version();
      parts_->changing(entry, [&] {
        std::vector<Event> events = live.decide_batch(request, parts_->options.clock());
        for (const Event& event : events) {
          answers.push_back(answer_of(event.decision, *live.find(event.decision)));
        }
        parts_->keep(entry, std::move(events), by);
      });
      parts_->keep_snapshot_when_due(entry, before);
    }
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->wait_unless(later, ticket);
    return answers;
  });
}

PayoffsAnswer Service::pay(std::string_view campaign, std::string_view decision, PayoffPart part,
                           std::string_view by, Commit* later) {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  return parts_->answered(entry, [&](auto& lock) {
    LiveCampaign& live = parts_->to_change(entry);
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
          Event event = live.pay(decision, std::move(part), parts_->options.clock());
          answer.status = live.find(decision)->status;
          answer.state_version = event.number;
          entry.to_forget.push_back({Settled::kNever, answer.id, event.number});
          entry.to_forget.back().ticket = parts_->keep(entry, std::move(event), by);
        });
      } catch (...) {
        if (forgotten) live.forget(decision, last);
        throw;
      }
      parts_->keep_snapshot_when_due(entry);
    }
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    if (parts_->wait_unless(later, ticket)) {
      lock.lock();
      parts_->forget_kept(entry);
    }
    return answer;
  });
}

void Service::when_kept(Commit commit, std::function<void(const Unavailable*)> done) {
  parts_->committer.when_done(commit.ticket, [done = std::move(done)](const CommitFailed* failure) {
    if (failure == nullptr) return done(nullptr);
    const Unavailable answer = unavailable(*failure);
    done(&answer);
  });
}

DecisionAnswer Service::decision(std::string_view campaign, std::string_view decision) const {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  return parts_->answered(entry, [&](auto& lock) {
    const std::optional<LiveDecision> known = parts_->find(entry, parts_->current(entry), decision);
    if (!known) throw NotFound(fmt::format("there is no decision {}", decision));
    const std::uint64_t ticket = entry.last_ticket;
    lock.unlock();
    parts_->committer.wait(ticket);
    return answer_of(decision, *known);
  });
}

std::int64_t Service::now_ms() const { return parts_->options.clock(); }

std::optional<nlohmann::json> Service::Parts::line_of(Entry& entry) {
  Published shown = entry.published();
  const std::int64_t id = entry.stored.id;
  const bool is_kept = shown.epoch == committer.epoch(id) && store->holds(id);
  if (shown.quarantine.empty() && !is_kept) {
    if (store->is_shared()) return std::nullopt;
    // A commit failed, and the counts may tell of what was not kept.
    const std::unique_lock lock(entry.mutex, std::try_to_lock);
    try {
      if (lock) current(entry);
    } catch (const Quarantined&) {
    } catch (const Conflict&) {  // archived a moment ago
    } catch (const CommitFailed& failure) {
      throw unavailable(failure);
    }
    shown = entry.published();
  }
  if (!shown.quarantine.empty()) return brief_of_quarantined(shown.counts, shown.quarantine);
  if (!shown.definition) return std::nullopt;
  return brief(shown.counts, *shown.definition);
}

nlohmann::json Service::list(bool archived) const {
  nlohmann::json out = nlohmann::json::array();
  for (const EntryPtr& entry : parts_->entries()) {
    if (const auto left = entry->archived()) {
      if (archived) out.push_back(brief_of_archived(*left->archive));
    } else if (!archived) {
      if (auto line = parts_->line_of(*entry)) out.push_back(std::move(*line));
    }
  }
  return {{"campaigns", out}, {"now_ms", now_ms()}};
}

nlohmann::json Service::show(std::string_view campaign) const {
  const EntryPtr entry = parts_->entry(campaign);
  if (auto archived = parts_->of_archive(*entry, "campaign")) return *archived;
  nlohmann::json out = parts_->seen(*entry, described);
  put_creation(entry->stored, out);
  return out;
}

nlohmann::json Service::report(std::string_view campaign) const {
  const EntryPtr entry = parts_->entry(campaign);
  auto archived = parts_->of_archive(*entry, "report");
  nlohmann::json out =
      archived ? std::move(*archived) : parts_->seen(*entry, [](const LiveCampaign& live) {
        return campaign_report(live, false);
      });
  out["now_ms"] = now_ms();
  return out;
}

nlohmann::json Service::history(std::string_view campaign) const {
  const EntryPtr entry = parts_->entry(campaign);
  if (auto archived = parts_->of_archive(*entry, "history")) return *archived;
  return parts_->seen(*entry, campaign_history);
}

nlohmann::json Service::events(std::string_view campaign, const EventQuery& query) const {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  const auto archived = entry.archived();
  if (archived && !archived->has_events()) {
    throw Conflict(fmt::format("the events of campaign {} were dropped", campaign));
  }
  return parts_->from_store(entry, [&] {
    const auto cut = parts_->store->cut_of(entry.stored);
    const std::uint64_t after = std::max(query.after, cut ? cut->number : 0);
    return event_page(parts_->store->events_after(entry.stored, after, query.count));
  });
}

nlohmann::json Service::decisions(std::string_view campaign, const EventQuery& query) const {
  const EntryPtr entry = parts_->entry(campaign);
  const auto about = definition(campaign);
  return parts_->from_store(
      *entry, [&] { return decision_page(*parts_->store, entry->stored, *about, query); });
}

nlohmann::json Service::variables(std::string_view campaign, const VariableQuery& query) const {
  return parts_->seen(*parts_->entry(campaign),
                      [&query](const LiveCampaign& live) { return variable_page(live, query); });
}

std::shared_ptr<const CampaignView> Service::view(std::string_view campaign) const {
  const EntryPtr kept = parts_->entry(campaign);
  Entry& entry = *kept;
  if (auto archived = parts_->of_archive(entry, "view")) {
    return std::make_shared<CampaignView>(
        CampaignView{.state_version = archived->at("state_version"),
                     .tag = fmt::format("\"archived-{}\"", entry.stored.id),
                     .report = archived->dump()});
  }
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

}  // namespace updraft
