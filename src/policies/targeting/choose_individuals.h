#pragma once

#include <span>
#include <vector>

#include "updraft/ids.h"
#include "updraft/stream.h"

namespace updraft {

/// The ids of the `count` largest values, the lowest ids among equals, in no order; without those
/// <= 0 unless `fill`, and without those that are not numbers. Cost: O(values), one pass; memory
/// O(count).
std::vector<std::uint32_t> largest(std::span<const double> values, std::size_t count, bool fill);

/// Treats `count` of the individuals who are not treated yet, each as likely, with a treatment that
/// is as likely as any other. Treats all who are left if these are fewer. Takes two uniforms for
/// each, from index `first` on.
void treat_at_random(std::vector<Treatment>& treated, std::size_t count, std::size_t treatments,
                     const Stream& stream, std::uint64_t decision, std::uint64_t first);

/// The probability of each outcome of treat_at_random() that treats `count` of `individuals`,
/// nobody being treated before. 0 if it is too small for a double.
double random_probability(std::size_t individuals, std::size_t count, std::size_t treatments);

/// An individual and the treatment that a greedy policy gives.
struct Greedy {
  std::uint32_t individual = 0;
  Treatment treatment = 0;
};

struct Exploration {
  double eps = 0.0;
  std::size_t budget = 0;      ///< L
  std::size_t treatments = 1;  ///< Z
};

/// The probability of `treated` if b ~ Binomial(L, eps), the first L - b of `greedy` (best first)
/// get their treatments, and treat_at_random() treats b more: the sum over all b that may have led
/// to it. 0 if it is too small for a double. Cost: O(budget).
double exploring_probability(const Exploration& exploration, std::span<const Greedy> greedy,
                             std::span<const Treatment> treated);

}  // namespace updraft
