#include "inference/stop_rule.h"

#include <algorithm>
#include <cmath>

#include "inference/mixture_bound.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Rounds of an action: bounds are tightest at about a hundred.
constexpr double kSettle = 10.0;
/// Of the rounds so far: beyond that, nobody knows.
constexpr double kMostFactor = 1000.0;

}  // namespace

StopRule::StopRule(std::size_t actions, double error)
    : actions_(actions),
      error_(error),
      log_(std::log(std::max(1.0, static_cast<double>(actions) - 1.0) / error)),
      settled_(actions == 1) {}

StopRule::Comparison StopRule::compare(const Contrasts& contrasts, ActionId a, ActionId b,
                                       double factor) const {
  const Contrasts::Contrast& contrast = contrasts.of(a, b);
  const ActionId ends[2] = {std::min(a, b), std::max(a, b)};
  double log = log_;
  double variance = 0.0;
  double spread = 0.0;  // for the degrees of freedom of the sum [welch47]
  for (int j = 0; j < 2; ++j) {
    const double rounds = factor * static_cast<double>(contrasts.pulls()[ends[j]]);
    const double own = mixture_variance(contrast.variances[j], rounds, kSettle);
    log += mixture_log(rounds, kSettle);
    variance += own;
    spread += own * own / (factor * contrast.degrees[j]);
  }
  const double all = factor * contrasts.degrees();
  const double degrees = spread > 0.0 ? std::min(all, variance * variance / spread) : all;
  return {contrasts.difference(a, b), std::sqrt(variance) * mixture_quantile(log, degrees)};
}

ActionId StopRule::leader_of(const Contrasts& contrasts) const {
  ActionId leader = 0;
  for (ActionId a = 1; a < contrasts.actions(); ++a) {
    if (contrasts.difference(a, leader) > 0.0) leader = a;
  }
  return leader;
}

void StopRule::look(const Contrasts& contrasts) {
  const std::span<const std::uint64_t> pulls = contrasts.pulls();
  if (!contrasts.fitted()) {
    probe_ = static_cast<ActionId>(std::min_element(pulls.begin(), pulls.end()) - pulls.begin());
    return;
  }
  const ActionId leader = leader_of(contrasts);
  bool beats_all = pulls[leader] >= Evidence::kLeastCompared;
  ActionId nearest = leader;
  double least = 0.0;
  for (ActionId b = 0; b < contrasts.actions(); ++b) {
    if (b == leader) continue;
    const Comparison seen = compare(contrasts, leader, b, 1.0);
    const double lead = seen.reach > 0.0 ? seen.difference / seen.reach : 2.0;
    beats_all = beats_all && pulls[b] >= Evidence::kLeastCompared && seen.difference > seen.reach;
    if (nearest == leader || lead < least) {
      nearest = b;
      least = lead;
    }
  }
  probe_ = pulls[nearest] < pulls[leader] ? nearest : leader;
  if (!beats_all || settled_) return;
  settled_ = true;
  best_ = leader;
  at_ = contrasts.rounds();
}

std::optional<std::uint64_t> StopRule::more_rounds(const Contrasts& contrasts,
                                                   ActionId leader) const {
  const auto beats_all = [&](double factor) {
    for (ActionId b = 0; b < contrasts.actions(); ++b) {
      if (b == leader) continue;
      const Comparison later = compare(contrasts, leader, b, factor);
      if (!(later.difference > later.reach)) return false;
    }
    return true;
  };
  const auto rounds = static_cast<double>(contrasts.rounds());
  const std::span<const std::uint64_t> pulls = contrasts.pulls();
  // Compared actions need some rounds, too.
  double low = 1.0;
  for (const std::uint64_t n : pulls) {
    low = std::max(low, static_cast<double>(Evidence::kLeastCompared) / static_cast<double>(n));
  }
  double high = kMostFactor;
  if (beats_all(low)) high = low;
  if (!beats_all(high)) return std::nullopt;
  for (int step = 0; step < 40 && (high - low) * rounds > 0.5; ++step) {
    const double middle = std::sqrt(low * high);
    (beats_all(middle) ? high : low) = middle;
  }
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil((high - 1.0) * rounds)));
}

Settlement StopRule::settlement(const Contrasts& contrasts) const {
  Settlement out{.settled = settled_, .best = best_, .at = at_, .error = error_};
  if (!contrasts.fitted()) return out;
  const ActionId leader = leader_of(contrasts);
  out.leader = leader;
  for (ActionId b = 0; b < contrasts.actions(); ++b) {
    if (b == leader) continue;
    Rival rival{.action = b};
    if (std::min(contrasts.pulls()[b], contrasts.pulls()[leader]) >= Evidence::kLeastCompared) {
      const Comparison seen = compare(contrasts, leader, b, 1.0);
      rival.difference.value = seen.difference;
      rival.difference.interval =
          Interval{seen.difference - seen.reach, seen.difference + seen.reach};
      rival.beaten = seen.difference > seen.reach;
    }
    out.rivals.push_back(rival);
  }
  if (!settled_) out.more_rounds = more_rounds(contrasts, leader);
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
