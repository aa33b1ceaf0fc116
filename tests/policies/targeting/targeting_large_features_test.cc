// Features that nobody has scaled: incomes, distances in metres.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/targeting_reference.h"
#include "support/rounds.h"

namespace updraft::testing {
namespace {

struct Paid {
  std::vector<double> features;
  double payoff;
};

/// Each row comes with an observation of its own, and all of them are treated. Then every estimate
/// is the reference's, to within what its fit may be off.
void compare(const std::string& spec, const std::vector<Paid>& rows) {
  const TargetingShape shape{.features = rows[0].features.size(), .treatments = 1, .budget = 1};
  const auto policy = make_targeting(spec, shape);
  TargetingReference reference(PolicySpec::parse(spec), shape);
  const std::vector<Treatment> treated = {1};
  const std::vector<double> baseline = {0.0};
  for (const Paid& row : rows) {
    const Round pool{.features = row.features, .width = shape.features, .baseline = baseline};
    teach(*policy, pool, treated, std::vector<double>{row.payoff});
    reference.observe(pool, treated, std::vector<double>{row.payoff});
  }
  for (const Paid& row : rows) {
    const Round pool{.features = row.features, .width = shape.features, .baseline = baseline};
    const TreatmentEstimate expected = reference.estimates(pool)[0][0];
    const Real tolerance = 1e-9L * expected.magnitude + reference.fit_error(pool);
    EXPECT_NEAR(individuals(*policy, pool)[0].index, static_cast<double>(expected.index),
                static_cast<double>(tolerance))
        << spec << ", features " << row.features[0];
  }
}

const std::vector<std::vector<Paid>> kCases = {
    {{{7000.0}, 1.0}, {{9000.0}, 0.0}},
    {{{12000.0}, 1.0}, {{-18000.0}, 1.0}},
    {{{-10000.0}, 0.0}, {{80000.0}, 0.0}},
    {{{500.0, 0.0}, 0.0}, {{-900.0, 300.0}, 0.0}, {{-300.0, 900.0}, 1.0}},
    {{{40000.0, -20000.0}, 1.0}, {{80000.0, -40000.0}, 0.0}},
};

TEST(TargetingLargeFeatures, LinearModels) {
  for (const auto& rows : kCases) compare("c2_up_ucb_bl(beta=1)", rows);
}

TEST(TargetingLargeFeatures, OnlineLogisticModels) {
  for (const auto& rows : kCases) compare("greedy_bl(model=logistic, fit=online)", rows);
}

TEST(TargetingLargeFeatures, ExactLogisticModels) {
  for (const auto& rows : kCases) compare("greedy_bl(model=logistic)", rows);
}

}  // namespace
}  // namespace updraft::testing
