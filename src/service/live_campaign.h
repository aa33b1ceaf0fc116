#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "service/action_changes.h"
#include "service/campaign_definition.h"
#include "service/campaign_evidence.h"
#include "service/campaign_monitor.h"
#include "service/campaign_status.h"
#include "service/event_bodies.h"
#include "service/requests.h"
#include "store/event.h"
#include "updraft/policy.h"
#include "updraft/stream.h"

namespace updraft {

/// A decision and what came of it so far.
struct LiveDecision {
  struct Paid {
    std::uint64_t number = 0;  ///< of the event
    PayoffPart part;
  };

  std::uint64_t number = 0;  ///< of the event that decided it
  std::int64_t time_ms = 0;
  DecisionStatus status = DecisionStatus::kOutstanding;
  std::uint64_t last = 0;  ///< number of the last event about it
  std::uint64_t lost = 0;  ///< of the event that lost it; 0: none
  Decided decided;
  std::vector<Paid> parts;

  /// What the answer said when that part had been taken.
  DecisionStatus status_after(const Paid& paid) const;
  /// Numbers that are kept for it.
  std::size_t numbers() const;

  /// Its parts, or null.
  const Paid* paid(std::string_view part) const;
};

/// The parts of its payoffs, and `last`, as one, ids increasing.
PayoffPart joined(const LiveDecision& decision, const PayoffPart& last);

/// From its events with numbers below `before`; none if there are no such events.
std::optional<LiveDecision> decision_from(const std::vector<Event>& events, std::uint64_t before);

/// Before the id of a batch of past rounds, in place of that of a decision, which has no slash.
inline constexpr std::string_view kBatch = "history/";

/// The state of a live campaign: a policy, and the decisions whose payoffs it waits for. The same
/// events give the same state, bit for bit. For one thread at a time.
///
/// Commands check, change the state and return what happened, which is to be kept. They throw
/// InvalidInput and Conflict, and then nothing has changed.
class LiveCampaign {
 public:
  explicit LiveCampaign(std::shared_ptr<const CampaignDefinition> definition);

  const CampaignDefinition& definition() const { return *definition_; }
  std::uint64_t version() const { return version_; }  ///< events so far
  bool stopped() const { return stopped_; }
  /// Whether the caller decides.
  bool in_shadow() const { return definition_->shadow && !live_; }
  CampaignGauges counts() const;
  const Policy& policy() const { return *policy_; }
  bool is_plain() const { return policy_->kind() == PolicyKind::kPlain; }
  const Monitor& monitor() const { return monitor_.monitor(); }
  const CampaignMonitor::LastContext* last_context() const { return monitor_.last_context(); }
  const CampaignEvidence& evidence() const { return evidence_; }
  const ActionChanges& action_changes() const { return actions_; }

  /// Decisions of the shadow mode, and how many of them the policy would have made.
  struct ShadowCounts {
    std::uint64_t decisions = 0;
    std::uint64_t agreed = 0;
  };
  const ShadowCounts& shadow() const { return shadow_; }

  /// Rounds of the time before the campaign that the policy has learned from, which are no
  /// decisions of its own; by batch the number of the event.
  std::uint64_t past_rounds() const { return past_rounds_; }
  const std::map<std::string, std::uint64_t, std::less<>>& past_batches() const {
    return past_batches_;
  }

  std::optional<std::int64_t> last_event_ms() const;
  /// When the oldest outstanding decision was made.
  std::optional<std::int64_t> oldest_outstanding_ms() const;

  /// One that is outstanding, or settled and not yet forgotten. Null if there is none.
  const LiveDecision* find(std::string_view id) const;

  /// The request's id, which must be new, or one that the service gives.
  Event decide(const DecisionRequest& request, std::int64_t now_ms);
  /// All decisions of a batch, one after the other; their ids must be new.
  std::vector<Event> decide_batch(const DecisionRequest& request, std::int64_t now_ms);
  /// Of a decision that find() finds.
  Event pay(std::string_view id, PayoffPart part, std::int64_t now_ms);
  Event stop(std::int64_t now_ms);
  /// Lets the policy of a plain campaign learn from past rounds, all of them or none, before the
  /// first decision. The batch must be new.
  Event learn_past(std::string_view batch, const std::vector<PastRound>& rounds,
                   std::int64_t now_ms);
  /// Ends the shadow mode.
  Event go_live(std::int64_t now_ms);
  /// Pauses, resumes or retires an action, which must not have that status already. Not of targeted
  /// campaigns.
  Event set_status(ActionId action, ActionStatus status, std::int64_t now_ms);
  /// The oldest outstanding decision, where it has waited for too long.
  std::optional<Event> lose(std::int64_t now_ms);

  /// Takes a decision in, or back where it was lost and forgotten.
  void remember(const std::string& id, LiveDecision decision);
  /// Drops a decision where it is settled and nothing has happened to it after event `number`,
  /// which is the last that is known to be kept.
  void forget(std::string_view id, std::uint64_t number);

  /// Numbers that are kept for decisions: features of pools and contexts, payoffs of parts.
  std::size_t waiting_numbers() const { return waiting_numbers_; }

  /// What the policy decides for the request of `decided`, whatever was decided then; without the
  /// index of a plain policy. Changes nothing.
  Decided decide_again(const Decided& decided) const { return choose(decided.request()); }

  /// Per action the probability of the next decision. Of a plain policy.
  std::vector<double> next_probabilities() const;

  /// Of the policy: what auto stands for, not auto.
  const PolicySpec& spec() const { return policy_->spec(); }

  /// PolicyInfo::revision of the policy.
  std::uint32_t revision() const { return policy_->revision(); }

  /// Applies an event that was kept: a decision is the one that was made then, which need not be
  /// the one that the policy makes now. `find_lost` finds decisions that were forgotten, as they
  /// were before the event. Throws std::runtime_error if the event cannot have come next.
  using FindLost = std::function<std::optional<LiveDecision>(const Event& event)>;
  void replay(const Event& event, const FindLost& find_lost);

  /// The round of a decision, with what the definition says of its variables. A view of both.
  Round round_of(const Decided& decided) const;

  /// All of the state, but for the definition and for settled decisions.
  std::string snapshot() const;
  /// Whether the same policy in the same revision made a snapshot: others cannot be restored, and
  /// the events give the state. Throws InvalidInput.
  bool made(std::string_view snapshot) const;
  /// Of a campaign without events. Throws InvalidInput.
  void restore(std::string_view snapshot);

 private:
  /// For the monitor: null unless the policy is plain.
  const Policy* plain_policy() const { return is_plain() ? policy_.get() : nullptr; }
  Stream stream() const { return {definition_->seed, 0, Purpose::kPolicy}; }
  /// What the policy decides; counts nothing.
  Decided choose(const DecisionRequest& request) const;
  static Decision decision_of(const Decided& decided);
  /// Whether it has what decisions of this kind of campaign have, and nothing else.
  bool fits(const Decided& decided) const;
  /// Counts a decision that choose() gave, or that was kept.
  void take(const Decided& decided);
  /// Who decides, before a decision: throws unless the request fits that.
  void check_decider(const DecisionRequest& request) const;
  /// Throws Conflict if none of the allowed actions may be taken now.
  void check_allowed(const DecisionRequest& request) const;
  void count_decider(const Decided& decided);
  /// Throws unless the request may be decided now.
  void check_request(const DecisionRequest& request) const;
  /// Makes a decision that may be made.
  Event make(const DecisionRequest& request, std::int64_t now_ms);
  /// Per action, the decisions that come before this place in its batch, which are the last events;
  /// empty if there are none.
  std::span<const std::uint64_t> ahead_of(const BatchPlace& place) const;
  /// To be called when a decision has been counted.
  void note_batch(const Decided& decided);
  void write_maker(StateWriter& writer) const;
  void write_others(StateWriter& writer) const;
  void read_others(StateReader& reader);
  std::size_t payers(const Decided& decided) const;
  void check_part(const LiveDecision& decision, const PayoffPart& part) const;
  void observe(const Decided& decided, const PayoffPart& all);
  Event happened(EventKind kind, std::string_view id, std::int64_t now_ms, std::string body);
  /// To be called when an event has changed all that it changes.
  void look(std::int64_t time_ms);

  std::shared_ptr<const CampaignDefinition> definition_;
  std::unique_ptr<Policy> policy_;
  std::vector<VariableSet> fixed_sets_;  // contextual policies, if the definition has them
  std::uint64_t version_ = 0;
  bool stopped_ = false;
  bool live_ = false;  // no longer in shadow mode
  std::uint64_t decided_ = 0;
  std::uint64_t complete_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t late_ = 0;
  std::int64_t last_event_ms_ = 0;
  ShadowCounts shadow_;
  std::uint64_t held_out_ = 0;                // decisions
  mutable std::vector<std::uint64_t> ahead_;  // of the batch at hand, by action
  mutable std::uint64_t ahead_at_ = 0;        // the event of its last decision so far
  std::uint64_t past_rounds_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> past_batches_;
  CampaignMonitor monitor_;
  CampaignEvidence evidence_;
  ActionChanges actions_;  // of targeted campaigns there are none
  std::map<std::pair<std::int64_t, std::uint64_t>, std::string> outstanding_;  // by time, number
  std::size_t waiting_numbers_ = 0;
  std::unordered_map<std::string, LiveDecision> decisions_;
};

}  // namespace updraft
