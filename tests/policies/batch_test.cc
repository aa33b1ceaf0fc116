// Several decisions at once: Policy::decide_batch() and Round::ahead.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "reference/random_case.h"
#include "support/refusal.h"
#include "updraft/payoffs.h"
#include "updraft/policy.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft::testing {
namespace {

constexpr std::uint32_t kBatchRounds = 60;

/// A case whose policy has learned from some rounds.
struct Learned {
  Learned(std::string_view name, std::uint32_t number)
      : made(random_case(name, number)),
        stream(number, number, Purpose::kPolicy),
        policy(make_policy(made.spec, made.knowledge)) {
    for (std::uint32_t round = 0; round < kBatchRounds; ++round) {
      const ActionId action = policy->select(stream);
      policy->observe(action, Payoffs::dense(made.payoffs(round, action)));
    }
  }

  std::string state() const {
    std::ostringstream out;
    save_policy(*policy, out);
    return out.str();
  }

  RandomCase made;
  Stream stream;
  std::unique_ptr<Policy> policy;
};

class Batch : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Batch, OfOneIsTheDecision) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    Learned one(GetParam(), number);
    Learned other(GetParam(), number);
    const std::vector<std::uint64_t> none(one.policy->knowledge().actions(), 0);
    for (int again = 0; again < 5; ++again) {
      const Decision decision = one.policy->decide(one.stream);
      const Decision without = other.policy->preview({.ahead = none}, other.stream);
      EXPECT_EQ(without, decision);
      EXPECT_EQ(other.policy->decide_batch(1, {}, other.stream), std::vector{decision});
    }
    EXPECT_EQ(one.state(), other.state());
  }
}

TEST_P(Batch, IsDecisionsThatCountThoseAhead) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    Learned one(GetParam(), number);
    Learned other(GetParam(), number);
    const std::vector<Decision> batch = one.policy->decide_batch(30, {}, one.stream);
    ASSERT_EQ(batch.size(), 30u);
    std::vector<std::uint64_t> ahead(one.policy->knowledge().actions(), 0);
    for (const Decision& decision : batch) {
      EXPECT_EQ(other.policy->decide({.ahead = ahead}, other.stream), decision);
      ++ahead[decision.action];
    }
    EXPECT_EQ(one.state(), other.state());

    Learned taken(GetParam(), number);
    for (const Decision& decision : batch) taken.policy->take(decision.action);
    EXPECT_EQ(one.state(), taken.state());
    Learned selected(GetParam(), number);
    const auto without = selected.policy->select_batch(30, {}, selected.stream);
    for (std::size_t j = 0; j < batch.size(); ++j) {
      EXPECT_EQ(without[j].action, batch[j].action);
      EXPECT_TRUE(std::isnan(without[j].probability));
    }
    EXPECT_EQ(one.state(), selected.state());
  }
}

TEST_P(Batch, IsRefusedAsAWhole) {
  Learned one(GetParam(), 3);
  const std::string before = one.state();
  EXPECT_EQ(refusal([&] { one.policy->decide_batch(0, {}, one.stream); }),
            "count = 0: must be at least 1");
  const std::vector<ActionId> unknown = {0, 99};
  EXPECT_THROW(one.policy->decide_batch(3, {.allowed = unknown}, one.stream), InvalidInput);
  const std::vector<std::uint64_t> short_of_one(one.policy->knowledge().actions() - 1, 0);
  EXPECT_THROW(one.policy->decide_batch(3, {.ahead = short_of_one}, one.stream), InvalidInput);
  EXPECT_THROW(one.policy->decide({.ahead = short_of_one}, one.stream), InvalidInput);
  EXPECT_EQ(one.state(), before);
}

std::vector<std::string_view> plain_names() {
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    if (info.name != "auto") names.push_back(info.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, Batch, ::testing::ValuesIn(plain_names()),
                         [](const auto& policy) { return std::string(policy.param); });

/// Two equal actions and a worse one, whose payoffs are known: the batch goes to and fro between
/// the first two, and the third has its turn when their radii are small.
TEST(BatchOfUcb, SpreadsOverActionsByTheirCounts) {
  const auto policy = make_policy("ucb(alpha=0.5)", Knowledge(3, 1));
  const Stream stream(1, 0, Purpose::kPolicy);
  for (const double reward : {1.0, 1.0, 0.51}) {
    const std::vector<double> payoffs = {reward};
    policy->observe(policy->select(stream), Payoffs::dense(payoffs));
  }
  // Radii are 1 / sqrt(n): the third has index 1.51, the others 1 + 1 / sqrt(n).
  std::vector<ActionId> actions;
  for (const Decision& decision : policy->decide_batch(8, {}, stream)) {
    EXPECT_EQ(decision.probability, 1.0);
    actions.push_back(decision.action);
  }
  EXPECT_EQ(actions, (std::vector<ActionId>{0, 1, 0, 1, 0, 1, 2, 0}));
}

/// A policy that draws decides as in as many rounds without payoffs: what is ahead changes nothing.
TEST(BatchOfDraws, IsAsManyDecisionsWithoutPayoffs) {
  for (const char* name : {"ts", "up_ts", "up_ts_bl", "up_ts_sparse", "up_ts_sparse_bl"}) {
    SCOPED_TRACE(name);
    for (std::uint32_t number = 0; number < 20; ++number) {
      Learned one(name, number);
      Learned other(name, number);
      for (const Decision& decision : one.policy->decide_batch(30, {}, one.stream)) {
        EXPECT_EQ(other.policy->decide(other.stream), decision);
      }
    }
  }
}

TEST(BatchOfUcb, IsForPlainPolicies) {
  const auto policy =
      make_policy("lin_ucb(beta=1)", Knowledge(ContextualShape{.features = 1, .actions = 2}));
  const std::vector<double> features = {1.0, 2.0};
  const std::vector<std::uint64_t> ahead = {1, 0};
  Round round = {.features = features, .width = 1};
  const Stream stream(1, 0, Purpose::kPolicy);
  EXPECT_EQ(
      refusal([&] { policy->decide_batch(2, round, stream); }),
      "count = 2: cannot be used: lin_ucb decides by the features of a round, and batches are "
      "for plain policies");
  round.ahead = ahead;
  EXPECT_EQ(refusal([&] { policy->decide(round, stream); }),
            "round: ahead: must be empty: batches are for plain policies");
}

}  // namespace
}  // namespace updraft::testing
