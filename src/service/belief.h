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

/// What beliefs() are of: one kind for all actions and times of a campaign.
enum class Quantity {
  kUplift,      ///< over doing nothing
  kDifference,  ///< of the reward to that of the explanation's reference action
  kReward,
};

/// How many variables every action affects: no feedback tells what they pay without any.
std::size_t affected_by_all(const AffectedSets& sets);

/// Uplifts if feedback can tell the baseline of every variable that an action affects; rewards for
/// policies that look at nothing else, and of a single action; else differences.
Quantity quantity(const Policy& policy);

/// Of each action, between the limits of its interval if the policy has intervals, else between its
/// own confidence bounds: estimate +- the radii of all means that go into it. With unknown sets
/// these are the identified variables, and the interval reaches at least as far as the index, which
/// counts in others.
std::vector<Belief> beliefs(const Policy& policy, const Explanation& explanation);

/// What policy.explain() says, but for probabilities of being best, which are dear.
Explanation quick_explanation(const Policy& policy);

/// About how many numbers quick_explanation() looks at.
std::size_t explanation_effort(const Policy& policy);

/// Whether the policy has seen anything of the noise, for those that learn it: payoffs of one
/// action twice. Before that its intervals have no width, which says nothing.
bool knows_noise(const Policy& policy);

/// "uplift", "difference" or "reward".
std::string_view name_of(Quantity quantity);

/// Whether the reference action changes with the payoffs: it is then the one with most of them.
bool reference_moves(const Policy& policy);

/// What the quantity is, and for differences why it is not the uplift. `reference` names the action
/// that differences are to.
std::string quantity_text(const Policy& policy, std::string_view reference);

/// What the intervals of beliefs() are, in words.
std::string interval_text(const Policy& policy);

}  // namespace updraft
