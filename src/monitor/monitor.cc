#include "updraft/monitor.h"

#include <cmath>
#include <numeric>

#include "monitor/assumption_check.h"
#include "monitor/payoff_statistics.h"
#include "monitor/variable_uplifts.h"
#include "stats/student.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// About how many numbers a cheap explanation looks at.
std::size_t explanation_effort(const Policy& policy) {
  const std::size_t actions = policy.knowledge().actions();
  switch (policy.resolution().kind) {
    case Resolution::Kind::kTotal:
      return actions;
    case Resolution::Kind::kVariables:
      return actions * policy.knowledge().variables();
    case Resolution::Kind::kGroups:
      break;
  }
  const std::size_t atoms = policy.resolution().partition->groups();
  const PolicyTraits& traits = policy_info(policy.spec().name()).traits;
  if (traits.learns_noise) return (actions + atoms) * atoms * atoms;
  constexpr std::size_t kSweeps = 256;  // of a posterior that is drawn (sparse_explanation.h)
  return (traits.has_posterior ? kSweeps : 1) * actions * atoms;
}

}  // namespace

struct Monitor::State {
  explicit State(std::size_t groups) : chosen(groups, 0), tallies(groups), history(groups, 1) {}
  State(const Policy& policy, Knowledge knowledge)
      : chosen(knowledge.actions(), 0),
        declared(std::move(knowledge)),
        statistics(std::in_place, declared->actions(), declared->variables(), declared->affected()),
        quantity(policy.explain(Detail::kCheap).quantity),
        history(chosen.size(), explanation_effort(policy)) {}

  std::vector<std::uint64_t> chosen;  // how often each action
  std::optional<Knowledge> declared;
  std::optional<PayoffStatistics> statistics;
  std::vector<Tally> tallies;
  Quantity quantity = Quantity::kReward;
  EstimateHistory history;
};

Monitor::Monitor(const Policy& policy, Knowledge declared)
    : state_(std::make_unique<State>(policy, std::move(declared))) {}
Monitor::Monitor(std::size_t groups) : state_(std::make_unique<State>(groups)) {}
Monitor::~Monitor() = default;
Monitor::Monitor(Monitor&& other) noexcept = default;
Monitor& Monitor::operator=(Monitor&& other) noexcept = default;

void Monitor::decided(ActionId action) { ++state_->chosen[action]; }

void Monitor::observed(ActionId action, const Payoffs& payoffs) {
  state_->statistics->add(action, payoffs);
}

void Monitor::paid(ActionId group, double payoff) { state_->tallies[group].add(payoff); }

void Monitor::look(const Policy* policy, EstimateHistory::Point now) {
  if (!state_->history.due(now.event)) return;
  now.chosen = state_->chosen;
  if (policy == nullptr) {
    now.estimates = mean_payoffs();
  } else {
    const Explanation explanation = policy->explain(Detail::kCheap);
    for (const ActionExplanation& about : explanation.actions) {
      now.estimates.push_back(about.estimate);
    }
    if (explanation.quantity == Quantity::kDifference) now.reference = explanation.reference_action;
  }
  state_->history.add(std::move(now));
}

void Monitor::look(const Policy& policy) {
  const std::uint64_t decided = std::accumulate(chosen().begin(), chosen().end(), std::uint64_t{0});
  const std::uint64_t complete = state_->statistics->rounds();
  look(&policy, {.event = decided + complete, .decided = decided, .complete = complete});
}

std::vector<AssumptionWarning> Monitor::warnings(const Policy& policy,
                                                 const Explanation& explanation,
                                                 const WarningWords& words) const {
  const std::optional<VariableUplifts> uplifts = variable_uplifts();
  return check_assumptions({.policy = policy,
                            .explanation = explanation,
                            .statistics = *state_->statistics,
                            .uplifts = uplifts ? &*uplifts : nullptr},
                           words);
}

std::vector<AssumptionWarning> Monitor::context_warnings(const PolicySpec& spec,
                                                         std::uint64_t rounds,
                                                         const WarningWords& words) const {
  return check_context_scale(spec, rounds, state_->tallies, words);
}

std::span<const std::uint64_t> Monitor::chosen() const { return state_->chosen; }

Quantity Monitor::quantity() const { return state_->quantity; }

const EstimateHistory& Monitor::history() const { return state_->history; }

const PayoffStatistics* Monitor::statistics() const {
  return state_->statistics ? &*state_->statistics : nullptr;
}

std::optional<VariableUplifts> Monitor::variable_uplifts() const {
  const PayoffStatistics* seen = statistics();
  if (seen == nullptr || !seen->per_variable() || seen->rounds() == 0) return std::nullopt;
  return VariableUplifts(*state_->declared, *seen);
}

std::span<const Tally> Monitor::tallies() const { return state_->tallies; }

std::vector<IntervalEstimate> Monitor::mean_payoffs() const {
  std::vector<IntervalEstimate> out(state_->tallies.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Tally& tally = state_->tallies[j];
    if (tally.count == 0) continue;
    out[j].value = tally.mean();
    if (tally.count < 2) continue;
    const auto count = static_cast<double>(tally.count);
    const double reach = kNormal95 * std::sqrt(tally.spread() / (count - 1.0) / count);
    out[j].interval = {tally.mean() - reach, tally.mean() + reach};
  }
  return out;
}

void Monitor::write_counts(StateWriter& writer) const {
  writer.u64s(state_->chosen);
  if (state_->statistics) state_->statistics->write(writer);
  for (const Tally& tally : state_->tallies) tally.write(writer);
}

void Monitor::read_counts(StateReader& reader) {
  reader.u64s(state_->chosen, "snapshot: choices");
  if (state_->statistics) state_->statistics->read(reader);
  for (Tally& tally : state_->tallies) tally.read(reader);
}

void Monitor::write_history(StateWriter& writer) const { state_->history.write(writer); }

void Monitor::read_history(StateReader& reader) { state_->history.read(reader); }

}  // namespace updraft
