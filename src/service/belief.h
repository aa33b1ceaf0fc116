#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/policy.h"

namespace updraft {

/// The normal law has 95 % of its mass within so many standard deviations.
inline constexpr double kNormal95 = 1.959963984540054;

/// What is thought of an action, as people look at it. Absent as long as there is nothing to go by.
struct Belief {
  std::optional<double> estimate;
  std::optional<Interval> interval;

  bool operator==(const Belief& other) const {
    return estimate == other.estimate && interval.has_value() == other.interval.has_value() &&
           (!interval ||
            (interval->low == other.interval->low && interval->high == other.interval->high));
  }
};

/// Of each action: the estimated uplift, or the reward for policies that look at nothing else,
/// between the posterior's limits where the policy has a posterior, else between its own confidence
/// bounds: estimate +- the radii of all means that go into it. With unknown sets these are the
/// identified variables, and the interval reaches at least as far as the index, which counts in
/// others. Absent as long as a variable of a declared set has no baseline that some action could
/// still bring.
std::vector<Belief> beliefs(const Policy& policy, const Explanation& explanation);

/// What policy.explain() says, but for probabilities of being best, which are dear.
Explanation quick_explanation(const Policy& policy);

/// About how many numbers quick_explanation() looks at.
std::size_t explanation_effort(const Policy& policy);

/// Whether the policy has seen anything of the noise, for those that learn it: payoffs of one
/// action twice. Before that its posterior has no width, which says nothing.
bool knows_noise(const Policy& policy);

/// "uplift" or "reward".
std::string_view quantity(const Policy& policy);

/// What the intervals of beliefs() are, in words.
std::string interval_text(const Policy& policy);

}  // namespace updraft
