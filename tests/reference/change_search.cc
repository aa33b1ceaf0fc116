#include "reference/change_search.h"

#include <algorithm>
#include <cmath>

#include "reference/noise_variances.h"

namespace updraft::testing {

namespace {

constexpr std::size_t kLeastRounds = 4;  // of a part, and before a round is clipped
constexpr std::size_t kOfASize = 4;      // blocks
constexpr Real kErrors = 3.0L;

Real weighted(const Vector& w, const Vector& x) {
  Real sum = 0.0L;
  for (std::size_t g = 0; g < w.size(); ++g) sum += w[g] * x[g];
  return sum;
}

/// 1/n + 1/n'.
Real shares(std::size_t n, std::size_t other) {
  return 1.0L / static_cast<Real>(n) + 1.0L / static_cast<Real>(other);
}

bool overlap(const AffectedSets& affected, ActionId a, ActionId b) {
  for (const VariableId i : affected.of(a).ids()) {
    if (affected.of(b).contains(i)) return true;
  }
  return false;
}

}  // namespace

Vector mean_over_numbers(const std::vector<AtomRound>& rounds,
                         const std::vector<std::size_t>& numbers) {
  const Vector& first = rounds[numbers.front()].sums;
  Vector mean = first;
  for (std::size_t g = 0; g < mean.size(); ++g) {
    Real deviations = 0.0L;
    for (const std::size_t number : numbers) deviations += rounds[number].sums[g] - first[g];
    mean[g] += deviations / static_cast<Real>(numbers.size());
  }
  return mean;
}

void ChangeSearch::add(const std::vector<AtomRound>& rounds, const NoiseFit* fit,
                       const std::vector<std::size_t>& counted) {
  const AtomRound& last = rounds.back();
  Real beyond = 0.0L;
  if (fit != nullptr && counted.size() >= kLeastRounds) {
    const Vector& w = fit->weights[last.action];
    const Real most = 3.0L * std::sqrt(fit->variances[last.action]);
    const Real residual = weighted(w, last.sums) - weighted(w, mean_over_numbers(rounds, counted));
    beyond = residual - std::clamp(residual, -most, most);
  }
  beyond_.push_back(beyond);
  blocks_[last.action].push_back({rounds.size() - 1});
  merge(blocks_[last.action]);
}

/// Joins the two oldest of a size as long as there are too many.
void ChangeSearch::merge(std::vector<Block>& blocks) const {
  for (std::size_t size = 1;; size *= 2) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].size() == size) places.push_back(i);
    }
    if (places.size() <= kOfASize) return;
    const Block later = blocks[places[1]];
    blocks[places[0]].insert(blocks[places[0]].end(), later.begin(), later.end());
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(places[1]));
  }
}

std::optional<ChangeFound> ChangeSearch::look(const std::vector<AtomRound>& rounds,
                                              const NoiseFit& fit) {
  const ActionId a = rounds.back().action;
  const Vector& w = fit.weights[a];
  const Real variance = fit.variances[a];
  if (!(variance > 0.0L)) return std::nullopt;
  std::vector<Vector> sums;
  for (const AtomRound& round : rounds) sums.push_back(round.sums);
  const std::ptrdiff_t all_rounds = std::count_if(
      rounds.begin(), rounds.end(), [&](const AtomRound& round) { return round.action == a; });
  const bool counts = unit_of_counts(sums).has_value();

  Real largest =
      std::log(50.0L * static_cast<Real>(affected_.actions()) * static_cast<Real>(all_rounds));
  std::optional<ChangeFound> found;
  Vector block_sums;
  for (const Block& block : blocks_[a]) {
    block_sums.push_back(0.0L);
    for (const std::size_t number : block) {
      block_sums.back() += weighted(w, rounds[number].sums) - beyond_[number];
    }
  }
  for (std::size_t place = blocks_[a].size(); place-- > 1;) {  // the first block of the new part
    ChangeFound change;
    change.action = a;
    Real old_sum = 0.0L;
    Real new_sum = 0.0L;
    for (std::size_t i = 0; i < blocks_[a].size(); ++i) {
      const Block& block = blocks_[a][i];
      (i < place ? old_sum : new_sum) += block_sums[i];
      std::vector<std::size_t>& part = i < place ? change.old_part : change.new_part;
      part.insert(part.end(), block.begin(), block.end());
    }
    const std::size_t n = change.new_part.size();
    const std::size_t before = change.old_part.size();
    if (n < kLeastRounds || before < kLeastRounds) continue;
    const Real d = new_sum / static_cast<Real>(n) - old_sum / static_cast<Real>(before);
    const Real skewed =  // c
        counts ? std::sqrt(variance) * std::abs(d) / static_cast<Real>(std::min(n, before)) : 0.0L;
    change.first_new = change.new_part.front();
    change.difference = d;
    change.variance = variance * shares(n, before);
    const Real e = d * d / (2.0L * (change.variance + skewed));
    const Real v = std::max(1.0L, fit.own_dof[a]);
    const Real exponent = (v + 1.0L) / 2.0L * std::log1p(2.0L * e / v);
    if (!(exponent > largest)) continue;
    largest = exponent;
    found = change;
  }
  if (!found) return std::nullopt;
  found->of_baseline = others_agree(rounds, fit, *found);
  std::vector<Block>& blocks = blocks_[a];
  while (!blocks.empty() && blocks.front().front() < found->first_new) blocks.erase(blocks.begin());
  return found;
}

bool ChangeSearch::others_agree(const std::vector<AtomRound>& rounds, const NoiseFit& fit,
                                const ChangeFound& change) const {
  const Vector& w = fit.weights[change.action];
  Real precision = 0.0L;
  Real sum = 0.0L;
  for (ActionId b = 0; b < affected_.actions(); ++b) {
    if (overlap(affected_, change.action, b)) continue;
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
    for (const Block& block : blocks_[b]) {
      std::vector<std::size_t>& part = block.front() < change.first_new ? before : after;
      part.insert(part.end(), block.begin(), block.end());
    }
    if (before.empty() || after.empty()) continue;
    const Real own = 1.0L / (fit.variances[change.action] * shares(before.size(), after.size()));
    precision += own;
    sum += own * (weighted(w, mean_over_numbers(rounds, after)) -
                  weighted(w, mean_over_numbers(rounds, before)));
  }
  if (precision == 0.0L) return false;
  const Real others = sum / precision;
  return others * change.difference > 0.0L &&
         std::abs(others) > kErrors * std::sqrt(1.0L / precision) &&
         std::abs(others - change.difference) <
             kErrors * std::sqrt(change.variance + 1.0L / precision);
}

}  // namespace updraft::testing
