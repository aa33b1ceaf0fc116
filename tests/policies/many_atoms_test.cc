// Policies that learn the noise, with more atoms than whose correlations are kept in full.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "stats/atom_moments.h"
#include "support/statistics.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft::testing {
namespace {

constexpr ActionId kActions = 20;
constexpr VariableId kVariables = 600;

/// Each affected set is a random tenth. The uplift of an action is 0.5 times its number.
struct Problem {
  Problem() : knowledge(kActions, kVariables) {
    const Stream stream(8, 0, Purpose::kTest);
    std::vector<VariableSet> all;
    for (ActionId a = 0; a < kActions; ++a) {
      std::vector<VariableId> ids;
      for (VariableId v = 0; v < kVariables; ++v) {
        if (stream.uniform(a, v) < 0.1) ids.push_back(v);
      }
      all.push_back(VariableSet::from_ids(ids));
      sets.push_back(std::move(ids));
      uplifts.push_back(0.5 * a);
    }
    knowledge.set_affected(std::move(all));
    knowledge.set_baseline(std::vector<double>(kVariables, 1.0));
  }

  /// Noise of sd 1, half of the variance by a shock that all share.
  std::vector<double> payoffs(const Stream& stream, std::uint32_t round, ActionId action) const {
    std::vector<double> x(kVariables + 1);
    stream.normals(round, 0, x);
    const double shock = x.back();
    x.pop_back();
    for (double& value : x) value = 1.0 + std::sqrt(0.5) * (value + shock);
    for (const VariableId v : sets[action]) {
      x[v] += uplifts[action] / static_cast<double>(sets[action].size());
    }
    return x;
  }

  Knowledge knowledge;
  std::vector<std::vector<VariableId>> sets;
  std::vector<double> uplifts;
};

class ManyAtoms : public ::testing::TestWithParam<const char*> {};

TEST_P(ManyAtoms, IntervalsHoldTheUpliftAsOftenAsTheySay) {
  const Problem problem;
  constexpr std::uint32_t kRuns = 40;
  double held = 0.0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const Stream stream(2026, run, Purpose::kTest);
    const auto policy = make_policy(std::string(GetParam()) + "(refit=0.3)", problem.knowledge);
    ASSERT_GT(policy->resolution().partition->groups(), AtomMoments::kMostInFull);
    for (std::uint32_t round = 0; round < 20 * kActions; ++round) {
      const ActionId action = round % kActions;
      policy->observe(action, Payoffs::dense(problem.payoffs(stream, round, action)));
    }
    const Explanation shown = policy->explain(Detail::kCheap);
    for (ActionId a = 0; a < kActions; ++a) {
      const Interval interval = shown.actions[a].interval.value();
      held += interval.low <= problem.uplifts[a] && problem.uplifts[a] <= interval.high;
    }
  }
  constexpr double kIntervals = kRuns * kActions;
  RecordProperty("coverage", std::to_string(held / kIntervals));
  EXPECT_TRUE(agrees(held / kIntervals, 0.95, std::sqrt(0.95 * 0.05 / kIntervals)));
}

/// About 60 variables share a shock of variance 1/2 each: without control variates, estimates have
/// a variance of about 60 / 2 + 60^2 / 2 a round; with them, of little more than 60 / 2.
TEST_P(ManyAtoms, UseWhatTheyLeaveAloneAsControlVariates) {
  const Problem problem;
  const auto error_of = [&](const std::string& spec) {
    const Stream stream(1, 0, Purpose::kTest);
    const auto policy = make_policy(spec, problem.knowledge);
    for (std::uint32_t round = 0; round < 20 * kActions; ++round) {
      const ActionId action = round % kActions;
      policy->observe(action, Payoffs::dense(problem.payoffs(stream, round, action)));
    }
    return policy->explain(Detail::kCheap).actions[0].standard_error.value();
  };
  const std::string name = GetParam();
  const auto size = static_cast<double>(problem.sets[0].size());
  EXPECT_NEAR(error_of(name), std::sqrt(0.5 * size / 20.0), 0.15 * std::sqrt(0.5 * size / 20.0));
  EXPECT_GT(error_of(name + "(covariance=diagonal)"), std::sqrt(size / 20.0) * 0.9);
}

TEST_P(ManyAtoms, GoOnAlikeOnceRestored) {
  const Problem problem;
  const Stream noise(1, 0, Purpose::kTest);
  const Stream stream(1, 0, Purpose::kPolicy);
  const auto policy = make_policy(GetParam(), problem.knowledge);
  const auto play = [&](Policy& who, std::uint32_t first, std::uint32_t end) {
    std::vector<Decision> made;
    for (std::uint32_t round = first; round < end; ++round) {
      made.push_back(who.decide(stream));
      const ActionId action = made.back().action;
      who.observe(action, Payoffs::dense(problem.payoffs(noise, round, action)));
    }
    return made;
  };
  play(*policy, 0, 47);
  std::stringstream saved;
  save_policy(*policy, saved);
  const auto restored = load_policy(saved);
  const auto expected = play(*policy, 47, 80);
  const auto got = play(*restored, 47, 80);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(got[i].action, expected[i].action) << i;
    EXPECT_EQ(got[i].probability, expected[i].probability) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ManyAtoms,
                         ::testing::Values("up_ts", "up_ts_bl", "up_ucb_cv", "up_ucb_cv_bl"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace updraft::testing
