#include "experiments/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/refusal.h"
#include "support/rounds.h"
#include "updraft/stream.h"

namespace updraft::testing {
namespace {

constexpr TargetingShape kShape{.features = 1, .treatments = 2, .budget = 4};
constexpr std::size_t kPeople = 9;

/// By sorting: the best treatment of each, the lowest among equals, and of these the largest.
std::vector<Treatment> by_sorting(const std::vector<double>& uplifts, bool fill) {
  std::vector<std::size_t> order(kPeople);
  std::iota(order.begin(), order.end(), 0u);
  const auto best = [&](std::size_t i) { return std::max(uplifts[2 * i], uplifts[2 * i + 1]); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return best(a) > best(b); });
  std::vector<Treatment> treated(kPeople, 0);
  for (std::size_t j = 0; j < kShape.budget; ++j) {
    const std::size_t i = order[j];
    if (best(i) > 0.0 || fill) treated[i] = uplifts[2 * i + 1] > uplifts[2 * i] ? 2 : 1;
  }
  return treated;
}

TEST(Oracle, TreatsTheLargestTrueUplifts) {
  const std::vector<double> features(kPeople, 1.0);
  const Round pool{.features = features, .width = 1};
  const Stream stream(5, 0, Purpose::kTest);
  std::vector<double> uplifts(2 * kPeople);
  TrueUplifts truth;
  const auto oracle = make_oracle(PolicySpec::parse("oracle"), Knowledge(kShape), truth);
  const auto filling = make_oracle(PolicySpec::parse("oracle(fill=yes)"), Knowledge(kShape), truth);
  for (std::uint32_t round = 0; round < 200; ++round) {
    stream.uniforms(round, 0, uplifts);
    for (double& uplift : uplifts) uplift = std::round(8.0 * uplift - 6.0);  // with ties
    truth.values = uplifts;
    ASSERT_EQ(oracle->decide(pool, stream).treatments, by_sorting(uplifts, false)) << round;
    ASSERT_EQ(filling->decide(pool, stream).treatments, by_sorting(uplifts, true)) << round;
    const auto shown = individuals(*oracle, pool);
    for (std::size_t i = 0; i < kPeople; ++i) {
      EXPECT_EQ(shown[i].uplift, std::max(uplifts[2 * i], uplifts[2 * i + 1]));
    }
  }
}

TEST(Oracle, IsMadeBySimulationsAlone) {
  const TrueUplifts truth;
  const PolicySpec spec = PolicySpec::parse("oracle");
  EXPECT_EQ(make_simulated_policy(spec, Knowledge(kShape), truth)->spec(), spec);
  EXPECT_EQ(refusal([&] { make_policy(spec, Knowledge(kShape)); }),
            "policy = oracle: must know the truth: it can only be simulated");
  EXPECT_NE(refusal([&] { make_simulated_policy(spec, Knowledge(2, 3), truth); }), "(accepted)");
}

}  // namespace
}  // namespace updraft::testing
