#include "report/hindsight.h"

#include <algorithm>
#include <cassert>

#include "updraft/registry.h"

namespace updraft {
namespace {

template <typename Better>
const GridPoint& extreme(const ExperimentResult& result, std::size_t policy, Better better) {
  const GridPoint* found = nullptr;
  for (const GridPoint& point : result.points) {
    if (point.policy != policy) continue;
    if (!found || better(point.final_regret.mean, found->final_regret.mean)) found = &point;
  }
  assert(found != nullptr);
  return *found;
}

}  // namespace

const GridPoint& least_mean(const ExperimentResult& result, std::size_t policy) {
  return extreme(result, policy, [](double a, double b) { return a < b; });
}

const GridPoint& most_mean(const ExperimentResult& result, std::size_t policy) {
  return extreme(result, policy, [](double a, double b) { return a > b; });
}

std::vector<std::size_t> rivals(const Experiment& experiment, std::size_t policy) {
  const std::vector<PolicyGrid>& grids = experiment.policies;
  if (grids[policy].is_tuned()) return {policy};
  std::vector<std::size_t> tuned;
  std::vector<std::size_t> same;
  for (std::size_t p = 0; p < grids.size(); ++p) {
    if (!grids[p].is_tuned()) continue;
    tuned.push_back(p);
    if (needs_of(grids[p].spec) == needs_of(grids[policy].spec)) same.push_back(p);
  }
  return same.empty() ? tuned : same;
}

std::vector<Hindsight> hindsight(const ExperimentResult& result) {
  std::vector<Hindsight> found;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    if (result.experiment.policies[p].is_tuned()) continue;
    for (const std::size_t rival : rivals(result.experiment, p)) {
      const GridPoint& policy = result.best(p);
      const GridPoint& least = least_mean(result, rival);
      const GridPoint& most = most_mean(result, rival);
      found.push_back({&policy, &least, &most, ratio(policy, least), ratio(policy, most)});
    }
  }
  return found;
}

}  // namespace updraft
