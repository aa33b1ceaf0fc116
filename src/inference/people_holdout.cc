#include "updraft/people_holdout.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "inference/gain_variance.h"
#include "inference/running_mean.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {

struct PeopleHoldout::State {
  double share;
  double error;
  std::uint64_t counts[2] = {0, 0};  // of people held out, and treated
  double means[2] = {0.0, 0.0};      // of their payoffs
  RunningMean gains = {};
  GainVariance variance = {};
  double modelled = 0.0;
  std::uint64_t modelled_people = 0;

  void add(bool treated, double payoff);
};

/// The same g as of rounds (inference/gain_estimate.h), with the means of both kinds of people as
/// the prediction. Given the payoffs that a person would have with and without the treatment, its
/// mean over the draw is their difference.
void PeopleHoldout::State::add(bool treated, double payoff) {
  const int kind = treated ? 1 : 0;
  double predicted = share * means[1] + (1.0 - share) * means[0];
  if (counts[0] == 0 || counts[1] == 0) predicted = counts[0] == 0 ? means[1] : means[0];
  if (counts[0] + counts[1] > 0) {
    const double off = payoff - predicted;
    const double factor = treated ? 1.0 / (1.0 - share) : -1.0 / share;
    gains.add(factor * off);
    variance.add(!treated, payoff, factor);
  }
  ++counts[kind];
  means[kind] += (payoff - means[kind]) / static_cast<double>(counts[kind]);
}

PeopleHoldout::PeopleHoldout(double share, double error) {
  if (!(share > 0.0 && share <= 0.9)) {
    throw InvalidInput("holdout.share", share, "must be > 0 and at most 0.9");
  }
  if (!(error > 0.0 && error <= 0.5)) {
    throw InvalidInput("holdout.error", error, "must be in (0, 0.5]");
  }
  state_ = std::make_unique<State>(State{.share = share, .error = error});
}
PeopleHoldout::~PeopleHoldout() = default;
PeopleHoldout::PeopleHoldout(PeopleHoldout&& other) noexcept = default;
PeopleHoldout& PeopleHoldout::operator=(PeopleHoldout&& other) noexcept = default;

double PeopleHoldout::share() const { return state_->share; }

PeopleDecision PeopleHoldout::decide(Policy& policy, const Round& pool,
                                     const Stream& stream) const {
  PeopleDecision out = preview(policy, pool, stream);
  policy.take(pool, out.decision);
  return out;
}

PeopleDecision PeopleHoldout::preview(Policy& policy, const Round& pool,
                                      const Stream& stream) const {
  if (policy.kind() != PolicyKind::kTargeting) {
    throw InvalidInput("policy", policy.spec().text(),
                       "does not choose people; a holdout of rounds is updraft/holdout.h");
  }
  PeopleDecision out{.decision = policy.preview(pool, stream)};
  std::vector<Treatment>& given = out.decision.treatments;
  out.chosen = given;
  const auto number = static_cast<std::uint32_t>(policy.decisions());
  const Stream draws = stream.with(kHoldoutPurpose);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != 0 && draws.uniform(number, i) < state_->share) given[i] = 0;
  }
  out.decision.probability = 0.0;
  return out;
}

void PeopleHoldout::observed(std::span<const Treatment> chosen, std::span<const Treatment> given,
                             std::span<const double> payoffs, std::optional<double> modelled) {
  if (given.size() != chosen.size() || payoffs.size() != chosen.size()) {
    throw InvalidInput(
        "payoffs", static_cast<double>(payoffs.size()),
        "must be one for each person, as treatments are: " + std::to_string(chosen.size()));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (given[i] != 0 && given[i] != chosen[i]) {
      throw InvalidInput("treatments[" + std::to_string(i) + "]", static_cast<double>(given[i]),
                         "must be 0 or what the policy chose, " + std::to_string(chosen[i]));
    }
    if (!std::isfinite(payoffs[i])) {
      throw InvalidInput("payoffs[" + std::to_string(i) + "]", payoffs[i], "must be finite");
    }
  }
  std::uint64_t people = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] == 0) continue;
    state_->add(given[i] != 0, payoffs[i]);
    ++people;
  }
  if (!modelled || people == 0) return;
  state_->modelled += *modelled;
  state_->modelled_people += people;
}

Gain PeopleHoldout::gain() const {
  const State& state = *state_;
  Gain out{.counted = state.gains.count(), .held_out = state.counts[0]};
  if (state.modelled_people > 0) {
    out.by_model = state.modelled / static_cast<double>(state.modelled_people);
  }
  const std::uint64_t least = std::min(state.counts[0], state.counts[1]);
  const std::optional<double> floor = state.variance.least(state.gains.count());
  if (least < Gain::kLeastHeldOut || !floor) return out;
  out.estimate = state.gains.estimate({.error = state.error,
                                       .settle = settle_of_shares(state.share, 1.0 - state.share),
                                       .degrees = static_cast<double>(least) - 1.0,
                                       .least = *floor});
  out.disagree = disagrees(out);
  return out;
}

void PeopleHoldout::write(StateWriter& writer) const {
  for (int kind = 0; kind < 2; ++kind) {
    writer.u64(state_->counts[kind]);
    writer.f64(state_->means[kind]);
  }
  state_->gains.write(writer);
  state_->variance.write(writer);
  writer.f64(state_->modelled);
  writer.u64(state_->modelled_people);
}

void PeopleHoldout::read(StateReader& reader) {
  for (int kind = 0; kind < 2; ++kind) {
    state_->counts[kind] = reader.u64();
    state_->means[kind] = reader.f64();
  }
  state_->gains.read(reader);
  state_->variance.read(reader);
  state_->modelled = reader.f64();
  state_->modelled_people = reader.u64();
}

}  // namespace updraft
