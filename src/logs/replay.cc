#include "logs/replay.h"

#include <algorithm>

#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft {

Replay::Replay(const PolicySpec& spec, const Knowledge& knowledge, double least, std::uint64_t seed)
    : policy_(make_policy(spec, knowledge)),
      least_(least),
      stream_(seed, 0, Purpose::kPolicy),
      drop_(seed, 0, Purpose::kResample) {}

void Replay::add(const LoggedRound& round, double reward) {
  const std::uint32_t number = seen_++;
  const std::vector<double>& shares = round.distribution;
  if (std::find(shares.begin(), shares.end(), 0.0) != shares.end()) return;
  if (drop_.uniform(number, 0) >= least_ / *round.probability) return;
  if (policy_->preview(stream_).action != round.action) return;
  policy_->take(round.action);
  policy_->observe(round.action, round.payoffs());
  ++rounds_;
  const double deviation = reward - mean_;
  mean_ += deviation / static_cast<double>(rounds_);
  squares_ += deviation * (reward - mean_);
}

}  // namespace updraft
