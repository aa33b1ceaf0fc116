#include "policies/targeting/choose_individuals.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace updraft {

namespace {

constexpr std::size_t kFew = 32;

struct Candidate {
  double value;
  std::uint32_t id;
};

std::vector<std::uint32_t> ids_of(std::span<const Candidate> candidates) {
  std::vector<std::uint32_t> ids(candidates.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = candidates[i].id;
  return ids;
}

// Ids come in increasing order: one that merely equals the least of `count` others is too late.

/// Keeps the best in order: right where they are few, as hardly any value changes them.
std::vector<std::uint32_t> few_largest(std::span<const double> values, std::size_t count,
                                       bool fill) {
  std::array<Candidate, kFew + 1> best;
  std::size_t size = 0;
  double least = 0.0;
  bool any = fill;
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    const double value = values[id];
    if (!((value > least) | (any & (value <= least)))) continue;
    std::size_t place = size;
    for (; place > 0 && best[place - 1].value < value; --place) best[place] = best[place - 1];
    best[place] = {value, id};
    size = std::min(size + 1, count);
    if (size < count) continue;
    least = best[count - 1].value;
    any = false;
  }
  return ids_of(std::span(best).first(size));
}

/// Collects candidates, and throws out all but the best when there are four times too many.
std::vector<std::uint32_t> many_largest(std::span<const double> values, std::size_t count,
                                        bool fill) {
  const std::size_t most = std::min(values.size(), 4 * count);
  std::vector<Candidate> candidates(most + 1);  // the last is never one of them
  std::size_t size = 0;
  const auto keep_largest = [&] {
    const auto at = [&](std::size_t i) {
      return candidates.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::nth_element(at(0), at(count - 1), at(size), [](const Candidate& a, const Candidate& b) {
      return a.value > b.value || (a.value == b.value && a.id < b.id);
    });
    size = count;
  };
  double least = 0.0;
  bool any = fill;
  for (std::uint32_t id = 0; id < values.size(); ++id) {
    candidates[size] = {values[id], id};
    size += std::size_t{values[id] > least} | (std::size_t{any} & std::size_t{values[id] <= least});
    if (size < 4 * count) continue;
    keep_largest();
    least = candidates[count - 1].value;
    any = false;
  }
  if (size > count) keep_largest();
  return ids_of(std::span(candidates).first(size));
}

/// std::lgamma() writes to a global variable, which other threads may write to as well.
double log_factorial(double n) {
  int sign = 0;
  return lgamma_r(n + 1.0, &sign);
}

double log_choose(double n, double k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// Of one outcome of treating `count` of `individuals` at random.
double log_random_probability(std::size_t individuals, std::size_t count, std::size_t treatments) {
  const auto chosen = static_cast<double>(count);
  return -log_choose(static_cast<double>(individuals), chosen) -
         chosen * std::log(static_cast<double>(treatments));
}

}  // namespace

std::vector<std::uint32_t> largest(std::span<const double> values, std::size_t count, bool fill) {
  if (count == 0) return {};
  return count <= kFew ? few_largest(values, count, fill) : many_largest(values, count, fill);
}

void treat_at_random(std::vector<Treatment>& treated, std::size_t count, std::size_t treatments,
                     const Stream& stream, std::uint64_t decision, std::uint64_t first) {
  if (count == 0) return;
  const auto round = static_cast<std::uint32_t>(decision);
  const auto pick = [&](std::uint64_t index, std::size_t choices) {
    const double place = stream.uniform(round, first + index) * static_cast<double>(choices);
    return std::min(static_cast<std::size_t>(place), choices - 1);
  };
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < treated.size(); ++i) {
    if (treated[i] == 0) left.push_back(i);
  }
  for (std::size_t j = 0; j < count && j < left.size(); ++j) {
    std::swap(left[j], left[j + pick(2 * j, left.size() - j)]);
    treated[left[j]] = static_cast<Treatment>(1 + pick(2 * j + 1, treatments));
  }
}

double random_probability(std::size_t individuals, std::size_t count, std::size_t treatments) {
  return std::exp(log_random_probability(individuals, count, treatments));
}

double exploring_probability(const Exploration& exploration, std::span<const Greedy> greedy,
                             std::span<const Treatment> treated) {
  const std::size_t n = treated.size();
  const auto all = n - static_cast<std::size_t>(std::count(treated.begin(), treated.end(), 0u));
  std::size_t agreeing = 0;  // of the greedy ones, from the first on
  while (agreeing < greedy.size() &&
         treated[greedy[agreeing].individual] == greedy[agreeing].treatment) {
    ++agreeing;
  }
  const auto budget = static_cast<double>(exploration.budget);
  double sum = 0.0;
  for (std::size_t b = 0; b <= exploration.budget; ++b) {
    const std::size_t first = std::min(greedy.size(), exploration.budget - b);
    const std::size_t random = std::min(b, n - first);
    if (first > agreeing || first + random != all) continue;
    const auto explored = static_cast<double>(b);
    sum += std::exp(log_choose(budget, explored) + explored * std::log(exploration.eps) +
                    (budget - explored) * std::log1p(-exploration.eps) +
                    log_random_probability(n - first, random, exploration.treatments));
  }
  return std::min(sum, 1.0);
}

}  // namespace updraft
