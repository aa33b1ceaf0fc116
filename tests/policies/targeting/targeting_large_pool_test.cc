// Pools so large that several threads score them are treated as small ones are.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/rounds.h"

namespace updraft {
namespace {

constexpr TargetingShape kShape{.features = 5, .treatments = 3, .budget = 700};
constexpr std::size_t kPeople = 70001;

const Stream kStream(41, 0, Purpose::kTest);

std::unique_ptr<Policy> taught(const std::string& spec) {
  auto policy = testing::make_targeting(spec, kShape);
  std::vector<double> features(2000 * kShape.features);
  std::vector<double> payoffs(2000);
  std::vector<Treatment> treated(2000);
  kStream.uniforms(0, 0, features);
  kStream.uniforms(1, 0, payoffs);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    treated[i] = i % 4;
    payoffs[i] = payoffs[i] < 0.3 + 0.1 * treated[i] * features[i * kShape.features];
  }
  testing::teach(*policy, {.features = features, .width = kShape.features}, treated, payoffs);
  return policy;
}

class LargePools : public ::testing::TestWithParam<const char*> {};

TEST_P(LargePools, EveryoneIsScoredAsInAPoolOfFew) {
  const auto policy = taught(GetParam());
  std::vector<double> features(kPeople * kShape.features);
  std::vector<double> baseline(kPeople);
  kStream.uniforms(2, 0, features);
  kStream.uniforms(3, 0, baseline);
  const Round all{.features = features, .width = kShape.features, .baseline = baseline};
  const auto shown = testing::individuals(*policy, all);
  const std::size_t few = 1001;
  for (std::size_t first = 0; first < kPeople; first += few) {
    const std::size_t here = std::min(few, kPeople - first);
    const auto part = testing::individuals(
        *policy, {.features = std::span(features).subspan(first * all.width, here * all.width),
                  .width = all.width,
                  .baseline = std::span(baseline).subspan(first, here)});
    for (std::size_t i = 0; i < here; ++i) {
      ASSERT_EQ(shown[first + i].treatment, part[i].treatment) << first + i;
      ASSERT_EQ(shown[first + i].index, part[i].index) << first + i;
      ASSERT_EQ(shown[first + i].uplift, part[i].uplift) << first + i;
      ASSERT_EQ(shown[first + i].payoff.value(), part[i].payoff.value()) << first + i;
      ASSERT_EQ(shown[first + i].payoff_interval->high, part[i].payoff_interval->high) << first + i;
    }
  }
  const std::vector<Treatment> treated =
      testing::select_treatments(*policy, all, Stream(1, 0, Purpose::kPolicy));
  for (std::size_t i = 0; i < kPeople; ++i) {
    ASSERT_EQ(treated[i], shown[i].chosen ? shown[i].treatment : 0u) << i;
  }
  EXPECT_EQ(std::count(treated.begin(), treated.end(), 0u), kPeople - kShape.budget);
}

INSTANTIATE_TEST_SUITE_P(Specs, LargePools,
                         ::testing::Values("c2_up_ucb(beta=1)",
                                           "c2_up_ucb(beta=1, model=logistic, norms=scale)",
                                           "c2_up_ucb_bl(beta=9)", "c2_ucb(beta=1)"));

}  // namespace
}  // namespace updraft
