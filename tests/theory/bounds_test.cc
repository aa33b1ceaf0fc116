#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/refusal.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

using testing::refusal;

/// K = 2, m = 10, L = 4, T = 100, delta = .1: the logarithms are of
///   2KT/delta = 4,000, 4K max|V| T/delta = 24,000 and 2KmT/delta = 40,000.
/// The best action affects 2, the other 3 = max|V|; its gap is .5.
BoundInputs two_actions() {
  BoundInputs in;
  in.gaps = {0.0, 0.5};
  in.affected = {2, 3};
  in.variables = 10;
  in.max_affected = {4, 4};
  in.min_uplift = 0.1;
  in.effect_gap = 0.05;
  in.divergences = {0.0, 0.25};
  in.rounds = 100.0;
  in.delta = 0.1;
  return in;
}

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, 1e-9 * std::abs(expected));
}

TEST(Bounds, ByHand) {
  const BoundInputs in = two_actions();
  // log 4000 = 8.294049640102028, log 24000 = 10.085809109330082, log 40000 = 10.596634733096073
  expect_close(bound_ucb(in), 8 * 100 * 8.294049640102028 / 0.5 + 0.5);
  expect_close(bound_up_ucb_bl(in), 8 * 9 * 8.294049640102028 / 0.5 + 0.5);
  expect_close(bound_up_ucb(in), 8 * 25 * 10.085809109330082 / 0.5 + 0.5);
  expect_close(bound_up_ucb_l_bl(in), 32 * 16 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_l(in), 512 * 16 * 10.596634733096073 / 0.5 + 0.5);
  // gap / Delta = 5: within [3, 10] and [3, 2L = 8].
  expect_close(bound_up_ucb_ilift_bl(in), 8 * 25 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_l_ilift_bl(in), 8 * 25 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_explore_bl(in), 8 * 25 * 10.596634733096073 / 0.5 + 0.5);
  // The least gap is that of the only action with one, and |V(a)| = 3.
  expect_close(bound_comb_ucb(in), 32 * 10 * (10 / 0.5 + 3 / 0.5) * 10.085809109330082 + 0.5);
  // 2 gap / effect gap = 20, at the end of [3 + 2, 20].
  expect_close(bound_up_ucb_ilift(in), 8 * 400 * 10.596634733096073 / 0.5 + 0.5);
  // log 100 = 4.605170185988092
  expect_close(lower_bound_affected(in), 2 * 9 * 4.605170185988092 / 0.5);
  expect_close(lower_bound_reward(in), 2 * 100 * 4.605170185988092 / 0.5);
  expect_close(lower_bound_covariance(in), 0.5 / 0.25 * 4.605170185988092);
}

TEST(Bounds, ScaleWithNoiseThatIsWiderThanTheTheoremsAllow) {
  const BoundInputs in = two_actions();
  BoundInputs wide = in;
  wide.variance_proxy = 4.0;
  BoundInputs narrow = in;
  narrow.variance_proxy = 0.25;
  for (const BoundInfo& bound : bounds()) {
    SCOPED_TRACE(bound.name);
    if (bound.name == "lower_covariance") continue;  // has the noise in its divergences
    const double at_one = bound.evaluate(in);
    if (!bound.upper) {
      expect_close(bound.evaluate(wide), 4.0 * at_one);
      expect_close(bound.evaluate(narrow), 0.25 * at_one);
      continue;
    }
    // All but the gaps themselves, of which there is one of .5; never below that of the alpha that
    // delta stands for.
    expect_close(bound.evaluate(wide) - 0.5, 4.0 * (at_one - 0.5));
    expect_close(bound.evaluate(narrow), at_one);
    expect_close(bound.alpha(wide), 4.0 * bound.alpha(in));
    expect_close(alpha_scale(bound, wide), 4.0);
    EXPECT_EQ(alpha_scale(bound, in), 1.0);
    EXPECT_EQ(alpha_scale(bound, narrow), 1.0);
  }
}

TEST(Bounds, OfUcbScalesWithTheNoiseOfTheReward) {
  BoundInputs in = two_actions();
  const double at_one = bound_ucb(in);
  in.variance_proxy = 4.0;
  in.reward_variance_proxy = 90.0;  // m^2 = 100
  expect_close(bound_ucb(in), at_one);
  in.reward_variance_proxy = 300.0;
  expect_close(bound_ucb(in) - 0.5, 3.0 * (at_one - 0.5));
}

/// The alpha of a bound is that of the policy with the same delta.
TEST(Bounds, AreForTheAlphaThatDeltaStandsFor) {
  // log 4000, log 24000, log 40000
  const auto expected = [](std::string_view name) {
    return name == "ucb" || name == "up_ucb_bl"     ? 8.294049640102028
           : name == "up_ucb" || name == "comb_ucb" ? 10.085809109330082
                                                    : 10.596634733096073;
  };
  for (const BoundInfo& bound : bounds()) {
    EXPECT_EQ(bound.upper, bound.alpha != nullptr);
    if (bound.upper) expect_close(bound.alpha(two_actions()), expected(bound.name));
  }
}

TEST(Bounds, OnTheExpectedRegretAreThoseOfOneOverT) {
  const BoundInputs in = two_actions();
  BoundInputs small = in;
  small.delta = 0.01;
  for (const BoundInfo& bound : bounds()) {
    if (!bound.upper) continue;
    const ExpectedBound expected = expected_bound(bound, in);
    expect_close(expected.value, bound.evaluate(small) + 0.5);  // the largest gap
    EXPECT_EQ(expected.delta, 0.01);
    EXPECT_EQ(expected.alpha, bound.alpha(small));
  }
  BoundInputs one = in;
  one.rounds = 1.0;  // delta = 1 would be none
  EXPECT_EQ(expected_bound(bounds()[0], one).delta, 0.5);
  EXPECT_EQ(refusal([&] { expected_bound(bounds().back(), in); }),
            "lower_covariance: is not an upper bound");
}

TEST(Bounds, RefuseBadNoise) {
  BoundInputs in = two_actions();
  in.variance_proxy = std::nan("");
  EXPECT_EQ(refusal([&] { bound_up_ucb(in); }), "variance_proxy = nan: must be finite and >= 0");
  in = two_actions();
  in.reward_variance_proxy = -1.0;
  EXPECT_EQ(refusal([&] { bound_ucb(in); }), "reward_variance_proxy = -1: must be finite and >= 0");
  in = two_actions();
  in.divergences = {};
  EXPECT_EQ(refusal([&] { lower_bound_covariance(in); }),
            "divergences: has 0 numbers; must have one for each of 2 gaps");
  in.divergences = {0.0, 0.0};
  EXPECT_EQ(refusal([&] { lower_bound_covariance(in); }), "divergences[1] = 0: must be > 0");
}

TEST(Bounds, ClipsBothWays) {
  BoundInputs in = two_actions();
  in.min_uplift = in.effect_gap =
      1.0;  // gap / Delta = .5, below |V(a)| = 3 and |V(a)| + |V(a*)| = 5
  expect_close(bound_up_ucb_ilift_bl(in), 8 * 9 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_l_ilift_bl(in), 8 * 9 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_explore_bl(in), 8 * 9 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_ilift(in), 8 * 25 * 10.596634733096073 / 0.5 + 0.5);
  in.effect_gap = 0.125;  // 2 gap / Delta = 8, within [5, 20]
  expect_close(bound_up_ucb_ilift(in), 8 * 64 * 10.596634733096073 / 0.5 + 0.5);
  in.min_uplift = in.effect_gap = 1e-6;  // above m and 2m
  expect_close(bound_up_ucb_ilift_bl(in), 8 * 100 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_ilift(in), 8 * 400 * 10.596634733096073 / 0.5 + 0.5);
  expect_close(bound_up_ucb_l_ilift_bl(in), 8 * 64 * 10.596634733096073 / 0.5 + 0.5);     // 2L
  expect_close(bound_up_ucb_explore_bl(in), 8 * 25e10 * 10.596634733096073 / 0.5 + 0.5);  // no end
}

TEST(Bounds, TakeAnLForEachAction) {
  BoundInputs in = two_actions();
  in.gaps = {0.0, 0.5, 0.0, 2.0};
  in.affected = {2, 3, 1, 0};
  in.set_max_affected({6, 4, 5, 0});
  // K = 4: log(2 * 4 * 10 * 100 / .1) = log 80000 = 11.289781913656018.
  const double log80000 = 11.289781913656018;
  expect_close(bound_up_ucb_l_bl(in), 32 * 16 * log80000 / 0.5 + 0.5 + 2);
  // 6 L(a) + 2 * 5, the smaller one of the two best, + 8 * 6: 82 and 58.
  expect_close(bound_up_ucb_l(in),
               2 * 82 * 82 * log80000 / 0.5 + 0.5 + 2 * 58 * 58 * log80000 / 2 + 2);
  in.min_uplift = 1e-6;  // 2 L(a): 8 and 0
  expect_close(bound_up_ucb_l_ilift_bl(in), 8 * 64 * log80000 / 0.5 + 0.5 + 2);
  in.min_uplift = 0.1;  // gap / Delta = 5 in [3, 8], and 20 against [0, 0]
  expect_close(bound_up_ucb_l_ilift_bl(in), 8 * 25 * log80000 / 0.5 + 0.5 + 2);
  // max|V| = 3: log(4 * 4 * 3 * 100 / .1) = log 48000 = 10.778956289890028; |V(a*)| = 1.
  expect_close(bound_up_ucb(in),
               8 * 16 * 10.778956289890028 / 0.5 + 0.5 + 8 * 1 * 10.778956289890028 / 2 + 2);
}

TEST(Bounds, WithOneLAreThoseWithThatLForEachAction) {
  BoundInputs one = two_actions();
  one.set_max_affected(7);
  BoundInputs each = two_actions();
  each.set_max_affected({7, 7});
  EXPECT_EQ(one.max_affected, each.max_affected);
  // Theorem 2 as the paper has it.
  expect_close(bound_up_ucb_l(one), 512 * 49 * 10.596634733096073 / 0.5 + 0.5);
}

/// Policies that know the sets, or a Delta, do not take an L: what others are told does not matter.
TEST(Bounds, OfPoliciesThatTakeNoLDoNotDependOnIt) {
  BoundInputs in = two_actions();
  in.min_uplift = 0.05;  // gap / Delta = 10, of which up_ucb_l_ilift_bl takes 2L = 8
  BoundInputs more = in;
  more.set_max_affected(9);
  for (const BoundInfo& bound : bounds()) {
    if (!bound.upper) continue;
    SCOPED_TRACE(bound.name);
    EXPECT_EQ(bound.alpha(more), bound.alpha(in));
    EXPECT_EQ(bound.evaluate(more) > bound.evaluate(in), bound.name.starts_with("up_ucb_l"));
  }
}

/// Nothing is affected: policies are told an L of 1.
TEST(Bounds, OfPoliciesThatKnowTheSetsHoldIfTheSetsAreEmpty) {
  BoundInputs in = two_actions();
  in.affected = {0, 0};
  // log(4 * 2 * 1 * 100 / .1) = log 8000 = 8.987196820661972
  for (const BoundInfo& bound : bounds()) {
    if (bound.name == "up_ucb") expect_close(bound.alpha(in), 8.987196820661972);
  }
}

TEST(Bounds, RefuseAnLBelowWhatAnActionAffects) {
  const auto refused = [](auto told) {
    BoundInputs in = two_actions();
    const std::string message = refusal([&] { in.set_max_affected(told, "--max-affected"); });
    EXPECT_EQ(in.max_affected, two_actions().max_affected);
    return message;
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(refused(std::size_t{2}),
            "--max-affected = 2: must be from 3, the most that an action affects, to the number of "
            "variables, 10");
  EXPECT_EQ(refused(std::size_t{11}),
            "--max-affected = 11: must be from 3, the most that an action affects, to the number "
            "of variables, 10");
  EXPECT_EQ(refused(Counts{2, 2}),
            "--max-affected[1] = 2: must be from 3, as many as action 1 affects, to the number of "
            "variables, 10");
  EXPECT_EQ(refused(Counts{11, 3}),
            "--max-affected[0] = 11: must be from 2, as many as action 0 affects, to the number of "
            "variables, 10");
  EXPECT_EQ(refused(Counts{3}),
            "--max-affected = 1 numbers: must have one for each of the 2 actions");
  BoundInputs idle = two_actions();
  idle.affected = {0, 0};
  EXPECT_EQ(refusal([&] {
              idle.set_max_affected(Counts{0, 0});
            }),
            "max_affected: must not be 0 for all actions");
  EXPECT_EQ(refusal([&] { idle.set_max_affected(std::size_t{0}); }),
            "max_affected = 0: must be from 1, the most that an action affects, to the number of "
            "variables, 10");
  EXPECT_EQ(refusal([] { BoundInputs().set_max_affected(std::size_t{1}); }),
            "gaps: must have at least one action");
}

TEST(Bounds, SumOverActionsWithAGapAndTakeTheSmallestBestAction) {
  BoundInputs in = two_actions();
  in.gaps = {0.0, 0.5, 0.0, 2.0};
  in.affected = {4, 3, 1, 2};
  in.max_affected = {4, 4, 4, 4};
  // K = 4: log(4 * 4 * 4 * 100 / .1) = log 64000 = 11.066638362341809; L(a*) = 1.
  expect_close(bound_up_ucb(in),
               8 * 16 * 11.066638362341809 / 0.5 + 0.5 + 8 * 9 * 11.066638362341809 / 2 + 2);
  expect_close(bound_comb_ucb(in),
               32 * 10 * (10 / 0.5 + 3 / 0.5 + 2 / 2.0) * 11.066638362341809 + 2.5);
}

TEST(Bounds, AreWideWhereTheBestActionAffectsMore) {
  BoundInputs in = two_actions();
  in.affected = {4, 1};  // L(a*) = 4, though another action affects less
  in.effect_gap = 1.0;
  expect_close(bound_up_ucb(in), 8 * 25 * 10.373491181781864 / 0.5 + 0.5);
  expect_close(bound_up_ucb_ilift(in), 8 * 25 * 10.596634733096073 / 0.5 + 0.5);
}

TEST(Bounds, OfOneActionAreZero) {
  BoundInputs in = two_actions();
  in.gaps = {0.0};
  in.affected = {2};
  in.max_affected = {4};
  in.divergences = {0.0};
  for (const BoundInfo& bound : bounds()) EXPECT_EQ(bound.evaluate(in), 0.0) << bound.name;
}

TEST(Bounds, OfTheCriteoInstance) {
  const auto instance = load_instance("criteo");
  const BoundInputs in = BoundInputs::of(*instance, 5000, 0.05);
  EXPECT_EQ(in.variables, 100'000u);
  EXPECT_EQ(in.max_affected, std::vector<std::size_t>(20, 12'654));
  EXPECT_EQ(in.affected[18], 1158u);
  EXPECT_NEAR(in.gaps[18], 27.8, 1e-9);
  EXPECT_NEAR(in.min_uplift, 0.6 / 10600, 1e-15);
  EXPECT_EQ(in.effect_gap, in.min_uplift);  // no two actions affect the same customer
  // From the printed sizes and uplifts, over the 19 clusters but the best: sum of size^2 / gap =
  // 6165721.197968492, of 1 / gap = 0.2096374242434136, of gaps = 2091.1;
  // log(2 * 20 * 5000 / .05) = log 4e6 = 15.201804919084164, log 5000 = 8.517193191416238.
  expect_close(bound_up_ucb_bl(in), 8 * 15.201804919084164 * 6165721.197968492 + 2091.1);
  expect_close(bound_ucb(in), 8 * 15.201804919084164 * 1e10 * 0.2096374242434136 + 2091.1);
  EXPECT_LT(in.variance_proxy, 0.25);
  EXPECT_GT(in.variance_proxy, 0.24);  // rates of about one half
  expect_close(lower_bound_affected(in),
               2 * in.variance_proxy * 8.517193191416238 * 6165721.197968492);
  EXPECT_LT(lower_bound_covariance(in), 1e-3 * lower_bound_affected(in));  // independent customers
}

TEST(Bounds, AreListedByTheNamesOfPolicies) {
  std::set<std::string_view> names;
  for (const BoundInfo& bound : bounds()) {
    EXPECT_TRUE(names.insert(bound.name).second);
    EXPECT_GT(bound.evaluate(two_actions()), 0.0);
    EXPECT_EQ(bound.upper, !bound.name.starts_with("lower_"));
    if (bound.upper && bound.name != "comb_ucb") policy_info(bound.name);
    EXPECT_FALSE(bound.formula.empty());
    EXPECT_FALSE(bound.reference.empty());
  }
  EXPECT_EQ(names.size(), 13u);
}

TEST(Bounds, RefuseBadInputs) {
  const auto expect_refused = [](auto change, const std::string& message) {
    BoundInputs in = two_actions();
    change(in);
    for (const BoundInfo& bound : bounds()) {
      EXPECT_EQ(refusal([&] { bound.evaluate(in); }), message) << bound.name;
    }
  };
  expect_refused([](BoundInputs& in) { in.gaps = {}; }, "gaps: must have at least one action");
  expect_refused([](BoundInputs& in) { in.affected = {2}; },
                 "affected: has 1 numbers; must have one for each of 2 gaps");
  expect_refused([](BoundInputs& in) { in.variables = 0; }, "variables = 0: must be at least 1");
  expect_refused([](BoundInputs& in) { in.gaps[1] = -1.0; },
                 "gaps[1] = -1: must be finite and >= 0");
  expect_refused([](BoundInputs& in) { in.gaps[1] = std::nan(""); },
                 "gaps[1] = nan: must be finite and >= 0");
  expect_refused([](BoundInputs& in) { in.gaps[0] = 0.25; }, "gaps = 0.25: the smallest must be 0");
  expect_refused([](BoundInputs& in) { in.affected[1] = 11; },
                 "affected[1] = 11: must be at most the number of variables, 10");
  expect_refused([](BoundInputs& in) { in.max_affected = {4}; },
                 "max_affected = 1 numbers: must have one for each of the 2 actions");
  expect_refused(
      [](BoundInputs& in) {
        in.max_affected = {4, 2};
      },
      "max_affected[1] = 2: must be from 3, as many as action 1 affects, to the number "
      "of variables, 10");
  expect_refused(
      [](BoundInputs& in) {
        in.max_affected = {11, 4};
      },
      "max_affected[0] = 11: must be from 2, as many as action 0 affects, to the number "
      "of variables, 10");
  expect_refused(
      [](BoundInputs& in) {
        in.affected = in.max_affected = {0, 0};
      },
      "max_affected: must not be 0 for all actions");
  expect_refused([](BoundInputs& in) { in.rounds = 0.5; }, "rounds = 0.5: must be at least 1");
  expect_refused([](BoundInputs& in) { in.rounds = std::nan(""); },
                 "rounds = nan: must be at least 1");
  expect_refused([](BoundInputs& in) { in.delta = 1.0; }, "delta = 1: must be in (0, 1)");
  expect_refused([](BoundInputs& in) { in.delta = 0.0; }, "delta = 0: must be in (0, 1)");
}

TEST(Bounds, RefuseTheDeltaTheyNeedAtZero) {
  const auto expect_refused = [](Need delta, double BoundInputs::*field) {
    BoundInputs in = two_actions();
    in.*field = 0.0;
    for (const BoundInfo& bound : bounds()) {
      SCOPED_TRACE(bound.name);
      EXPECT_EQ(applies(bound, in), !bound.needs.contains(delta));
      EXPECT_EQ(refusal([&] { bound.evaluate(in); }),
                applies(bound, in) ? "(accepted)" : need_name(delta) + " = 0: must be > 0");
    }
  };
  expect_refused(Need::kMinUplift, &BoundInputs::min_uplift);
  expect_refused(Need::kEffectGap, &BoundInputs::effect_gap);
}

TargetingBoundInputs targeting() {
  TargetingBoundInputs in;
  in.features = 2;
  in.individuals = 12;
  in.budget = 3;
  in.treatments = 1;
  in.ridge = 4.0;
  in.norm_bound = 0.5;
  in.rounds = 8.0;
  in.delta = 0.1;
  return in;
}

TEST(TargetingBound, ByHand) {
  // 4 sqrt(2 * 3 * 2 * 8 * log(1 + 24/8)) * (2 * .5 + sqrt(2 log 20 + 2 log(1 + 96/8)))
  //   = 4 sqrt(96 * 1.3862943611198906) * (1 + sqrt(2 * 2.995732273553991 + 2 * 2.564949357461537))
  //   = 46.144860371228255 * 4.334871
  expect_close(bound_c2_up_ucb(targeting()), 200.0320078579227);
  ASSERT_EQ(targeting_bounds().size(), 1u);
  EXPECT_EQ(targeting_bounds()[0].name, "c2_up_ucb");
  EXPECT_EQ(targeting_bounds()[0].evaluate(targeting()), bound_c2_up_ucb(targeting()));
}

TEST(TargetingBound, RefusesBadInputs) {
  const auto refused = [](auto change) {
    TargetingBoundInputs in = targeting();
    change(in);
    return refusal([&] { bound_c2_up_ucb(in); });
  };
  EXPECT_EQ(refused([](auto& in) { in.features = 0; }), "features = 0: must be at least 1");
  EXPECT_EQ(refused([](auto& in) { in.individuals = 0; }), "individuals = 0: must be at least 1");
  EXPECT_EQ(refused([](auto& in) { in.budget = 13; }),
            "budget = 13: must be from 1 to the number of individuals, 12");
  EXPECT_EQ(refused([](auto& in) { in.treatments = 0; }), "treatments = 0: must be at least 1");
  EXPECT_EQ(refused([](auto& in) { in.ridge = 2.5; }),
            "ridge = 2.5: must be at least the budget, 3");
  EXPECT_EQ(refused([](auto& in) { in.norm_bound = 0.0; }), "norm_bound = 0: must be > 0");
  EXPECT_EQ(refused([](auto& in) { in.rounds = 0.0; }), "rounds = 0: must be at least 1");
  EXPECT_EQ(refused([](auto& in) { in.delta = 2.0; }), "delta = 2: must be in (0, 1)");
}

TEST(BoundInputs, RefuseADeltaAboveThatOfTheInstance) {
  BoundInputs in = BoundInputs::of(*load_instance("gaussian"), 100, 0.05);
  const double least = in.min_uplift;
  EXPECT_THROW(in.set_min_uplift(2.0 * least), InvalidInput);
  EXPECT_THROW(in.set_effect_gap(least), InvalidInput);  // which is smaller
  EXPECT_EQ(in.min_uplift, least);
  in.set_min_uplift(0.5 * least);
  EXPECT_EQ(in.min_uplift, 0.5 * least);
  in.effect_gap = 0.0;
  EXPECT_THROW(in.set_effect_gap(0.1), InvalidInput);
  in.affected.assign(in.affected.size(), 0);
  in.set_effect_gap(0.1);
  EXPECT_EQ(in.effect_gap, 0.1);
}

}  // namespace
}  // namespace updraft
