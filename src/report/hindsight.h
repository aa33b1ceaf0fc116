#pragma once

#include <vector>

#include "report/compare.h"
#include "updraft/results.h"

namespace updraft {

/// A policy with nothing to tune beside a tuned one: what would it have been worth to know the best
/// value beforehand? Refers to the result.
struct Hindsight {
  const GridPoint* policy = nullptr;
  const GridPoint* least = nullptr;  ///< the rival's value with the least mean final regret
  const GridPoint* most = nullptr;   ///< and with the largest
  Estimate to_least;                 ///< ratio(*policy, *least)
  Estimate to_most;
};

/// The points of a policy with the least and the largest mean final regret, the smallest value
/// among equals.
const GridPoint& least_mean(const ExperimentResult& result, std::size_t policy);
const GridPoint& most_mean(const ExperimentResult& result, std::size_t policy);

/// The policies that the policy `policy` is measured by: tuned ones that have to be told the same
/// things, or all tuned ones where there is none. A tuned policy has itself.
std::vector<std::size_t> rivals(const Experiment& experiment, std::size_t policy);

/// Every policy without a tuned parameter beside each of its rivals, in the experiment's order.
/// The least of some means is optimistic about the value it was picked for, so a ratio of 1 is
/// somewhat better than tuning.
std::vector<Hindsight> hindsight(const ExperimentResult& result);

}  // namespace updraft
