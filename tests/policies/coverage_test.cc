// Intervals of explain() hold the truth as often as they say.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/source_folder.h"
#include "support/statistics.h"
#include "updraft/instance_environment.h"
#include "updraft/registry.h"

namespace updraft::testing {
namespace {

constexpr std::uint32_t kRoundsPerAction = 20;

bool holds(const Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

/// Counts, per action, the runs whose intervals hold the truth.
class Held {
 public:
  explicit Held(std::size_t actions) : uplifts_(actions, 0), differences_(actions, 0) {}

  /// A run, with the true uplifts.
  void count(const Explanation& shown, std::span<const double> truth) {
    ++runs_;
    const double reference = truth[shown.reference_action.value()];
    for (ActionId a = 0; a < truth.size(); ++a) {
      const ActionExplanation& about = shown.actions[a];
      uplifts_[a] += holds(about.interval.value(), truth[a]);
      differences_[a] += holds(about.difference.value().interval, truth[a] - reference);
    }
  }

  /// Whether it is 95 %, of the uplifts and differences of every action and of all uplifts
  /// together. Runs are independent, uplifts of a run nearly so; differences share the reference.
  void expect_95_percent() const {
    const double sd = std::sqrt(0.95 * 0.05 / runs_);
    double mean = 0.0;
    for (std::size_t a = 0; a < uplifts_.size(); ++a) {
      const double share = uplifts_[a] / runs_;
      EXPECT_TRUE(agrees(share, 0.95, sd, 10 * uplifts_.size())) << "action " << a;
      mean += share / static_cast<double>(uplifts_.size());
      if (a == kReferenceAction) continue;
      EXPECT_TRUE(agrees(differences_[a] / runs_, 0.95, sd, 10 * uplifts_.size()))
          << "difference of action " << a;
    }
    ::testing::Test::RecordProperty("coverage", std::to_string(mean));
    EXPECT_TRUE(agrees(mean, 0.95, sd / std::sqrt(static_cast<double>(uplifts_.size()))));
    EXPECT_EQ(differences_[kReferenceAction], runs_) << "0 is exact";
  }

 private:
  double runs_ = 0.0;
  std::vector<double> uplifts_;
  std::vector<double> differences_;
};

struct Case {
  std::string instance;
  const char* spec;
  std::uint32_t runs;
};

class Coverage : public ::testing::TestWithParam<Case> {};

TEST_P(Coverage, Is95PercentWithActionsInRotation) {
  const auto instance = load_instance(GetParam().instance);
  const auto law = prepare_payoffs(instance);
  const auto actions = static_cast<std::uint32_t>(instance->actions());
  Held held(actions);
  for (std::uint32_t run = 0; run < GetParam().runs; ++run) {
    const auto policy = make_policy(GetParam().spec, instance->knowledge(200));
    InstanceEnvironment environment(law, 2026, run);
    for (std::uint32_t round = 0; round < kRoundsPerAction * actions; ++round) {
      const ActionId action = round % actions;
      policy->observe(action, environment.draw(round, action, policy->resolution()));
    }
    held.count(policy->explain(), instance->uplifts());
  }
  held.expect_95_percent();
}

const std::string kRareClusters = source_folder() / "examples/instance/rare-clusters.json";

// Few fits save time: the last is to at least 90 % of the rounds.
INSTANTIATE_TEST_SUITE_P(Policies, Coverage,
                         ::testing::Values(Case{"gaussian", "up_ts_bl(refit=0.5)", 1000},
                                           Case{"gaussian", "up_ts(refit=0.5)", 1000},
                                           Case{"criteo", "up_ts_bl(refit=0.5)", 300},
                                           Case{"criteo", "up_ts(refit=0.5)", 300},
                                           Case{kRareClusters, "up_ts_bl(refit=0.1)", 300},
                                           Case{kRareClusters, "up_ts(refit=0.1)", 300}),
                         [](const auto& test) {
                           const std::string instance = test.param.instance;
                           const std::string spec = test.param.spec;
                           return spec.substr(0, spec.find('(')) + "_" +
                                  (instance == kRareClusters ? "rare_clusters" : instance);
                         });

class CoverageOfOwnVariances : public ::testing::TestWithParam<std::string> {};

/// Normal payoffs, no counts: four actions on a variable each, which make its standard deviation 1,
/// 2, 3 and 4 times what it is; half of the variance is shared by all.
TEST_P(CoverageOfOwnVariances, Is95PercentWithActionsInRotation) {
  constexpr std::uint32_t kRuns = 300;
  constexpr ActionId kActions = 4;
  Knowledge knowledge(kActions, kActions + 1);
  std::vector<VariableSet> sets;
  for (VariableId i = 0; i < kActions; ++i) sets.push_back(VariableSet::from_ids(std::vector{i}));
  knowledge.set_affected(std::move(sets));
  knowledge.set_baseline(std::vector<double>(kActions + 1, 0.0));
  Held held(kActions);
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const Stream stream(2026, run, Purpose::kTest);
    const auto policy = make_policy(GetParam(), knowledge);
    for (std::uint32_t round = 0; round < 2 * kRoundsPerAction * kActions; ++round) {
      std::vector<double> y(kActions + 2);
      stream.normals(round, 0, y);
      const double common = y.back();
      y.pop_back();
      for (double& value : y) value = std::sqrt(0.5) * (value + common);
      const ActionId action = round % kActions;
      y[action] *= 1.0 + action;
      policy->observe(action, Payoffs::dense(y));
    }
    held.count(policy->explain(), std::vector<double>(kActions, 0.0));
  }
  held.expect_95_percent();
}

INSTANTIATE_TEST_SUITE_P(Policies, CoverageOfOwnVariances,
                         ::testing::Values("up_ts_bl(refit=0.1)", "up_ts(refit=0.1)"),
                         [](const auto& policy) {
                           return policy.param.substr(0, policy.param.find('('));
                         });

}  // namespace
}  // namespace updraft::testing
