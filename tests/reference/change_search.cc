#include "reference/change_search.h"

#include <algorithm>
#include <cmath>

namespace updraft::testing {

namespace {

constexpr std::size_t kLeastRounds = 4;  // of a part
constexpr std::size_t kOfASize = 4;      // blocks

/// The mean of w(a)'x over some rounds.
struct Mean {
  Real value = 0.0L;
  std::size_t rounds = 0;
};

Mean mean(const std::vector<Real>& values, std::size_t from, std::size_t to) {
  Real sum = 0.0L;
  for (std::size_t i = from; i < to; ++i) sum += values[i];
  return {to == from ? 0.0L : sum / static_cast<Real>(to - from), to - from};
}

Real shares(const Mean& old_part, const Mean& new_part) {
  return 1.0L / static_cast<Real>(old_part.rounds) + 1.0L / static_cast<Real>(new_part.rounds);
}

Real weighted(const Vector& w, const Vector& x) {
  Real sum = 0.0L;
  for (std::size_t g = 0; g < w.size(); ++g) sum += w[g] * x[g];
  return sum;
}

bool overlap(const AffectedSets& affected, ActionId a, ActionId b) {
  for (const VariableId i : affected.of(a).ids()) {
    if (affected.of(b).contains(i)) return true;
  }
  return false;
}

}  // namespace

ChangeSearch::ChangeSearch(const AffectedSets& affected)
    : affected_(affected), blocks_(affected.actions()) {}

void ChangeSearch::add(ActionId action, std::size_t round) {
  std::vector<Block>& blocks = blocks_[action];
  blocks.push_back({round});
  for (std::size_t size = 1;; size *= 2) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].size() == size) places.push_back(i);
    }
    if (places.size() <= kOfASize) return;
    Block& oldest = blocks[places[0]];
    const Block& next = blocks[places[1]];
    oldest.insert(oldest.end(), next.begin(), next.end());
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(places[1]));
  }
}

std::optional<ChangeFound> ChangeSearch::after(const std::vector<AtomRound>& rounds,
                                               const NoiseFit* fit) {
  const ActionId a = rounds.back().action;
  add(a, rounds.size() - 1);
  if (fit == nullptr) return std::nullopt;
  const Vector& w = fit->weights[a];
  const Real variance = fit->variances[a];  // s^2
  const Real s = std::sqrt(variance);
  const Real v = fit->own_dof[a];
  const Real centre = weighted(w, mean_of(rounds, a));
  const Real n = static_cast<Real>(rounds_of(rounds, a));
  if (variance == 0.0L) return std::nullopt;

  std::vector<Real> values;
  std::vector<std::size_t> numbers;
  std::vector<std::size_t> splits;
  for (const Block& block : blocks_[a]) {
    if (!numbers.empty()) splits.push_back(numbers.size());
    for (const std::size_t round : block) {
      const Real value = weighted(w, rounds[round].sums);
      values.push_back(std::clamp(value, centre - 3.0L * s, centre + 3.0L * s));
      numbers.push_back(round);
    }
  }
  Real largest = 0.0L;
  ChangeFound found;
  std::size_t place = 0;
  for (const std::size_t split : splits) {
    const Mean before = mean(values, 0, split);
    const Mean now = mean(values, split, values.size());
    if (before.rounds < kLeastRounds || now.rounds < kLeastRounds) continue;
    const Real d = now.value - before.value;
    const Real of_d = variance * shares(before, now);
    const Real c = !fit->unit ? 0.0L
                              : 3.0L * s * std::abs(d) /
                                    (3.0L * static_cast<Real>(std::min(before.rounds, now.rounds)));
    const Real e = d * d / (2.0L * (of_d + c));
    const Real evidence = (v + 1.0L) / 2.0L * std::log(1.0L + 2.0L * e / v);
    if (evidence <= largest) continue;
    largest = evidence;
    place = split;
    found = {a, false, numbers[split], d, of_d};
  }
  if (!(largest > std::log(50.0L * static_cast<Real>(affected_.actions()) * n))) {
    return std::nullopt;
  }

  // The same comparison in the rounds of actions that leave V(a) alone.
  Real precision = 0.0L;
  Real sum = 0.0L;
  for (ActionId b = 0; b < affected_.actions(); ++b) {
    if (overlap(affected_, a, b)) continue;
    std::vector<Real> others;
    std::size_t old_rounds = 0;
    for (const Block& block : blocks_[b]) {
      for (const std::size_t round : block) {
        others.push_back(weighted(w, rounds[round].sums));
        if (round < found.first_new) ++old_rounds;
      }
    }
    if (old_rounds == 0 || old_rounds == others.size()) continue;
    const Mean before = mean(others, 0, old_rounds);
    const Mean now = mean(others, old_rounds, others.size());
    const Real weight = 1.0L / (variance * shares(before, now));
    precision += weight;
    sum += weight * (now.value - before.value);
  }
  if (precision > 0.0L) {
    const Real difference = sum / precision;
    const Real error = 1.0L / std::sqrt(precision);
    found.of_baseline = std::abs(difference) > 3.0L * error &&
                        difference * found.difference > 0.0L &&
                        std::abs(difference - found.difference) <= 3.0L * error;
  }

  // Only the new part stays.
  std::vector<Block>& blocks = blocks_[a];
  std::size_t old_blocks = 0;
  for (std::size_t rounds_before = 0; rounds_before < place; ++old_blocks) {
    rounds_before += blocks[old_blocks].size();
  }
  blocks.erase(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(old_blocks));
  return found;
}

}  // namespace updraft::testing
