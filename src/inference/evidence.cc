#include "updraft/evidence.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "inference/contrasts.h"
#include "inference/gain_estimate.h"
#include "inference/guardrail_watch.h"
#include "inference/stop_rule.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Sets that form one atom: every action may move every variable. Rounds of contextual policies
/// bring their own variables, whose total stands for one.
std::shared_ptr<const AffectedSets> everything(const Knowledge& declared) {
  const auto variables = static_cast<VariableId>(std::max<std::size_t>(1, declared.variables()));
  const VariableSet all = VariableSet::from_ranges(std::vector<VariableRange>{{0, variables}});
  return std::make_shared<const AffectedSets>(std::vector<VariableSet>(declared.actions(), all),
                                              variables);
}

bool has_usable_sets(const Knowledge& declared) {
  return declared.affected() != nullptr &&
         declared.affected()->atoms()->groups() <= AtomMoments::kMostInFull;
}

void check(const Knowledge& declared, const EvidenceOptions& options) {
  if (declared.kind() == PolicyKind::kTargeting) {
    throw InvalidInput("evidence", "is for policies that take one action per round");
  }
  if (!(options.error > 0.0 && options.error <= 0.5)) {
    throw InvalidInput("evidence.error", options.error, "must be in (0, 0.5]");
  }
  check_shares(options.shares, declared.actions(), "evidence");
  for (std::size_t j = 0; j < options.guardrails.size(); ++j) {
    const Guardrail& guardrail = options.guardrails[j];
    const std::string field = "evidence.guardrails[" + std::to_string(j) + "]";
    if (declared.kind() != PolicyKind::kPlain) {
      throw InvalidInput(field, "needs variables that are the same in every round");
    }
    if (guardrail.variables.size() == 0) {
      throw InvalidInput(field + ".variables", "must not be empty");
    }
    if (guardrail.variables.ranges().back().end > declared.variables()) {
      throw InvalidInput(field + ".variables",
                         static_cast<double>(guardrail.variables.ranges().back().end - 1),
                         "must be below the number of variables");
    }
    if (!(guardrail.tolerance >= 0.0 && guardrail.tolerance <= 1e100)) {
      throw InvalidInput(field + ".tolerance", guardrail.tolerance, "must be in [0, 1e100]");
    }
    if (!options.shares.control && declared.baseline() == nullptr) {
      throw InvalidInput(field, "needs a control action or a baseline to be compared with");
    }
  }
}

/// By the policy's estimates, the mean reward of its choices minus that of the control action.
std::optional<double> modelled_gain(const Explanation& explanation,
                                    std::span<const std::uint64_t> choices, ActionId control) {
  const auto value = [&](ActionId a) -> std::optional<double> {
    const ActionExplanation& about = explanation.actions[a];
    return about.estimate.value ? about.estimate.value : about.reward;
  };
  double sum = 0.0;
  double rounds = 0.0;
  for (ActionId a = 0; a < choices.size(); ++a) {
    if (choices[a] == 0) continue;
    if (!value(a) || !value(control)) return std::nullopt;
    sum += static_cast<double>(choices[a]) * (*value(a) - *value(control));
    rounds += static_cast<double>(choices[a]);
  }
  if (rounds == 0.0) return std::nullopt;
  return sum / rounds;
}

/// Takes back what the policy's own probabilities of being the best contradict.
void agree_with(const Explanation& explanation, Settlement& out) {
  const auto sure = [&](ActionId a) { return explanation.actions[a].probability_best; };
  if (out.settled && sure(out.best) && !(*sure(out.best) >= 1.0 - out.error)) out.disputed = true;
  if (!out.leader || !sure(*out.leader)) return;
  for (const Rival& rival : out.rivals) {
    if (!sure(rival.action) || !(*sure(rival.action) > *sure(*out.leader))) continue;
    out.leader.reset();
    out.rivals.clear();
    out.more_rounds.reset();
    return;
  }
  out.likely = !out.settled && *sure(*out.leader) >= 1.0 - out.error;
}

bool may_pause(const EvidenceOptions& options) {
  return std::any_of(options.guardrails.begin(), options.guardrails.end(),
                     [](const Guardrail& guardrail) { return guardrail.pause; });
}

bool meets(const Interval& one, const Interval& other) {
  return one.low <= other.high && other.low <= one.high;
}

}  // namespace

struct Evidence::State {
  State(const Knowledge& declared, EvidenceOptions given)
      : options(std::move(given)),
        plain(declared.kind() == PolicyKind::kPlain),
        totals_only(!has_usable_sets(declared)),
        contrasts(totals_only ? everything(declared) : declared.affected()),
        stop_rule(declared.actions(), options.error, may_pause(options)),
        sums(contrasts.moments().atoms()) {
    if (options.shares.holdout > 0.0) {
      gain.emplace(options.shares, options.error, declared.actions(), sums.size());
    }
    if (!options.guardrails.empty()) {
      guardrails.emplace(declared.actions(), options,
                         options.shares.control ? nullptr : declared.baseline());
    }
  }

  /// Per atom. Throws InvalidInput.
  std::span<const double> sum(const Payoffs& payoffs);
  /// Brings `paused` up to date.
  void pause();
  void add(ActionId action, const Payoffs& payoffs, std::span<const double> seen);

  EvidenceOptions options;
  bool plain;  // not contextual
  bool totals_only;
  Contrasts contrasts;
  StopRule stop_rule;
  std::optional<GainEstimate> gain;
  std::optional<GuardrailWatch> guardrails;
  std::vector<ActionId> idle;    // of the roster; they increase
  std::vector<ActionId> paused;  // these, and what guardrails pause; they increase
  std::vector<double> sums;      // scratch
};

void Evidence::State::pause() {
  const std::vector<ActionId> broken = guardrails ? guardrails->paused() : std::vector<ActionId>();
  paused.clear();
  std::set_union(idle.begin(), idle.end(), broken.begin(), broken.end(),
                 std::back_inserter(paused));
  if (paused.size() == contrasts.actions()) paused = idle;
}

void Evidence::State::add(ActionId action, const Payoffs& payoffs, std::span<const double> seen) {
  contrasts.add(action, seen);
  if (guardrails) {
    guardrails->add(action, payoffs, contrasts.rounds());
    pause();
  }
  if (plain) stop_rule.look(contrasts, paused);
}

std::span<const double> Evidence::State::sum(const Payoffs& payoffs) {
  const bool single =
      payoffs.kind() == Payoffs::Kind::kDense || payoffs.kind() == Payoffs::Kind::kSparse;
  if (guardrails && !single) {
    throw InvalidInput("payoffs", "must be single payoffs, because there are guardrails");
  }
  if (!plain && payoffs.kind() != Payoffs::Kind::kTotal) {
    sums[0] = std::accumulate(payoffs.values().begin(), payoffs.values().end(), 0.0);
    return sums;
  }
  const Partition& atoms = *contrasts.sets().atoms();
  switch (payoffs.kind()) {
    case Payoffs::Kind::kDense:
      atoms.sum_dense(payoffs.values(), sums);
      return sums;
    case Payoffs::Kind::kSparse:
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t j = 0; j < payoffs.ids().size(); ++j) {
        sums[atoms.group_of(payoffs.ids()[j])] += payoffs.values()[j];
      }
      return sums;
    case Payoffs::Kind::kGroupSums:
      if (payoffs.values().size() != sums.size()) break;
      return payoffs.values();
    case Payoffs::Kind::kTotal:
      if (sums.size() != 1) break;
      sums[0] = payoffs.reward();
      return sums;
  }
  throw InvalidInput("payoffs", "must be single payoffs, or sums over the evidence's partition");
}

Evidence::Evidence(const Knowledge& declared, EvidenceOptions options) {
  check(declared, options);
  state_ = std::make_unique<State>(declared, std::move(options));
}
Evidence::~Evidence() = default;
Evidence::Evidence(Evidence&& other) noexcept = default;
Evidence& Evidence::operator=(Evidence&& other) noexcept = default;

const EvidenceOptions& Evidence::options() const { return state_->options; }
std::size_t Evidence::actions() const { return state_->contrasts.actions(); }
const std::shared_ptr<const Partition>& Evidence::partition() const {
  return state_->contrasts.sets().atoms();
}
bool Evidence::compares_totals_only() const { return state_->totals_only; }
std::uint64_t Evidence::rounds() const { return state_->contrasts.rounds(); }
std::optional<ActionId> Evidence::settled() const { return state_->stop_rule.settled(); }

Steering Evidence::steering() const {
  return {.probe = state_->stop_rule.probe(), .paused = state_->paused};
}

void Evidence::set_idle(std::span<const ActionId> idle) {
  if (std::equal(idle.begin(), idle.end(), state_->idle.begin(), state_->idle.end())) return;
  state_->idle.assign(idle.begin(), idle.end());
  state_->pause();
  if (state_->plain) state_->stop_rule.look(state_->contrasts, state_->paused);
}

SharedDecision Evidence::decide(Policy& policy, const Round& round, const Stream& stream) const {
  return decide_with_shares(policy, round, stream, state_->options.shares, steering());
}
SharedDecision Evidence::decide(Policy& policy, const Stream& stream) const {
  return decide(policy, Round{}, stream);
}

void Evidence::observed(const SharedDecision& shared, const Payoffs& payoffs) {
  State& state = *state_;
  const std::span<const double> sums = state.sum(payoffs);
  if (state.gain) state.gain->add(state.contrasts, shared, sums, !state.totals_only);
  state.add(shared.decision.action, payoffs, sums);
}

void Evidence::observed(ActionId action, const Payoffs& payoffs) {
  state_->add(action, payoffs, state_->sum(payoffs));
}

Settlement Evidence::settlement(const Explanation* explanation) const {
  Settlement out = state_->stop_rule.settlement(state_->contrasts, state_->paused);
  const bool explained = explanation != nullptr && explanation->actions.size() == actions();
  if (explained) agree_with(*explanation, out);
  if (out.settled && out.leader != out.best) out.disputed = true;
  if (out.disputed) out.settled = false;
  return out;
}

bool disagrees(const Gain& gain) {
  for (const IntervalEstimate* seen : {&gain.estimate, &gain.by_sets}) {
    if (!seen->interval || !gain.by_model) continue;
    if (!meets(*seen->interval, {*gain.by_model, *gain.by_model})) return true;
  }
  return gain.estimate.interval && gain.by_sets.interval &&
         !meets(*gain.estimate.interval, *gain.by_sets.interval);
}

std::optional<Gain> Evidence::gain(const Explanation* explanation) const {
  if (!state_->gain) return std::nullopt;
  Gain out = state_->gain->gain();
  if (explanation != nullptr && state_->plain) {
    out.by_model =
        modelled_gain(*explanation, state_->gain->choices(), *state_->options.shares.control);
  }
  out.disagree = disagrees(out);
  return out;
}

std::vector<GuardrailAlarm> Evidence::alarms() const {
  return state_->guardrails ? state_->guardrails->alarms() : std::vector<GuardrailAlarm>();
}

void Evidence::write(StateWriter& writer) const {
  state_->contrasts.write(writer);
  state_->stop_rule.write(writer);
  if (state_->gain) state_->gain->write(writer);
  if (state_->guardrails) state_->guardrails->write(writer);
}

void Evidence::read(StateReader& reader) {
  state_->contrasts.read(reader);
  state_->stop_rule.read(reader);
  if (state_->gain) state_->gain->read(reader);
  if (!state_->guardrails) return;
  state_->guardrails->read(reader);
  state_->pause();
}

}  // namespace updraft
