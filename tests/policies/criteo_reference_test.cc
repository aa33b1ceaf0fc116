// The six policies of the paper's Criteo experiment decide as the plain references do, on the
// instance itself: 20 actions, 100,000 variables, the paper's parameters.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "reference/reference_policy.h"
#include "reference/tally.h"
#include "updraft/instance.h"
#include "updraft/instance_environment.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UPDRAFT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UPDRAFT_SANITIZED 1
#endif
#endif

namespace updraft::testing {

namespace {

#ifdef UPDRAFT_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr std::uint32_t kRounds = 300;
constexpr std::uint64_t kSeed = 2022;

class CriteoReference : public ::testing::TestWithParam<const char*> {};

TEST_P(CriteoReference, SameDecisions) {
  if (kSanitized) GTEST_SKIP() << "the plain references are too slow with sanitizers";
  const auto instance = load_instance("criteo");
  const Knowledge knowledge = instance->knowledge(kRounds);
  const PolicySpec spec = PolicySpec::parse(GetParam());
  const auto fast = make_policy(spec, knowledge);
  const auto reference = make_reference(spec, knowledge);
  InstanceEnvironment environment(prepare_payoffs(instance), kSeed, 0);
  const Stream stream(kSeed, 0, Purpose::kPolicy);
  Tally tally;
  std::set<ActionId> taken_later;
  std::vector<double> dense(instance->variables());
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const ActionId action = fast->select(stream);
    ASSERT_LT(action, instance->actions());
    ASSERT_TRUE(tally.judge(*reference, stream, action, RandomCase::Payoffs::kBernoulli))
        << "round " << round;
    reference->offer(action);
    if (round >= instance->actions()) taken_later.insert(action);
    const Payoffs payoffs = environment.draw(round, action, Resolution::variables());
    ASSERT_EQ(payoffs.kind(), Payoffs::Kind::kSparse);
    dense.assign(dense.size(), 0.0);
    for (std::size_t j = 0; j < payoffs.ids().size(); ++j) {
      dense[payoffs.ids()[j]] = payoffs.values()[j];
    }
    fast->observe(action, payoffs);
    reference->observe(action, dense);
  }
  EXPECT_GE(taken_later.size(), 2u) << "it must not be one action again and again";
  expect_rarely_rounding(tally);
}

INSTANTIATE_TEST_SUITE_P(Policies, CriteoReference,
                         ::testing::Values("ucb(alpha=7e-7)", "ts(sigma2=2e-7)",
                                           "up_ucb_bl(alpha=8e-5)", "up_ucb(alpha=8e-5)",
                                           "up_ucb_l_bl(alpha=5e-7)", "up_ucb_l(alpha=2e-6)"),
                         [](const auto& policy) {
                           const std::string text = policy.param;
                           return text.substr(0, text.find('('));
                         });

}  // namespace

}  // namespace updraft::testing
