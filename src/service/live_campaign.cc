#include "service/live_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Of what monitor and evidence make of the same events. To be raised with any change of that, so
/// that older snapshots are made anew from the events.
constexpr std::uint64_t kStateRevision = 1;
constexpr std::string_view kGivenId = "d-";

constexpr std::size_t kMostBatches = 10'000;

/// Bits of a snapshot. The second one is absent as long as no action was ever paused.
constexpr std::uint64_t kLiveNow = 1;
constexpr std::uint64_t kActionsChanged = 2;

bool is_given_id(std::string_view id) {
  return id.starts_with(kGivenId) && id.size() > kGivenId.size() &&
         std::all_of(id.begin() + kGivenId.size(), id.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

/// The part that has all payoffs; null if several have some.
const PayoffPart* only_part(const LiveDecision& decision, const PayoffPart& last) {
  for (const LiveDecision::Paid& paid : decision.parts) {
    if (paid.part.dense) return &paid.part;  // which leaves nothing to the others
  }
  return last.dense || decision.parts.empty() ? &last : nullptr;
}

[[noreturn]] void does_not_follow(const Event& event, std::string_view why) {
  throw std::runtime_error(
      fmt::format("event {} does not follow from those before it: {}", event.number, why));
}

}  // namespace

const LiveDecision::Paid* LiveDecision::paid(std::string_view part) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [part](const Paid& paid) { return paid.part.part == part; });
  return found == parts.end() ? nullptr : &*found;
}

DecisionStatus LiveDecision::status_after(const Paid& paid) const {
  if (paid.part.complete) return DecisionStatus::kComplete;
  return lost != 0 && lost < paid.number ? DecisionStatus::kLost : DecisionStatus::kOutstanding;
}

std::size_t LiveDecision::numbers() const {
  std::size_t count = decided.numbers();
  for (const Paid& paid : parts) count += paid.part.values.size();
  return count;
}

PayoffPart joined(const LiveDecision& decision, const PayoffPart& last) {
  std::vector<const PayoffPart*> parts;
  for (const LiveDecision::Paid& paid : decision.parts) parts.push_back(&paid.part);
  parts.push_back(&last);
  std::vector<std::pair<VariableId, double>> all;
  for (const PayoffPart* part : parts) {
    if (part->dense) return *part;  // which leaves nothing to the others
    for (std::size_t j = 0; j < part->ids.size(); ++j)
      all.emplace_back(part->ids[j], part->values[j]);
  }
  std::sort(all.begin(), all.end());
  PayoffPart one;
  for (const auto& [id, value] : all) {
    one.ids.push_back(id);
    one.values.push_back(value);
  }
  return one;
}

std::optional<LiveDecision> decision_from(const std::vector<Event>& events, std::uint64_t before) {
  std::optional<LiveDecision> out;
  for (const Event& event : events) {
    if (event.number >= before) break;
    if (event.kind == EventKind::kDecided) {
      out.emplace();
      out->number = event.number;
      out->time_ms = event.time_ms;
      out->decided = decode_decided(event.body);
    } else if (!out) {
      continue;
    } else if (event.kind == EventKind::kPayoffs) {
      out->parts.push_back({event.number, decode_payoffs(event.body)});
      if (out->parts.back().part.complete) out->status = DecisionStatus::kComplete;
    } else if (event.kind == EventKind::kLost) {
      out->status = DecisionStatus::kLost;
      out->lost = event.number;
    }
    out->last = event.number;
  }
  return out;
}

LiveCampaign::LiveCampaign(std::shared_ptr<const CampaignDefinition> definition)
    : definition_(std::move(definition)),
      policy_(make_policy(definition_->spec, definition_->policy_knowledge())),
      monitor_(*definition_, plain_policy()),
      evidence_(*definition_),
      actions_(definition_->shape ? 0 : definition_->actions()) {
  if (is_plain() || !definition_->knowledge || !definition_->knowledge->affected()) return;
  const AffectedSets& sets = *definition_->knowledge->affected();
  for (ActionId action = 0; action < sets.actions(); ++action) {
    fixed_sets_.push_back(sets.of(action));
  }
}

Round LiveCampaign::round_of(const Decided& decided) const {
  Round round = {.features = decided.features,
                 .width = policy_->knowledge().features(),
                 .baseline = decided.baseline,
                 .affected = decided.affected,
                 .allowed = decided.allowed};
  if (is_plain()) return round;
  const std::vector<double>* fixed =
      definition_->knowledge ? definition_->knowledge->baseline() : nullptr;
  if (round.baseline.empty() && fixed != nullptr) round.baseline = *fixed;
  if (round.affected.empty()) round.affected = fixed_sets_;
  return round;
}

CampaignGauges LiveCampaign::counts() const {
  const Evidence* actions = evidence_.of_actions();
  return {.name = definition_->name,
          .decided = decided_,
          .complete = complete_,
          .outstanding = outstanding_.size(),
          .lost = lost_,
          .late = late_,
          .held_out = held_out_,
          .settled = actions != nullptr && actions->settled() ? 1u : 0u,
          .guardrail_alarms = actions == nullptr ? 0 : actions->alarms().size(),
          .state_version = version_,
          .last_event_ms = last_event_ms(),
          .stopped = stopped(),
          .in_shadow = in_shadow()};
}

std::optional<std::int64_t> LiveCampaign::last_event_ms() const {
  return version_ == 0 ? std::nullopt : std::optional(last_event_ms_);
}

std::optional<std::int64_t> LiveCampaign::oldest_outstanding_ms() const {
  if (outstanding_.empty()) return std::nullopt;
  return outstanding_.begin()->first.first;
}

void LiveCampaign::look(std::int64_t time_ms) {
  last_event_ms_ = time_ms;
  monitor_.monitor().look(
      plain_policy(),
      {.event = version_, .time_ms = time_ms, .decided = decided_, .complete = complete_});
}

const LiveDecision* LiveCampaign::find(std::string_view id) const {
  const auto found = decisions_.find(std::string(id));
  return found == decisions_.end() ? nullptr : &found->second;
}

Event LiveCampaign::happened(EventKind kind, std::string_view id, std::int64_t now_ms,
                             std::string body) {
  return {.number = ++version_,
          .kind = kind,
          .decision = std::string(id),
          .time_ms = now_ms,
          .body = std::move(body)};
}

Decided LiveCampaign::choose(const DecisionRequest& request) const {
  Decided decided;
  decided.features = request.features;
  decided.baseline = request.baseline;
  decided.affected = request.affected;
  decided.allowed = request.allowed;
  decided.batch = request.batch;
  Round round = round_of(decided);
  round.ahead = ahead_of(request.batch);
  evidence_.choose(*policy_, round, stream(), decided);
  return decided;
}

std::span<const std::uint64_t> LiveCampaign::ahead_of(const BatchPlace& place) const {
  if (place.position <= 1) return {};
  if (ahead_at_ != version_) {  // a snapshot was in the middle of the batch
    const std::uint64_t before = version_ - (place.position - 1);
    ahead_.assign(definition_->actions(), 0);
    ahead_at_ = version_;
    for (const auto& [when, id] : outstanding_) {
      if (when.second > before) ++ahead_[decisions_.at(id).decided.action];
    }
  }
  return ahead_;
}

void LiveCampaign::note_batch(const Decided& decided) {
  if (decided.batch.size == 0) return;
  if (decided.batch.position == 1) {
    ahead_.assign(definition_->actions(), 0);
  } else if (ahead_at_ + 1 != version_) {
    return;  // ahead_of() finds them
  }
  ++ahead_[decided.action];
  ahead_at_ = version_;
}

Decision LiveCampaign::decision_of(const Decided& decided) {
  return {.action = decided.action, .treatments = decided.treatments};
}

bool LiveCampaign::fits(const Decided& decided) const {
  if (decided.by_caller != in_shadow() || (in_shadow() && !decided.proposal)) return false;
  if (!evidence_.fits(decided)) return false;
  const BatchPlace& place = decided.batch;
  const bool batched = place.size > 0;
  if (batched != (place.position > 0) || place.position > place.size) return false;
  if (batched && (!is_plain() || decided.by_caller)) return false;
  if (place.position > version_ + 1) return false;
  if (decided.proposal && *decided.proposal >= definition_->actions()) return false;
  if (policy_->kind() == PolicyKind::kTargeting) {
    return decided.action == 0 && !decided.index && decided.affected.empty() &&
           decided.allowed.empty();
  }
  if (!decided.treatments.empty()) return false;
  return !is_plain() || decided.numbers() == decided.allowed.size();
}

void LiveCampaign::take(const Decided& decided) {
  policy_->take(round_of(decided), decision_of(decided));
}

std::vector<double> LiveCampaign::next_probabilities() const {
  return evidence_.next_probabilities(*policy_, stream());
}

void LiveCampaign::check_decider(const DecisionRequest& request) const {
  if (in_shadow() && !request.action) {
    throw InvalidInput("action", "is missing; in shadow mode the caller says which action it took");
  }
  if (!in_shadow() && request.action) {
    throw Conflict(fmt::format("campaign {} is live: it decides itself", definition_->name));
  }
}

void LiveCampaign::check_allowed(const DecisionRequest& request) const {
  const std::span<const ActionId> paused = evidence_.paused();
  if (request.allowed.empty() || !std::includes(paused.begin(), paused.end(),
                                                request.allowed.begin(), request.allowed.end())) {
    return;
  }
  throw Conflict("allowed: every action in it is paused or retired");
}

void LiveCampaign::count_decider(const Decided& decided) {
  held_out_ += decided.held_out;
  if (!decided.by_caller) return;
  ++shadow_.decisions;
  shadow_.agreed += decided.action == *decided.proposal;
}

void LiveCampaign::check_request(const DecisionRequest& request) const {
  if (stopped_) throw Conflict(fmt::format("campaign {} is stopped", definition_->name));
  check_decider(request);
  check_allowed(request);
  if (is_given_id(request.id)) {
    throw InvalidInput("decision", request.id, "must be another: the service gives such ids");
  }
}

Event LiveCampaign::decide(const DecisionRequest& request, std::int64_t now_ms) {
  check_request(request);
  return make(request, now_ms);
}

std::vector<Event> LiveCampaign::decide_batch(const DecisionRequest& request, std::int64_t now_ms) {
  if (in_shadow()) {
    throw InvalidInput("count", std::to_string(request.batch.size),
                       "cannot be used in shadow mode: the caller decides");
  }
  check_request(request);
  std::vector<Event> events;
  DecisionRequest one = request;
  while (one.batch.position < request.batch.size) {
    ++one.batch.position;
    if (!request.id.empty()) one.id = batch_decision(request.id, one.batch.position);
    events.push_back(make(one, now_ms));
  }
  return events;
}

Event LiveCampaign::make(const DecisionRequest& request, std::int64_t now_ms) {
  Decided decided = choose(request);
  if (request.action) {
    decided.by_caller = true;
    decided.proposal = decided.action;
    decided.action = *request.action;
    decided.probability = request.probability;
    decided.index.reset();
  }
  take(decided);
  count_decider(decided);
  if (is_plain()) {
    const double index = policy_->index(decided.action);
    if (std::isfinite(index)) decided.index = index;
  }
  ++decided_;
  const std::string id = request.id.empty() ? fmt::format("{}{}", kGivenId, decided_) : request.id;
  monitor_.decided(id, decided);
  Event event = happened(EventKind::kDecided, id, now_ms, encode(decided));
  note_batch(decided);
  LiveDecision decision;
  decision.number = decision.last = event.number;
  decision.time_ms = now_ms;
  decision.decided = std::move(decided);
  outstanding_.emplace(std::pair(now_ms, event.number), id);
  remember(id, std::move(decision));
  look(now_ms);
  return event;
}

std::size_t LiveCampaign::payers(const Decided& decided) const {
  return is_plain() ? definition_->knowledge->variables() : round_of(decided).size();
}

void LiveCampaign::check_part(const LiveDecision& decision, const PayoffPart& part) const {
  const std::size_t count = payers(decision.decided);
  if (part.dense && part.values.size() != count) {
    throw InvalidInput("payoffs", fmt::format("{} numbers", part.values.size()),
                       fmt::format("must be one for each of {}", count));
  }
  if (!part.ids.empty() && part.ids.back() >= count) {
    throw InvalidInput("indices", std::to_string(part.ids.back()),
                       fmt::format("must be below {}", count));
  }
  for (const LiveDecision::Paid& paid : decision.parts) {
    if ((paid.part.dense && !part.values.empty()) || (part.dense && !paid.part.values.empty())) {
      throw Conflict(fmt::format("part '{}' has brought payoffs already", paid.part.part));
    }
    std::vector<VariableId> common;
    std::set_intersection(paid.part.ids.begin(), paid.part.ids.end(), part.ids.begin(),
                          part.ids.end(), std::back_inserter(common));
    if (!common.empty()) {
      throw Conflict(fmt::format("part '{}' has brought the payoff of variable {} already",
                                 paid.part.part, common.front()));
    }
  }
}

void LiveCampaign::observe(const Decided& decided, const PayoffPart& all) {
  std::vector<double> rows;  // of a round that has them, all that paid and those that did not
  if (!is_plain() && !all.dense) {
    rows.assign(payers(decided), 0.0);
    for (std::size_t j = 0; j < all.ids.size(); ++j) rows[all.ids[j]] = all.values[j];
  }
  const Payoffs payoffs = all.dense    ? Payoffs::dense(all.values)
                          : is_plain() ? Payoffs::sparse(all.ids, all.values)
                                       : Payoffs::dense(rows);
  policy_->learn(decision_of(decided), round_of(decided), payoffs);
  monitor_.observed(decided, payoffs);
  evidence_.observed(decided, payoffs);
}

Event LiveCampaign::pay(std::string_view id, PayoffPart part, std::int64_t now_ms) {
  LiveDecision& decision = decisions_.at(std::string(id));
  if (decision.status == DecisionStatus::kComplete) {
    throw Conflict(fmt::format("decision {} is complete", id));
  }
  if (decision.status == DecisionStatus::kLost && definition_->lost == LostPayoffs::kZeros) {
    throw Conflict(fmt::format("decision {} was lost, and payoffs of 0 were counted", id));
  }
  check_part(decision, part);
  const bool completes = part.complete;
  if (completes) {
    if (const PayoffPart* only = only_part(decision, part)) {
      observe(decision.decided, *only);  // large ones are not copied
    } else {
      observe(decision.decided, joined(decision, part));
    }
  }
  Event event = happened(EventKind::kPayoffs, id, now_ms, encode(part));
  waiting_numbers_ += part.values.size();
  decision.parts.push_back({event.number, std::move(part)});
  decision.last = event.number;
  if (completes) {
    if (decision.status == DecisionStatus::kLost) {
      --lost_;
      ++late_;
    }
    decision.status = DecisionStatus::kComplete;
    ++complete_;
    outstanding_.erase({decision.time_ms, decision.number});
  }
  look(now_ms);
  return event;
}

Event LiveCampaign::learn_past(std::string_view batch, const std::vector<PastRound>& rounds,
                               std::int64_t now_ms) {
  if (stopped_) throw Conflict(fmt::format("campaign {} is stopped", definition_->name));
  if (!is_plain()) throw InvalidInput("rounds", "past rounds are for plain policies");
  if (decided_ > 0) {
    throw Conflict(fmt::format("campaign {} has decided already: past rounds must come before",
                               definition_->name));
  }
  if (past_batches_.size() >= kMostBatches) {
    throw Conflict(fmt::format("there are {} batches, which is the limit", kMostBatches));
  }
  StateWriter before;
  policy_->save_state(before);
  try {
    for (const PastRound& round : rounds) {
      const PayoffPart& paid = round.payoffs;
      policy_->take(round.action);
      policy_->observe(round.action, paid.dense ? Payoffs::dense(paid.values)
                                                : Payoffs::sparse(paid.ids, paid.values));
    }
  } catch (...) {
    policy_ = make_policy(definition_->spec, definition_->policy_knowledge());
    const std::string saved = before.bytes();
    StateReader reader(saved);
    policy_->restore_state(reader);
    throw;
  }
  past_rounds_ += rounds.size();
  Event event =
      happened(EventKind::kHistory, fmt::format("{}{}", kBatch, batch), now_ms, encode(rounds));
  past_batches_.emplace(batch, event.number);
  look(now_ms);
  return event;
}

Event LiveCampaign::go_live(std::int64_t now_ms) {
  if (stopped_) throw Conflict(fmt::format("campaign {} is stopped", definition_->name));
  if (!in_shadow()) throw Conflict(fmt::format("campaign {} is live", definition_->name));
  live_ = true;
  Event event = happened(EventKind::kLive, "", now_ms, "");
  look(now_ms);
  return event;
}

Event LiveCampaign::set_status(ActionId action, ActionStatus status, std::int64_t now_ms) {
  if (stopped_) throw Conflict(fmt::format("campaign {} is stopped", definition_->name));
  if (definition_->shape) {
    throw InvalidInput("action", std::to_string(action),
                       "targeted campaigns have treatments, not actions");
  }
  if (const std::string_view why = actions_.roster().refusal(action, status); !why.empty()) {
    throw Conflict(fmt::format("action {} {}", action, why));
  }
  const RoundShares& shares = definition_->evidence.shares;
  if (status != ActionStatus::kActive && shares.holdout > 0.0 && shares.control == action) {
    throw Conflict(fmt::format("action {} is the control action of the holdout", action));
  }
  if (actions_.full()) {
    throw Conflict(fmt::format("actions were paused and resumed {} times, which is the limit",
                               ActionChanges::kMost));
  }
  actions_.add({version_ + 1, now_ms, decided_, action, status});
  evidence_.set_idle(actions_.roster().idle());
  Event event = happened(kind_of(status), "", now_ms, encode_action(action));
  look(now_ms);
  return event;
}

Event LiveCampaign::stop(std::int64_t now_ms) {
  if (stopped_) throw Conflict(fmt::format("campaign {} is stopped", definition_->name));
  stopped_ = true;
  Event event = happened(EventKind::kStopped, "", now_ms, "");
  look(now_ms);
  return event;
}

std::optional<Event> LiveCampaign::lose(std::int64_t now_ms) {
  if (!definition_->wait_seconds || outstanding_.empty()) return std::nullopt;
  const auto oldest = outstanding_.begin();
  LiveDecision& decision = decisions_.at(oldest->second);
  if (static_cast<double>(now_ms - decision.time_ms) < 1000.0 * *definition_->wait_seconds) {
    return std::nullopt;
  }
  if (definition_->lost == LostPayoffs::kZeros) observe(decision.decided, PayoffPart{});
  decision.status = DecisionStatus::kLost;
  ++lost_;
  Event event = happened(EventKind::kLost, oldest->second, now_ms, "");
  decision.last = decision.lost = event.number;
  outstanding_.erase(oldest);
  look(now_ms);
  return event;
}

void LiveCampaign::remember(const std::string& id, LiveDecision decision) {
  waiting_numbers_ += decision.numbers();
  decisions_.emplace(id, std::move(decision));
}

void LiveCampaign::forget(std::string_view id, std::uint64_t number) {
  const auto found = decisions_.find(std::string(id));
  if (found == decisions_.end()) return;
  const LiveDecision& decision = found->second;
  if (decision.status == DecisionStatus::kOutstanding || decision.last > number) return;
  waiting_numbers_ -= decision.numbers();
  decisions_.erase(found);
}

void LiveCampaign::replay(const Event& event, const FindLost& find_lost) {
  if (event.number != version_ + 1) does_not_follow(event, "its number");
  switch (event.kind) {
    case EventKind::kDecided: {
      if (find(event.decision) != nullptr) does_not_follow(event, "its decision is there already");
      if (is_given_id(event.decision) &&
          event.decision != fmt::format("{}{}", kGivenId, decided_ + 1)) {
        does_not_follow(event, "the service gives other ids");
      }
      LiveDecision decision;
      decision.number = decision.last = event.number;
      decision.time_ms = event.time_ms;
      decision.decided = decode_decided(event.body);
      if (!fits(decision.decided)) does_not_follow(event, "such campaigns decide otherwise");
      take(decision.decided);
      count_decider(decision.decided);
      ++decided_;
      ++version_;
      note_batch(decision.decided);
      monitor_.decided(event.decision, decision.decided);
      outstanding_.emplace(std::pair(event.time_ms, event.number), event.decision);
      remember(event.decision, std::move(decision));
      look(event.time_ms);
      return;
    }
    case EventKind::kPayoffs: {
      if (find(event.decision) == nullptr) {
        std::optional<LiveDecision> lost = find_lost(event);
        if (!lost) does_not_follow(event, "its decision");
        remember(event.decision, std::move(*lost));
      }
      pay(event.decision, decode_payoffs(event.body), event.time_ms);
      break;
    }
    case EventKind::kLost: {
      const auto lost = lose(event.time_ms);
      if (!lost || lost->decision != event.decision)
        does_not_follow(event, "another was lost first");
      break;
    }
    case EventKind::kStopped:
      stop(event.time_ms);
      break;
    case EventKind::kHistory: {
      const std::string_view id = event.decision;
      if (!id.starts_with(kBatch)) does_not_follow(event, "its batch");
      const std::string_view batch = id.substr(kBatch.size());
      if (past_batches_.find(batch) != past_batches_.end()) {
        does_not_follow(event, "its batch is there already");
      }
      learn_past(batch, decode_history(event.body), event.time_ms);
      break;
    }
    case EventKind::kLive:
      go_live(event.time_ms);
      break;
    case EventKind::kPaused:
    case EventKind::kResumed:
    case EventKind::kRetired: {
      const ActionId action = decode_action(event.body);
      const ActionStatus status = status_of(event.kind);
      const ActionRoster& roster = actions_.roster();
      if (action >= roster.actions() || roster.status(action) == status) {
        does_not_follow(event, "its action");
      }
      set_status(action, status, event.time_ms);
      break;
    }
    default:
      does_not_follow(event, "its kind");
  }
  forget(event.decision, event.number);
}

void LiveCampaign::write_maker(StateWriter& writer) const {
  writer.text(spec().text());
  writer.u64(revision());
  writer.u64(kStateRevision);
}

bool LiveCampaign::made(std::string_view snapshot) const {
  StateReader reader(snapshot);
  const std::string policy = reader.text();
  return reader.u64() == revision() && policy == spec().text() && reader.u64() == kStateRevision;
}

/// Of rounds that the policy did not decide, and of the actions that it could take.
void LiveCampaign::write_others(StateWriter& writer) const {
  const bool changed = !actions_.changes().empty();
  writer.u64((live_ ? kLiveNow : 0) | (changed ? kActionsChanged : 0));
  if (changed) actions_.write(writer);
  writer.u64(shadow_.decisions);
  writer.u64(shadow_.agreed);
  writer.u64(held_out_);
  writer.u64(past_rounds_);
  writer.u64(past_batches_.size());
  for (const auto& [batch, number] : past_batches_) {
    writer.text(batch);
    writer.u64(number);
  }
}

void LiveCampaign::read_others(StateReader& reader) {
  const std::uint64_t has = reader.u64_at_most(kLiveNow | kActionsChanged, "snapshot: live");
  live_ = (has & kLiveNow) != 0;
  if ((has & kActionsChanged) != 0) actions_.read(reader);
  evidence_.set_idle(actions_.roster().idle());  // before the evidence is read
  shadow_.decisions = reader.u64();
  shadow_.agreed = reader.u64();
  held_out_ = reader.u64();
  past_rounds_ = reader.u64();
  for (std::uint64_t left = reader.u64(); left > 0; --left) {
    std::string batch = reader.text();
    past_batches_.emplace(std::move(batch), reader.u64());
  }
}

std::string LiveCampaign::snapshot() const {
  StateWriter writer;
  write_maker(writer);
  writer.u64(version_);
  writer.u64(stopped_ ? 1 : 0);
  writer.u64(decided_);
  writer.u64(complete_);
  writer.u64(lost_);
  writer.u64(late_);
  writer.u64(static_cast<std::uint64_t>(last_event_ms_));
  write_others(writer);
  monitor_.write(writer);
  evidence_.write(writer);
  policy_->save_state(writer);
  writer.u64(outstanding_.size());
  for (const auto& [when, id] : outstanding_) {
    const LiveDecision& decision = decisions_.at(id);
    writer.text(id);
    writer.u64(decision.number);
    writer.u64(static_cast<std::uint64_t>(decision.time_ms));
    writer.text(encode(decision.decided));
    writer.u64(decision.parts.size());
    for (const LiveDecision::Paid& paid : decision.parts) {
      writer.u64(paid.number);
      writer.text(encode(paid.part));
    }
  }
  return writer.bytes();
}

void LiveCampaign::restore(std::string_view snapshot) {
  if (!made(snapshot)) {
    throw InvalidInput("snapshot", "was made by another policy or another revision of it");
  }
  StateReader reader(snapshot);
  reader.text();
  reader.u64();
  reader.u64();
  version_ = reader.u64();
  stopped_ = reader.u64_at_most(1, "snapshot: stopped") == 1;
  decided_ = reader.u64();
  complete_ = reader.u64();
  lost_ = reader.u64();
  late_ = reader.u64();
  last_event_ms_ = static_cast<std::int64_t>(reader.u64());
  read_others(reader);
  monitor_.read(reader);
  evidence_.read(reader);
  policy_->restore_state(reader);
  for (std::uint64_t left = reader.u64(); left > 0; --left) {
    std::string id = reader.text();
    LiveDecision decision;
    decision.number = reader.u64();
    decision.time_ms = static_cast<std::int64_t>(reader.u64());
    decision.decided = decode_decided(reader.text());
    for (std::uint64_t parts = reader.u64(); parts > 0; --parts) {
      const std::uint64_t number = reader.u64();
      decision.parts.push_back({number, decode_payoffs(reader.text())});
    }
    decision.last = decision.parts.empty() ? decision.number : decision.parts.back().number;
    outstanding_.emplace(std::pair(decision.time_ms, decision.number), id);
    remember(id, std::move(decision));
  }
  reader.finish();
}

}  // namespace updraft
