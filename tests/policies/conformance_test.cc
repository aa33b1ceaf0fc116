// What every registered policy must do, whatever its algorithm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <sstream>

#include "support/knowledge.h"
#include "support/refusal.h"
#include "updraft/registry.h"
#include "updraft/state.h"

namespace updraft {
namespace {

using testing::full_knowledge;
using testing::refusal;

constexpr std::size_t kVariables = 12;
const Stream kPolicyStream(7, 0, Purpose::kPolicy);
const Stream kPayoffStream(7, 0, Purpose::kTest);

/// ts without parameters, which learns what it needs.
const std::string kLearningTs = "ts_without_parameters";

class EveryPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Policy> make() const {
    return make_policy(
        GetParam() == kLearningTs ? "ts" : testing::usable_spec(policy_info(GetParam())),
        full_knowledge());
  }

  static std::vector<double> payoffs(std::uint32_t round, ActionId action) {
    std::vector<double> y(kVariables);
    kPayoffStream.normals(round, 0, y);
    y[action] += 0.5;
    return y;
  }

  /// 0/1 payoffs, of which policies keep counts.
  static std::vector<double> coins(std::uint32_t round, ActionId action) {
    std::vector<double> y = payoffs(round, action);
    for (double& value : y) value = value > 0.3 ? 1.0 : 0.0;
    return y;
  }

  static void play(Policy& policy, std::uint32_t first, std::uint32_t last,
                   std::vector<ActionId>* actions = nullptr,
                   std::vector<double> (*pays)(std::uint32_t, ActionId) = payoffs) {
    for (std::uint32_t round = first; round < last; ++round) {
      const ActionId action = policy.select(kPolicyStream);
      ASSERT_LT(action, 4u);
      policy.observe(action, Payoffs::dense(pays(round, action)));
      if (actions != nullptr) actions->push_back(action);
    }
  }

  /// Whether actions are taken in rotation, not by their index: phase I of up_ucb_ilift, in which
  /// nothing is identified yet, and the exploration of up_ucb_explore_bl.
  static bool scheduled(const std::string& policy, const Explanation& explanation) {
    const auto& actions = explanation.actions;
    if (policy == "up_ucb_ilift") {
      return std::all_of(actions.begin(), actions.end(),
                         [](const auto& about) { return about.identified->empty(); });
    }
    return policy == "up_ucb_explore_bl" &&
           std::any_of(actions.begin(), actions.end(),
                       [](const auto& about) { return std::isinf(about.index); });
  }

  static std::string saved(const Policy& policy) {
    std::ostringstream out;
    save_policy(policy, out);
    return out.str();
  }
};

TEST_P(EveryPolicy, IsDeterministic) {
  const auto first = make();
  const auto second = make();
  std::vector<ActionId> actions;
  std::vector<ActionId> again;
  play(*first, 0, 200, &actions);
  play(*second, 0, 200, &again);
  EXPECT_EQ(actions, again);
  EXPECT_EQ(saved(*first), saved(*second));
}

TEST_P(EveryPolicy, DecidesAsItSelects) {
  const auto selecting = make();
  const auto deciding = make();
  for (std::uint32_t round = 0; round < 200; ++round) {
    const std::vector<double> probabilities = deciding->probabilities(kPolicyStream);
    const Decision decision = deciding->decide(kPolicyStream);
    ASSERT_EQ(decision.action, selecting->select(kPolicyStream));
    ASSERT_EQ(decision.number, round);
    ASSERT_EQ(decision.probability, probabilities[decision.action]);
    ASSERT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1.0, 1e-12);
    const std::vector<double> y = payoffs(round, decision.action);
    selecting->observe(decision.action, Payoffs::dense(y));
    deciding->observe(decision.action, Payoffs::dense(y));
  }
  EXPECT_EQ(saved(*selecting), saved(*deciding));
}

TEST_P(EveryPolicy, TakesRecordedDecisionsAsIfItHadMadeThem) {
  const auto selecting = make();
  const auto taking = make();
  for (std::uint32_t round = 0; round < 200; ++round) {
    const std::string before = saved(*selecting);
    const Decision preview = selecting->preview(kPolicyStream);
    ASSERT_EQ(saved(*selecting), before);
    const ActionId action = selecting->select(kPolicyStream);
    ASSERT_EQ(preview.action, action);
    ASSERT_EQ(preview.number, round);
    taking->take(action);
    ASSERT_EQ(saved(*taking), saved(*selecting)) << round;
    if (round % 5 == 3) continue;  // outstanding for ever
    const std::vector<double> y = payoffs(round, action);
    selecting->observe(action, Payoffs::dense(y));
    taking->observe(action, Payoffs::dense(y));
  }
  const std::string before = saved(*taking);
  EXPECT_EQ(before, saved(*selecting));
  EXPECT_EQ(refusal([&] { taking->take(4); }),
            "action = 4: must be below the number of actions, 4");
  EXPECT_EQ(saved(*taking), before);
  EXPECT_EQ(taking->decide(kPolicyStream), selecting->decide(kPolicyStream));
}

TEST_P(EveryPolicy, TakesAllowedActionsOnly) {
  const std::vector<std::vector<ActionId>> sets = {{3}, {0, 2}, {1, 2, 3}, {}, {0, 1, 2, 3}};
  const auto policy = make();
  for (std::uint32_t round = 0; round < 200; ++round) {
    const std::vector<ActionId>& allowed = sets[round % sets.size()];
    const Round only{.allowed = allowed};
    const std::vector<double> probabilities = policy->probabilities(only, kPolicyStream);
    double sum = 0.0;
    for (ActionId action = 0; action < 4; ++action) {
      if (!AllowedActions(allowed).contains(action)) {
        ASSERT_EQ(probabilities[action], 0.0);
      }
      sum += probabilities[action];
    }
    ASSERT_NEAR(sum, 1.0, 1e-12);
    const std::string before = saved(*policy);
    const Decision previewed = policy->preview(only, kPolicyStream);
    ASSERT_EQ(saved(*policy), before);
    const Decision decision = policy->decide(only, kPolicyStream);
    ASSERT_EQ(decision, previewed);
    ASSERT_TRUE(AllowedActions(allowed).contains(decision.action)) << round;
    ASSERT_EQ(decision.probability, probabilities[decision.action]);
    policy->learn(decision, only, Payoffs::dense(payoffs(round, decision.action)));
  }
}

/// A round that names all actions is one that allows all, bit for bit.
TEST_P(EveryPolicy, AllowingAllActionsChangesNothing) {
  const std::vector<ActionId> all = {0, 1, 2, 3};
  const auto named = make();
  const auto unnamed = make();
  for (std::uint32_t round = 0; round < 200; ++round) {
    const Decision decision = named->decide({.allowed = all}, kPolicyStream);
    ASSERT_EQ(decision, unnamed->decide(kPolicyStream)) << round;
    if (round % 7 == 3) continue;  // outstanding for ever
    const std::vector<double> y = payoffs(round, decision.action);
    named->observe(decision.action, Payoffs::dense(y));
    unnamed->observe(decision.action, Payoffs::dense(y));
    ASSERT_EQ(saved(*named), saved(*unnamed)) << round;
  }
}

TEST_P(EveryPolicy, RefusesAllowedActionsThatCannotBe) {
  const auto policy = make();
  play(*policy, 0, 20);
  const std::string before = saved(*policy);
  const std::vector<ActionId> unknown = {1, 4}, repeated = {2, 2}, falling = {2, 1};
  const auto said = [&](const std::vector<ActionId>& allowed) {
    const Round round{.allowed = allowed};
    const std::string refused = refusal([&] { policy->decide(round, kPolicyStream); });
    EXPECT_EQ(refusal([&] { policy->probabilities(round, kPolicyStream); }), refused);
    EXPECT_EQ(refusal([&] { policy->take(round, {.action = 1}); }), refused);
    EXPECT_EQ(refusal([&] { policy->explain(round); }), refused);
    const std::vector<double> y(kVariables, 0.0);
    EXPECT_EQ(refusal([&] { policy->learn({.action = 1}, round, Payoffs::dense(y)); }), refused);
    return refused;
  };
  EXPECT_EQ(said(unknown), "allowed[1] = 4: must be below the number of actions, 4");
  EXPECT_EQ(said(repeated), "allowed[1] = 2: must be larger than the one before it");
  EXPECT_EQ(said(falling), "allowed[1] = 1: must be larger than the one before it");
  EXPECT_EQ(saved(*policy), before);
}

TEST_P(EveryPolicy, SelectLeavesTheStatisticsAlone) {
  const auto policy = make();
  play(*policy, 0, 50);
  const Explanation before = policy->explain();
  for (int j = 0; j < 5; ++j) policy->select(kPolicyStream);
  const Explanation after = policy->explain();
  for (ActionId action = 0; action < 4; ++action) {
    EXPECT_EQ(before.actions[action].pulls, after.actions[action].pulls);
    EXPECT_EQ(before.actions[action].index, after.actions[action].index);
    EXPECT_EQ(before.actions[action].uplift, after.actions[action].uplift);
    EXPECT_EQ(before.actions[action].reward, after.actions[action].reward);
  }
  EXPECT_EQ(policy->decisions(), 55u);
  EXPECT_EQ(policy->observations(), 50u);
}

TEST_P(EveryPolicy, OffersEveryActionOnceWithoutFeedback) {
  const auto policy = make();
  std::vector<ActionId> offered;
  for (int j = 0; j < 4; ++j) offered.push_back(policy->select(kPolicyStream));
  std::sort(offered.begin(), offered.end());
  EXPECT_EQ(offered, (std::vector<ActionId>{0, 1, 2, 3}));
}

TEST_P(EveryPolicy, TakesFeedbackLateAndOutOfOrder) {
  const auto policy = make();
  std::deque<std::pair<ActionId, std::uint32_t>> outstanding;
  for (std::uint32_t round = 0; round < 200; ++round) {
    outstanding.emplace_back(policy->select(kPolicyStream), round);
    if (outstanding.size() > 9) {  // the newest and the oldest in turn; some never come back
      const bool newest = round % 2 == 0;
      const auto [action, drawn] = newest ? outstanding.back() : outstanding.front();
      newest ? outstanding.pop_back() : outstanding.pop_front();
      if (round % 7 != 0) policy->observe(action, Payoffs::dense(payoffs(drawn, action)));
    }
  }
  EXPECT_EQ(policy->decisions(), 200u);
  std::uint64_t pulls = 0;
  for (ActionId action = 0; action < 4; ++action) {
    EXPECT_GT(policy->pulls(action), 0u);
    pulls += policy->pulls(action);
  }
  EXPECT_EQ(pulls, policy->observations());
}

TEST_P(EveryPolicy, OrderOfFeedbackDoesNotMatterForTheDecision) {
  // Eighths add up exactly in any order, so the states must be equal, not just close.
  const auto eighths = [](std::uint32_t round, ActionId action) {
    std::vector<double> y = payoffs(round, action);
    for (double& value : y) value = std::round(value * 8.0) / 8.0;
    return y;
  };
  const auto forward = make();
  const auto backward = make();
  std::vector<ActionId> actions;
  for (std::uint32_t j = 0; j < 4; ++j) {
    actions.push_back(forward->select(kPolicyStream));
    EXPECT_EQ(backward->select(kPolicyStream), actions.back());
  }
  for (std::uint32_t j = 0; j < 4; ++j) {
    forward->observe(actions[j], Payoffs::dense(eighths(j, actions[j])));
    backward->observe(actions[3 - j], Payoffs::dense(eighths(3 - j, actions[3 - j])));
  }
  EXPECT_EQ(saved(*forward), saved(*backward));
  EXPECT_EQ(forward->select(kPolicyStream), backward->select(kPolicyStream));
}

TEST_P(EveryPolicy, SavesAndRestoresBitForBit) {
  for (const auto pays : {payoffs, coins}) {
    for (const std::uint32_t rounds : {0u, 1u, 3u, 4u, 57u, 300u}) {
      SCOPED_TRACE(std::to_string(rounds) + (pays == coins ? " rounds of 0/1" : " rounds"));
      const auto policy = make();
      play(*policy, 0, rounds, nullptr, pays);
      policy->select(kPolicyStream);  // one decision outstanding
      const std::string state = saved(*policy);
      std::istringstream in(state);
      const auto restored = load_policy(in);
      EXPECT_EQ(saved(*restored), state);
      EXPECT_EQ(restored->spec().text(), policy->spec().text());
      std::vector<ActionId> expected;
      std::vector<ActionId> actual;
      play(*policy, rounds, rounds + 100, &expected, pays);
      play(*restored, rounds, rounds + 100, &actual, pays);
      EXPECT_EQ(actual, expected);
      EXPECT_EQ(saved(*restored), saved(*policy));
    }
  }
}

TEST_P(EveryPolicy, DenseSparseAndOwnResolutionAgree) {
  const auto dense = make();
  const auto sparse = make();
  const auto own = make();
  const std::vector<VariableId> ids = {11, 3, 7};
  for (std::uint32_t round = 0; round < 60; ++round) {
    const ActionId action = dense->select(kPolicyStream);
    sparse->select(kPolicyStream);
    own->select(kPolicyStream);
    std::vector<double> y(kVariables, 0.0);
    std::vector<double> values;
    for (const VariableId id : ids) {
      y[id] = std::round(4.0 * kPayoffStream.normal(round, id)) / 4.0;  // sums are exact
      values.push_back(y[id]);
    }
    dense->observe(action, Payoffs::dense(y));
    sparse->observe(action, Payoffs::sparse(ids, values));
    const Resolution& resolution = own->resolution();
    if (resolution.kind == Resolution::Kind::kTotal) {
      own->observe(action, Payoffs::total(std::accumulate(y.begin(), y.end(), 0.0)));
    } else if (resolution.kind == Resolution::Kind::kGroups) {
      std::vector<double> sums(resolution.partition->groups());
      resolution.partition->sum_dense(y, sums);
      own->observe(action, Payoffs::group_sums(sums));
    } else {
      own->observe(action, Payoffs::dense(y));
    }
  }
  EXPECT_EQ(saved(*sparse), saved(*dense));
  EXPECT_EQ(saved(*own), saved(*dense));
}

TEST_P(EveryPolicy, ExplainsEveryAction) {
  const auto policy = make();
  const bool forced_start = GetParam() != "ts";
  for (const ActionExplanation& about : policy->explain().actions) {
    EXPECT_EQ(about.pulls, 0u);
    EXPECT_EQ(std::isinf(about.index), forced_start);
  }
  EXPECT_EQ(policy->index(0), policy->explain().actions[0].index);
  play(*policy, 0, 100);
  const Explanation explanation = policy->explain();
  ASSERT_EQ(explanation.actions.size(), 4u);
  const PolicyInfo& info = policy_info(policy->spec().name());  // of what auto picked
  const bool unknown_sets = !info.needs.contains(Need::kAffected) && !info.traits.on_total;
  for (ActionId action = 0; action < 4; ++action) {
    const ActionExplanation& about = explanation.actions[action];
    EXPECT_EQ(about.pulls, policy->pulls(action));
    EXPECT_FALSE(std::isnan(about.index));
    EXPECT_DOUBLE_EQ(policy->index(action), about.index);
    EXPECT_TRUE(std::isfinite(about.radius));
    EXPECT_TRUE(about.uplift.has_value() || about.reward.has_value());
    EXPECT_EQ(about.identified.has_value(), unknown_sets);
    EXPECT_EQ(about.padding.has_value(), unknown_sets);
  }
}

TEST_P(EveryPolicy, EstimatesWhatItSays) {
  const auto policy = make();
  play(*policy, 0, 100);
  const Explanation whole = policy->explain();
  const Explanation cheap = policy->explain(Detail::kCheap);
  for (ActionId action = 0; action < 4; ++action) {
    const ActionExplanation& about = whole.actions[action];
    const std::optional<double> difference =
        about.difference ? std::optional(about.difference->estimate) : std::nullopt;
    EXPECT_EQ(about.estimate.value, whole.quantity == Quantity::kUplift       ? about.uplift
                                    : whole.quantity == Quantity::kDifference ? difference
                                                                              : about.reward);
    EXPECT_TRUE(about.estimate.value.has_value());
    if (about.estimate.interval) {
      EXPECT_LE(about.estimate.interval->low, *about.estimate.value);
      EXPECT_GE(about.estimate.interval->high, *about.estimate.value);
    }
    EXPECT_EQ(cheap.actions[action].estimate, about.estimate);
    EXPECT_FALSE(cheap.actions[action].probability_best);
  }
  EXPECT_EQ(cheap.quantity, whole.quantity);
  EXPECT_EQ(make()->explain().quantity, whole.quantity);  // it never changes
}

TEST_P(EveryPolicy, HasTheTraitsOfItsRow) {
  const auto policy = make();
  const PolicyTraits& traits = policy_info(policy->spec().name()).traits;
  bool draws = false;
  for (std::uint32_t round = 0; round < 20; ++round) {
    play(*policy, round, round + 1);
    for (const double probability : policy->probabilities(kPolicyStream)) {
      draws = draws || (probability > 0.0 && probability < 1.0);
    }
  }
  const Explanation explanation = policy->explain();
  EXPECT_EQ(draws, traits.draws);
  EXPECT_EQ(policy->resolution().kind == Resolution::Kind::kTotal, traits.on_total);
  EXPECT_EQ(explanation.degrees_of_freedom.has_value(), traits.learns_noise);
  const bool of_posterior = explanation.interval_kind == IntervalKind::kPosterior ||
                            explanation.interval_kind == IntervalKind::kConfidence95;
  EXPECT_EQ(of_posterior, traits.has_posterior);
}

TEST_P(EveryPolicy, SelectTakesTheLargestExplainedIndex) {
  const auto policy = make();
  if (policy_info(policy->spec().name()).traits.draws) GTEST_SKIP() << "draws at random";
  for (std::uint32_t round = 0; round < 300; ++round) {
    const Explanation explanation = policy->explain();
    const ActionId action = policy->select(kPolicyStream);
    if (round >= 4 && !scheduled(GetParam(), explanation)) {
      ActionId best = 0;
      for (ActionId a = 1; a < 4; ++a) {
        if (explanation.actions[a].index > explanation.actions[best].index) best = a;
      }
      ASSERT_EQ(action, best) << "round " << round;
    }
    policy->observe(action, Payoffs::dense(payoffs(round, action)));
  }
}

TEST_P(EveryPolicy, RefusesBadPayoffsAndStaysAsItWas) {
  const auto policy = make();
  play(*policy, 0, 20);
  const std::string before = saved(*policy);
  const std::vector<double> good(kVariables, 0.5);
  const std::vector<double> sparse_values = {1.0, 2.0};
  const auto refused = [&](ActionId action, const Payoffs& payoffs) {
    const std::string said = refusal([&] { policy->observe(action, payoffs); });
    EXPECT_EQ(saved(*policy), before) << said;
    return said;
  };
  EXPECT_EQ(refused(4, Payoffs::dense(good)), "action = 4: must be below the number of actions, 4");
  EXPECT_EQ(refused(0, Payoffs::dense(std::span(good).first(11))),
            "length of payoffs = 11: must be the number of variables, 12");
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e101}) {
    std::vector<double> y = good;
    y[9] = bad;
    const std::string shown = std::isnan(bad) ? "nan" : std::isinf(bad) ? "inf" : "1e+101";
    EXPECT_EQ(refused(0, Payoffs::dense(y)),
              "payoffs[9] = " + shown + ": must be finite and at most 1e100 in size");
    const std::vector<VariableId> ids = {2, 9};
    const std::vector<double> values = {0.0, bad};
    EXPECT_EQ(refused(0, Payoffs::sparse(ids, values)),
              "payoffs[9] = " + shown + ": must be finite and at most 1e100 in size");
  }
  const std::vector<VariableId> too_large = {1, 12};
  EXPECT_EQ(refused(0, Payoffs::sparse(too_large, sparse_values)),
            "payoffs: variable = 12: must be below the number of variables, 12");
  const std::vector<VariableId> repeated = {5, 5};
  EXPECT_EQ(refused(0, Payoffs::sparse(repeated, sparse_values)),
            "payoffs: variable = 5: is repeated; ids must be distinct");
  const std::vector<VariableId> three = {1, 2, 3};
  EXPECT_EQ(refused(0, Payoffs::sparse(three, sparse_values)),
            "length of payoffs = 2: must be the number of variable ids, 3");
}

TEST_P(EveryPolicy, RefusesPayoffsCoarserThanItsResolution) {
  const auto policy = make();
  const Resolution::Kind kind = policy->resolution().kind;
  const std::vector<double> sums(3, 0.0);
  const std::string total = refusal([&] { policy->observe(0, Payoffs::total(1.0)); });
  const std::string groups = refusal([&] { policy->observe(0, Payoffs::group_sums(sums)); });
  if (kind == Resolution::Kind::kTotal) {
    EXPECT_EQ(total, "(accepted)");
    EXPECT_EQ(refusal([&] { policy->observe(0, Payoffs::total(std::nan(""))); }),
              "payoffs = nan: must be finite and at most 1e100 in size");
    EXPECT_EQ(groups, "payoffs = sums over groups: this policy takes the total, or single payoffs");
  } else if (kind == Resolution::Kind::kGroups) {
    EXPECT_EQ(total, "payoffs = a total: this policy takes sums over its atoms, or single payoffs");
    EXPECT_EQ(groups, "length of payoffs = 3: must be the number of atoms, " +
                          std::to_string(policy->resolution().partition->groups()));
  } else {
    EXPECT_EQ(total, "payoffs = a total: this policy takes single payoffs");
    EXPECT_EQ(groups, "payoffs = sums over groups: this policy takes single payoffs");
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) result.emplace_back(info.name);
  result.push_back(kLearningTs);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPolicy, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace updraft
