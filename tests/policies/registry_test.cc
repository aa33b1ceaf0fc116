#include "updraft/registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/knowledge.h"
#include "support/refusal.h"
#include "support/rounds.h"

namespace updraft {
namespace {

using testing::full_knowledge;
using testing::refusal;

std::string missing(std::string_view spec, const Knowledge& knowledge) {
  return refusal([&] { make_policy(spec, knowledge); });
}

TEST(Registry, HoldsThePlainPolicies) {
  std::vector<std::string> names;
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    if (info.status != PolicyStatus::kExperimental) names.emplace_back(info.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "auto", "ucb", "ts", "up_ts_bl", "up_ts", "up_ts_sparse_bl", "up_ts_sparse",
                       "up_ucb_cv_bl", "up_ucb_cv", "up_ucb_bl", "up_ucb", "up_ucb_l_bl",
                       "up_ucb_l", "up_ucb_ilift_bl", "up_ucb_ilift", "up_ucb_l_ilift_bl",
                       "up_ucb_pad_bl", "up_ucb_explore_bl", "up_ucb_obs"}));
}

TEST(Registry, HoldsEveryKindOnce) {
  std::vector<std::string_view> by_kind;
  for (const PolicyKind kind :
       {PolicyKind::kPlain, PolicyKind::kTargeting, PolicyKind::kContextual}) {
    EXPECT_FALSE(policies(kind).empty());
    for (const PolicyInfo& info : policies(kind)) {
      EXPECT_EQ(info.kind, kind);
      by_kind.push_back(info.name);
    }
  }
  std::vector<std::string_view> all;
  for (const PolicyInfo& info : policies()) all.push_back(info.name);
  EXPECT_EQ(by_kind, all);
}

TEST(Registry, NamesAndAliasesAreUnique) {
  std::set<std::string_view> seen;
  for (const PolicyInfo& info : policies()) {
    EXPECT_TRUE(seen.insert(info.name).second);
    for (const std::string_view alias : info.aliases) EXPECT_TRUE(seen.insert(alias).second);
    EXPECT_FALSE(info.summary.empty() || info.index.empty() || info.reference.empty());
  }
}

TEST(Registry, SaysWhatIsMissingAndWhatWouldDo) {
  Knowledge knowledge(4, 12);
  EXPECT_EQ(missing("up_ucb_bl(alpha=1)", knowledge),
            "up_ucb_bl: needs to know baseline, affected, which are missing; with what is known "
            "(nothing) auto takes up_ts_sparse; these would do, too: ucb, ts");
  knowledge.set_max_affected(3);
  EXPECT_EQ(missing("up_ucb(alpha=1)", knowledge),
            "up_ucb: needs to know affected, which is missing; with what is known (max_affected) "
            "auto takes up_ts_sparse; these would do, too: ucb, ts, up_ucb_l");
}

TEST(Registry, EveryPolicyRefusesToStartWithoutEachOfItsNeeds) {
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    for (const Need need : all_needs()) {
      if (!info.needs.contains(need)) continue;
      // Known affected sets imply L, so that has to go too.
      Needs kept = full_knowledge().known().without(need);
      if (need == Need::kMaxAffected) kept = kept.without(Need::kAffected);
      const std::string said = missing(testing::usable_spec(info), full_knowledge().only(kept));
      EXPECT_NE(said.find("needs to know " + need_name(need)), std::string::npos)
          << info.name << ": " << said;
    }
  }
}

TEST(Registry, APolicyIsToldOnlyWhatItNeeds) {
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    if (info.name == "auto") continue;  // becomes another policy
    const auto policy = make_policy(testing::usable_spec(info), full_knowledge());
    const Needs known = policy->knowledge().known();
    const Needs needs = needs_of(policy->spec());
    // Known affected sets imply L.
    const Needs expected = needs.contains(Need::kAffected) ? needs | Need::kMaxAffected : needs;
    EXPECT_EQ(known, expected) << info.name << " knows " << needs_text(known);
  }
}

TEST(Registry, ParametersOverrideKnowledge) {
  const auto policy =
      make_policy("up_ucb_l_ilift_bl(alpha=1, max_affected=2, min_uplift=0.25)", full_knowledge());
  EXPECT_EQ(policy->knowledge().max_affected(), 2u);
  EXPECT_EQ(policy->knowledge().min_uplift(), 0.25);
  const auto listed = make_policy("up_ucb_l(alpha=1, max_affected=[1, 0, 5, 2])", full_knowledge());
  EXPECT_EQ(listed->knowledge().max_affected(), 5u);
  EXPECT_EQ(listed->knowledge().max_affected(0), 1u);
  EXPECT_EQ(listed->knowledge().max_affected(1), 0u);
  const auto ilift = make_policy("up_ucb_ilift(alpha=1, effect_gap=0.125)", full_knowledge());
  EXPECT_EQ(ilift->knowledge().effect_gap(), 0.125);
  EXPECT_FALSE(ilift->knowledge().min_uplift().has_value());
  const auto ts = make_policy("ts(sigma2=1, prior_mean=7)", full_knowledge());
  EXPECT_EQ(ts->knowledge().reward_prior()->mean, 7.0);
  EXPECT_EQ(ts->knowledge().reward_prior()->variance, 2.0);
}

TEST(Registry, ParametersCanStandInForMissingKnowledge) {
  const Knowledge nothing(4, 12);
  EXPECT_EQ(missing("up_ucb_l(alpha=1, max_affected=2)", nothing), "(accepted)");
  EXPECT_EQ(missing("up_ucb_l(alpha=1, max_affected=[2, 0, 3, 12])", nothing), "(accepted)");
  EXPECT_EQ(missing("up_ucb_ilift(alpha=1, effect_gap=1)", nothing), "(accepted)");
  EXPECT_EQ(missing("up_ucb_ilift(delta=0.1, effect_gap=1, horizon=10)", nothing), "(accepted)");
  EXPECT_NE(missing("up_ucb_ilift(delta=0.1, effect_gap=1)", nothing).find("needs to know horizon"),
            std::string::npos);
  EXPECT_EQ(missing("ts(sigma2=1, prior_mean=0, prior_variance=1)", nothing), "(accepted)");
  EXPECT_NE(missing("ts(sigma2=1, prior_mean=0)", nothing), "(accepted)");
}

TEST(Registry, RefusesMoreAffectedThanVariables) {
  EXPECT_EQ(missing("up_ucb_l(alpha=1, max_affected=13)", full_knowledge()),
            "up_ucb_l.max_affected = 13: must be from 1 to the number of variables, 12");
  EXPECT_EQ(missing("up_ucb_l(alpha=1, max_affected=[1, 2, 13, 4])", full_knowledge()),
            "up_ucb_l.max_affected[2] = 13: must be from 0 to the number of variables, 12");
}

TEST(Registry, RefusesBoundsOfOtherThanItsActions) {
  EXPECT_EQ(missing("up_ucb_l_bl(alpha=1, max_affected=[1, 2, 3])", full_knowledge()),
            "up_ucb_l_bl.max_affected = 3 numbers: must have one for each of the 4 actions");
  EXPECT_EQ(missing("up_ucb_l_bl(alpha=1, max_affected=[0, 0, 0, 0])", full_knowledge()),
            "up_ucb_l_bl.max_affected: must not be 0 for all actions");
}

TEST(Registry, WantsExactlyOneOfAlphaAndDelta) {
  EXPECT_EQ(missing("ucb", full_knowledge()),
            "ucb.alpha: missing: give alpha (> 0), or delta (in (0, 1)) with a horizon; "
            "auto picks a policy that needs neither");
  EXPECT_EQ(missing("ucb(alpha=1, delta=0.1)", full_knowledge()),
            "ucb.delta = 0.1: give alpha or delta, not both");
}

TEST(Registry, ThompsonSamplingOnTheRewardNeedsAPriorOnlyWithSigma2) {
  const Knowledge nothing(4, 12);
  EXPECT_EQ(missing("ts", nothing), "(accepted)");
  EXPECT_EQ(needs_of(PolicySpec::parse("ts")), Needs());
  EXPECT_EQ(make_policy("ts", full_knowledge())->knowledge().known(), Needs());
  EXPECT_EQ(needs_of(PolicySpec::parse("ts(sigma2=1)")), Needs(Need::kRewardPrior));
  EXPECT_EQ(missing("ts(sigma2=1)", nothing).find("ts: needs to know reward_prior"), 0u);
  EXPECT_EQ(missing("ts(prior_mean=2)", full_knowledge()),
            "ts.prior_mean = 2: needs sigma2 too; without sigma2, ts learns both prior and noise");
  EXPECT_EQ(missing("ts(prior_mean=2, prior_variance=1)", nothing),
            "ts.prior_mean = 2: needs sigma2 too; without sigma2, ts learns both prior and noise");
}

TEST(Registry, DeltaNeedsAHorizon) {
  const Knowledge knowledge(4, 12);
  EXPECT_NE(missing("ucb(delta=0.1)", knowledge).find("needs to know horizon"), std::string::npos);
  EXPECT_EQ(missing("ucb(delta=0.1, horizon=50)", knowledge), "(accepted)");
}

/// The radius after one pull is sqrt(2 alpha), which tells alpha.
double alpha_of(std::string_view spec) {
  const auto policy = make_policy(spec, full_knowledge());
  policy->observe(0, Payoffs::dense(std::vector<double>(12, 0.0)));
  const double radius = policy->explain().actions[0].radius;
  return radius * radius / 2.0;
}

TEST(Registry, DeltaGivesTheAlphaOfTheTheorems) {
  // K = 4, T = 1000, m = 12, L = max |V(a)| = 4.
  EXPECT_NEAR(alpha_of("ucb(delta=0.1)"), std::log(2 * 4 * 1000 / 0.1), 1e-12);
  EXPECT_NEAR(alpha_of("up_ucb_bl(delta=0.1)"), std::log(2 * 4 * 1000 / 0.1), 1e-12);
  EXPECT_NEAR(alpha_of("up_ucb(delta=0.1)"), std::log(4.0 * 4 * 4 * 1000 / 0.1), 1e-12);
  EXPECT_NEAR(alpha_of("up_ucb_obs(delta=0.1)"), std::log(4.0 * 4 * 4 * 1000 / 0.1), 1e-12);
  for (const char* name : {"up_ucb_l_bl", "up_ucb_l", "up_ucb_ilift_bl", "up_ucb_ilift",
                           "up_ucb_l_ilift_bl", "up_ucb_pad_bl", "up_ucb_explore_bl"}) {
    EXPECT_NEAR(alpha_of(std::string(name) + "(delta=0.1)"), std::log(2.0 * 4 * 12 * 1000 / 0.1),
                1e-12);
    EXPECT_NEAR(alpha_of(std::string(name) + "(delta=0.1, horizon=10)"),
                std::log(2.0 * 4 * 12 * 10 / 0.1), 1e-12);
  }
  EXPECT_NEAR(alpha_of("up_ucb_ilift(delta=0.1, baseline_estimate=aggregated)"),
              std::log(4.0 * 4 * 12 * 1000 / 0.1), 1e-12);
}

TEST(Registry, OnlyPoliciesOfActionsNeedTheHorizonForDelta) {
  const auto needs_horizon = [](const char* spec) {
    return needs_of(PolicySpec::parse(spec)).contains(Need::kHorizon);
  };
  EXPECT_TRUE(needs_horizon("up_ucb(delta=0.1)"));
  EXPECT_FALSE(needs_horizon("up_ucb(alpha=1)"));
  EXPECT_FALSE(needs_horizon("lin_up_ucb(delta=0.1)"));
  EXPECT_FALSE(needs_horizon("c2_up_ucb(delta=0.1)"));
}

}  // namespace
}  // namespace updraft
