// auto stands for the policy that fits what is known.

#include <gtest/gtest.h>

#include <string>

#include "support/knowledge.h"
#include "support/refusal.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using testing::full_knowledge;
using testing::refusal;

std::string picked(Needs known, std::string_view spec = "auto") {
  return pick_policy(PolicySpec::parse(spec), full_knowledge().only(known)).spec.text();
}

TEST(Automatic, PicksByWhatIsKnown) {
  using enum Need;
  EXPECT_EQ(picked(full_knowledge().known()), "up_ts_bl");
  EXPECT_EQ(picked(kBaseline | kAffected), "up_ts_bl");
  EXPECT_EQ(picked(kAffected), "up_ts");
  EXPECT_EQ(picked(kAffected | kObservations | kMinUplift), "up_ts");
  // A policy with an alpha is picked only if alpha or delta is given.
  EXPECT_EQ(picked(kBaseline | kMaxAffected | kMinUplift | kHorizon), "up_ts_sparse_bl");
  EXPECT_EQ(picked(kBaseline), "up_ts_sparse_bl");
  EXPECT_EQ(picked(kMaxAffected | kEffectGap | kHorizon), "up_ts_sparse");
  EXPECT_EQ(picked(kSegments | kHorizon), "up_ts_sparse");
  EXPECT_EQ(picked(Needs()), "up_ts_sparse");
  constexpr std::string_view kDelta = "auto(delta=0.05)";
  EXPECT_EQ(picked(kBaseline | kMaxAffected | kMinUplift | kHorizon, kDelta),
            "up_ucb_l_ilift_bl(delta=0.05)");
  EXPECT_EQ(picked(kBaseline | kMaxAffected | kHorizon, kDelta), "up_ucb_l_bl(delta=0.05)");
  EXPECT_EQ(picked(kBaseline | kMinUplift | kHorizon, kDelta), "up_ucb_ilift_bl(delta=0.05)");
  EXPECT_EQ(picked(kMaxAffected | kEffectGap | kHorizon, kDelta), "up_ucb_l(delta=0.05)");
  EXPECT_EQ(picked(kEffectGap | kHorizon, kDelta), "up_ucb_ilift(delta=0.05)");
  EXPECT_EQ(picked(kMinUplift | kHorizon, kDelta), "ucb(delta=0.05)");
  EXPECT_EQ(picked(kBaseline | kHorizon, kDelta), "ucb(delta=0.05)");
  EXPECT_EQ(picked(kRewardPrior | kHorizon, kDelta), "ucb(delta=0.05)");
}

TEST(Automatic, SaysWhatTheTheoremsAlphaCosts) {
  const Knowledge knowledge = full_knowledge().only(Need::kMaxAffected | Need::kHorizon);
  const Pick pick = pick_policy(PolicySpec::parse("auto(delta=0.05)"), knowledge);
  EXPECT_NE(pick.reason.find("can cost a hundred times the regret"), std::string::npos);
  EXPECT_EQ(pick_policy(PolicySpec::parse("auto(alpha=1)"), knowledge).reason.find("hundred"),
            std::string::npos);
}

TEST(Automatic, EveryPickCanStart) {
  // All 256 kinds of knowledge.
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    Needs known;
    for (const Need need : all_needs()) {
      if (bits & static_cast<std::uint32_t>(need)) known = known | need;
    }
    const Knowledge knowledge = full_knowledge().only(known);
    const auto policy = make_policy("auto(alpha=0.3)", knowledge);
    const Pick pick = pick_policy(PolicySpec::parse("auto(alpha=0.3)"), knowledge);
    EXPECT_EQ(policy->spec().text(), pick.spec.text()) << needs_text(known);
    EXPECT_FALSE(pick.reason.empty());
    EXPECT_LT(policy->select(Stream(1, 0, Purpose::kPolicy)), 4u);
  }
}

TEST(Automatic, HandsItsParametersOn) {
  using enum Need;
  EXPECT_EQ(picked(kMaxAffected, "auto(alpha=2)"), "up_ucb_l(alpha=2)");
  EXPECT_EQ(picked(kMaxAffected, "auto(delta=0.1, horizon=50)"), "up_ucb_l(delta=0.1, horizon=50)");
  EXPECT_EQ(picked(Needs(), "auto(alpha=2, max_affected=3)"), "up_ucb_l(alpha=2, max_affected=3)");
  EXPECT_EQ(picked(Needs(), "auto(alpha=2, max_affected=[3, 1, 0, 2])"),
            "up_ucb_l(alpha=2, max_affected=[3, 1, 0, 2])");
  EXPECT_EQ(picked(kAffected, "auto(alpha=2)"), "up_ts");  // which has no alpha
}

TEST(Automatic, SaysWhatItsPickLacks) {
  EXPECT_EQ(
      refusal([] { make_policy("auto(delta=0.1)", full_knowledge().only(Need::kMaxAffected)); }),
      "auto.alpha: missing: up_ucb_l is the pick (neither affected sets nor baseline are known, "
      "but L is), and with delta it needs the horizon; without delta, auto picks a policy that "
      "needs neither");
}

}  // namespace
}  // namespace updraft
