#include "inference/stop_rule.h"

#include <algorithm>
#include <cmath>

#include "inference/mixture_bound.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Rounds of an action: bounds are tightest at about a hundred.
constexpr double kStopSettle = 10.0;
/// Of the rounds so far: beyond that, nobody knows.
constexpr double kMostFactor = 1000.0;

}  // namespace

StopRule::StopRule(std::size_t actions, double error, bool may_pause)
    : actions_(actions),
      error_(error),
      shared_by_(std::max(1.0, static_cast<double>(actions) - 1.0)),
      settled_(actions == 1) {
  if (may_pause) shared_by_ *= std::max(1.0, 0.5 * static_cast<double>(actions));
}

StopRule::Field StopRule::field_of(const Contrasts& contrasts,
                                   std::span<const ActionId> paused) const {
  Field field{contrasts, {}, std::log(shared_by_ / error_)};
  for (ActionId a = 0; a < actions_; ++a) {
    if (!std::binary_search(paused.begin(), paused.end(), a)) field.actions.push_back(a);
  }
  return field;
}

StopRule::Comparison StopRule::compare(const Field& field, ActionId a, ActionId b, double factor) {
  const Contrasts& contrasts = field.contrasts;
  const Contrasts::Contrast& contrast = contrasts.of(a, b);
  const ActionId ends[2] = {std::min(a, b), std::max(a, b)};
  double log = field.log;
  double variance = 0.0;
  double spread = 0.0;  // for the degrees of freedom of the sum [welch47]
  for (int j = 0; j < 2; ++j) {
    const double rounds = factor * static_cast<double>(contrasts.pulls()[ends[j]]);
    const double own = mixture_variance(contrast.variances[j], rounds, kStopSettle);
    log += mixture_log(rounds, kStopSettle);
    variance += own;
    spread += own * own / (factor * contrast.degrees[j]);
  }
  const double all = factor * contrasts.degrees();
  const double degrees = spread > 0.0 ? std::min(all, variance * variance / spread) : all;
  return {contrasts.difference(a, b), std::sqrt(variance) * mixture_quantile(log, degrees)};
}

ActionId StopRule::leader_of(const Field& field) {
  ActionId leader = field.actions.front();
  for (const ActionId a : field.actions) {
    if (a != leader && field.contrasts.difference(a, leader) > 0.0) leader = a;
  }
  return leader;
}

bool StopRule::beats_all(const Field& field, ActionId leader) {
  const std::span<const std::uint64_t> pulls = field.contrasts.pulls();
  for (const ActionId b : field.actions) {
    if (b == leader) continue;
    if (std::min(pulls[b], pulls[leader]) < Evidence::kLeastCompared) return false;
    const Comparison seen = compare(field, leader, b, 1.0);
    if (!(seen.difference > seen.reach)) return false;
  }
  return true;
}

void StopRule::look(Contrasts& contrasts, std::span<const ActionId> paused) {
  const Field field = field_of(contrasts, paused);
  const std::span<const std::uint64_t> pulls = contrasts.pulls();
  if (!contrasts.fitted()) {
    probe_ = *std::min_element(field.actions.begin(), field.actions.end(),
                               [&](ActionId a, ActionId b) { return pulls[a] < pulls[b]; });
    return;
  }
  const ActionId leader = leader_of(field);
  ActionId nearest = leader;
  double least = 0.0;
  for (const ActionId b : field.actions) {
    if (b == leader) continue;
    const Comparison seen = compare(field, leader, b, 1.0);
    const double lead = seen.reach > 0.0 ? seen.difference / seen.reach : 2.0;
    if (nearest == leader || lead < least) {
      nearest = b;
      least = lead;
    }
  }
  probe_ = pulls[nearest] < pulls[leader] ? nearest : leader;
  if (settled_ || field.actions.size() < 2 || !beats_all(field, leader)) return;
  contrasts.refresh();
  if (leader_of(field) != leader || !beats_all(field, leader)) return;
  settled_ = true;
  best_ = leader;
  at_ = contrasts.rounds();
}

std::optional<std::uint64_t> StopRule::more_rounds(const Field& field, ActionId leader) {
  const auto would_beat_all = [&](double factor) {
    for (const ActionId b : field.actions) {
      if (b == leader) continue;
      const Comparison later = compare(field, leader, b, factor);
      if (!(later.difference > later.reach)) return false;
    }
    return true;
  };
  const auto rounds = static_cast<double>(field.contrasts.rounds());
  // Compared actions need some rounds, too.
  double low = 1.0;
  for (const ActionId a : field.actions) {
    low = std::max(low, static_cast<double>(Evidence::kLeastCompared) /
                            static_cast<double>(field.contrasts.pulls()[a]));
  }
  double high = kMostFactor;
  if (would_beat_all(low)) high = low;
  if (!would_beat_all(high)) return std::nullopt;
  for (int step = 0; step < 40 && (high - low) * rounds > 0.5; ++step) {
    const double middle = std::sqrt(low * high);
    (would_beat_all(middle) ? high : low) = middle;
  }
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil((high - 1.0) * rounds)));
}

Settlement StopRule::settlement(const Contrasts& contrasts,
                                std::span<const ActionId> paused) const {
  Settlement out{.settled = settled_,
                 .best = best_,
                 .at = at_,
                 .error = error_,
                 .some_paused = !paused.empty()};
  if (!contrasts.fitted()) return out;
  const Field field = field_of(contrasts, paused);
  const ActionId leader = leader_of(field);
  out.leader = leader;
  for (const ActionId b : field.actions) {
    if (b == leader) continue;
    Rival rival{.action = b};
    if (std::min(contrasts.pulls()[b], contrasts.pulls()[leader]) >= Evidence::kLeastCompared) {
      const Comparison seen = compare(field, leader, b, 1.0);
      rival.difference.value = seen.difference;
      rival.difference.interval =
          Interval{seen.difference - seen.reach, seen.difference + seen.reach};
      rival.beaten = seen.difference > seen.reach;
    }
    out.rivals.push_back(rival);
  }
  if (!settled_ && !out.rivals.empty()) out.more_rounds = more_rounds(field, leader);
  return out;
}

void StopRule::write(StateWriter& writer) const {
  writer.u64(settled_ ? 1 : 0);
  writer.u64(best_);
  writer.u64(at_);
  writer.u64(probe_);
}

void StopRule::read(StateReader& reader) {
  settled_ = reader.u64_at_most(1, "evidence: settled") == 1;
  best_ = static_cast<ActionId>(reader.u64_at_most(actions_ - 1, "evidence: best action"));
  at_ = reader.u64();
  probe_ = static_cast<ActionId>(reader.u64_at_most(actions_ - 1, "evidence: probe"));
}

}  // namespace updraft
