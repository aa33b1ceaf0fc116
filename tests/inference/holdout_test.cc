#include "updraft/holdout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "inference/made_bandit.h"
#include "support/refusal.h"
#include "support/statistics.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using testing::MadeBandit;
using testing::refusal;

std::unique_ptr<Policy> policy_of(const std::string& spec) {
  return make_policy(spec, knowledge_for(PolicySpec::parse(spec), MadeBandit::knowledge()));
}

TEST(Holdout, RefusesSharesThatCannotBe) {
  const auto said = [](const RoundShares& shares) {
    return refusal([&] { check_shares(shares, 3, "evidence"); });
  };
  EXPECT_EQ(said({.control = 2, .holdout = 0.5, .probe = 0.4}), "(accepted)");
  EXPECT_EQ(said({.control = 3}), "evidence.control = 3: must be below the number of actions, 3");
  EXPECT_EQ(said({.holdout = 0.1}), "evidence.holdout = 0.1: needs a control action");
  EXPECT_EQ(said({.control = 0, .holdout = 1.0}), "evidence.holdout = 1: must be in [0, 1)");
  EXPECT_EQ(said({.probe = std::nan("")}), "evidence.probe = nan: must be in [0, 1)");
  EXPECT_NE(said({.control = 0, .holdout = 0.5, .probe = 0.45}), "(accepted)");
}

TEST(Holdout, NamesWhoseRoundItIs) {
  EXPECT_EQ(name_of(RoundOf::kPolicy), "policy");
  EXPECT_EQ(name_of(RoundOf::kHoldout), "holdout");
  EXPECT_EQ(name_of(RoundOf::kProbe), "probe");
}

/// 20,000 decisions: each kind of round has its share, also beyond 2^32 decisions.
TEST(Holdout, RoundsHaveTheirShares) {
  const RoundShares shares{.control = 0, .holdout = 0.2, .probe = 0.3};
  const Stream stream(4, 0, Purpose::kPolicy);
  std::vector<std::uint64_t> counts(3, 0);
  for (std::uint64_t n = 0; n < 20'000; ++n) {
    ++counts[static_cast<std::size_t>(round_of(shares, stream, (n % 2 << 32) + n / 2))];
  }
  EXPECT_TRUE(testing::fits(counts, std::vector<double>{10'000.0, 4'000.0, 6'000.0}));
  EXPECT_EQ(round_of({}, stream, 7), RoundOf::kPolicy);
}

/// A policy that does not draw: the probabilities are the shares themselves.
TEST(Holdout, MixesWithAPolicyThatDoesNotDraw) {
  const auto policy = policy_of("ucb(alpha=1)");
  const Stream stream(5, 0, Purpose::kPolicy);
  const RoundShares shares{.control = 0, .holdout = 0.2, .probe = 0.1};
  for (const ActionId a : {0u, 1u, 2u}) {
    policy->take(a);
    policy->observe(a, Payoffs::total(a == 2 ? 5.0 : 0.0));
  }
  std::map<RoundOf, double> probability;
  for (int t = 0; t < 200; ++t) {
    const SharedDecision shared = decide_with_shares(*policy, stream, shares, {.probe = 1});
    ASSERT_EQ(shared.candidate, 2u);
    ASSERT_EQ(shared.decision.action, shared.whose == RoundOf::kHoldout ? 0u
                                      : shared.whose == RoundOf::kProbe ? 1u
                                                                        : 2u);
    probability[shared.whose] = shared.decision.probability;
  }
  EXPECT_EQ(policy->decisions(), 203u);
  EXPECT_DOUBLE_EQ(probability[RoundOf::kPolicy], 0.7);
  EXPECT_DOUBLE_EQ(probability[RoundOf::kHoldout], 0.2);
  EXPECT_DOUBLE_EQ(probability[RoundOf::kProbe], 0.1);
}

/// Thompson sampling that learns meanwhile: for every action the counts minus the probabilities of
/// the mixture, and for the control action the weights 1 / probability, are martingales.
TEST(Holdout, TakesActionsWithTheProbabilityItSays) {
  constexpr std::uint32_t kRounds = 4000;
  const MadeBandit bandit{.effects = {0.0, 0.2, 0.25}};
  const auto policy = policy_of("up_ts");
  const Stream stream(6, 0, Purpose::kPolicy);
  const RoundShares shares{.control = 1, .holdout = 0.15, .probe = 0.1};
  double weights = 0.0;
  double variance = 0.0;
  std::vector<std::uint64_t> whose(3, 0);
  std::vector<double> martingale(3, 0.0), spread(3, 0.0);
  for (std::uint32_t t = 0; t < kRounds; ++t) {
    std::vector<double> mixture = policy->probabilities(stream);
    for (double& share : mixture) share *= 0.75;
    mixture[1] += 0.15;
    mixture[0] += 0.1;
    const SharedDecision shared = decide_with_shares(*policy, stream, shares, {.probe = 0});
    ++whose[static_cast<std::size_t>(shared.whose)];
    const ActionId taken = shared.decision.action;
    ASSERT_NEAR(shared.decision.probability, mixture[taken], 1e-12);
    for (ActionId a = 0; a < 3; ++a) {
      martingale[a] += (taken == a ? 1.0 : 0.0) - mixture[a];
      spread[a] += mixture[a] * (1.0 - mixture[a]);
    }
    if (taken == 1) weights += 1.0 / shared.decision.probability;
    variance += 1.0 / mixture[1] - 1.0;
    policy->observe(taken, Payoffs::dense(bandit.pay(0, t, taken)));
  }
  EXPECT_TRUE(testing::agrees(weights, kRounds, std::sqrt(variance), 50));
  for (ActionId a = 0; a < 3; ++a) {
    EXPECT_LE(std::abs(martingale[a]), testing::normal_threshold(30) * std::sqrt(spread[a])) << a;
  }
  EXPECT_TRUE(testing::fits(whose, std::vector<double>{3000.0, 600.0, 400.0}));
}

/// What is paused is taken by the holdout alone, and the probabilities are those of the rest.
TEST(Holdout, LeavesPausedActionsOut) {
  constexpr std::uint32_t kRounds = 3000;
  const MadeBandit bandit{.effects = {0.0, 0.1, 0.1}};
  for (const char* spec : {"up_ts", "ucb(alpha=1)"}) {
    const auto policy = policy_of(spec);
    const Stream stream(7, 0, Purpose::kPolicy);
    for (const ActionId a : {0u, 1u, 2u}) {
      policy->take(a);
      policy->observe(a, Payoffs::dense(bandit.pay(1, a, a)));
    }
    const std::vector<ActionId> paused = {0, 2};
    const RoundShares shares{.control = 0, .holdout = 0.2};
    for (std::uint32_t t = 0; t < kRounds; ++t) {
      const SharedDecision shared =
          decide_with_shares(*policy, stream, shares, {.probe = 1, .paused = paused});
      ASSERT_EQ(shared.candidate, 1u) << spec;
      ASSERT_EQ(shared.decision.action, shared.whose == RoundOf::kHoldout ? 0u : 1u) << spec;
      ASSERT_DOUBLE_EQ(shared.decision.probability, shared.whose == RoundOf::kHoldout ? 0.2 : 0.8);
      if (t % 100 == 0) {
        policy->observe(shared.decision.action,
                        Payoffs::dense(bandit.pay(0, t, shared.decision.action)));
      }
    }
  }
  // Two actions that are left share by the policy's choice among them.
  const auto policy = policy_of("up_ts");
  const Stream stream(8, 0, Purpose::kPolicy);
  for (const ActionId a : {0u, 1u, 2u, 0u, 1u, 2u}) {
    policy->take(a);
    policy->observe(a, Payoffs::dense(bandit.pay(2, a, a)));
  }
  const std::vector<ActionId> paused = {2}, left = {0, 1};
  double martingale = 0.0, spread = 0.0;
  for (std::uint32_t t = 0; t < kRounds; ++t) {
    const std::vector<double> own = policy->probabilities({.allowed = left}, stream);
    const SharedDecision shared =
        decide_with_shares(*policy, stream, {}, {.probe = 0, .paused = paused});
    ASSERT_NE(shared.decision.action, 2u);
    ASSERT_EQ(own[2], 0.0);
    const double share = own[0];
    const double said = shared.decision.probability;
    ASSERT_NEAR(shared.decision.action == 0 ? said : 1.0 - said, share, 1e-12);
    martingale += (shared.decision.action == 0 ? 1.0 : 0.0) - share;
    spread += share * (1.0 - share);
  }
  EXPECT_GT(spread, 100.0);
  EXPECT_LE(std::abs(martingale), testing::normal_threshold(10) * std::sqrt(spread));
}

/// Who allows only some actions has reasons that nobody knows: nothing is held out or probed.
TEST(Holdout, LeavesRoundsThatAllowSomeActionsToThePolicy) {
  const auto policy = policy_of("up_ts");
  const auto plain = policy_of("up_ts");
  const MadeBandit bandit{.effects = {0.0, 0.1, 0.1}};
  const Stream stream(7, 0, Purpose::kPolicy);
  for (const ActionId a : {0u, 1u, 2u, 0u, 1u, 2u}) {
    for (Policy* one : {policy.get(), plain.get()}) {
      one->take(a);
      one->observe(a, Payoffs::dense(bandit.pay(1, a, a)));
    }
  }
  const std::vector<ActionId> allowed = {1, 2}, paused = {1}, only = {1};
  const RoundShares shares{.control = 0, .holdout = 0.5, .probe = 0.3};
  for (int t = 0; t < 100; ++t) {
    const SharedDecision shared =
        decide_with_shares(*policy, {.allowed = allowed}, stream, shares, {.probe = 0});
    ASSERT_EQ(shared.whose, RoundOf::kPolicy);
    ASSERT_EQ(shared.candidate, shared.decision.action);
    ASSERT_EQ(shared.decision, plain->decide({.allowed = allowed}, stream));
  }
  EXPECT_EQ(decide_with_shares(*policy, {.allowed = allowed}, stream, shares,
                               {.probe = 2, .paused = paused})
                .decision.action,
            2u);
  EXPECT_EQ(refusal([&] {
              decide_with_shares(*policy, {.allowed = only}, stream, shares, {.paused = paused});
            }),
            "allowed: every action in it is paused or retired");
}

/// A probe of a paused action is a round of the policy.
TEST(Holdout, DoesNotProbeWhatIsPaused) {
  const auto policy = policy_of("ucb(alpha=1)");
  const Stream stream(5, 0, Purpose::kPolicy);
  for (const ActionId a : {0u, 1u, 2u}) {
    policy->take(a);
    policy->observe(a, Payoffs::total(a == 1 ? 5.0 : 0.0));
  }
  const std::vector<ActionId> paused = {1};
  const RoundShares shares{.control = 2, .holdout = 0.2, .probe = 0.3};
  for (int t = 0; t < 100; ++t) {
    const SharedDecision shared =
        decide_with_shares(*policy, stream, shares, {.probe = 1, .paused = paused});
    ASSERT_EQ(shared.candidate, 0u);
    ASSERT_EQ(shared.decision.action, shared.whose == RoundOf::kHoldout ? 2u : 0u);
    ASSERT_DOUBLE_EQ(shared.decision.probability, shared.whose == RoundOf::kHoldout ? 0.2 : 0.8);
  }
  const std::vector<double> next =
      probabilities_with_shares(*policy, stream, shares, {.probe = 1, .paused = paused});
  EXPECT_DOUBLE_EQ(next[0], 0.8);
  EXPECT_EQ(next[1], 0.0);
  EXPECT_DOUBLE_EQ(next[2], 0.2);
}

TEST(Holdout, RefusesPoliciesThatChoosePeople) {
  const auto policy = make_policy("random", Knowledge(TargetingShape{.features = 1}));
  const double features[] = {1.0, 2.0};
  const Round pool{.features = features, .width = 1};
  EXPECT_NE(refusal([&] {
              decide_with_shares(*policy, pool, Stream(1, 0, Purpose::kPolicy), {});
            }).find("chooses people"),
            std::string::npos);
}

}  // namespace
}  // namespace updraft
