// The fast policies decide as the plain references do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/play_duel.h"
#include "reference/random_case.h"
#include "reference/reference_policy.h"
#include "reference/tally.h"
#include "support/knowledge.h"
#include "updraft/payoffs.h"
#include "updraft/policy.h"
#include "updraft/registry.h"

namespace updraft::testing {

namespace {

constexpr std::uint32_t kCases = 220;
constexpr std::uint32_t kRounds = 300;

/// Gives the fast policy the payoffs in one of four forms: dense, sparse in increasing or in
/// decreasing order, or reduced to its resolution.
void feed(Policy& policy, ActionId action, std::span<const double> payoffs, std::uint32_t form) {
  if (form % 4 == 0) {
    policy.observe(action, Payoffs::dense(payoffs));
    return;
  }
  if (form % 4 != 3) {
    std::vector<VariableId> ids;
    std::vector<double> values;
    for (VariableId i = 0; i < payoffs.size(); ++i) {
      if (payoffs[i] != 0.0) ids.push_back(i);
    }
    if (form % 4 == 2) std::reverse(ids.begin(), ids.end());
    for (const VariableId i : ids) values.push_back(payoffs[i]);
    policy.observe(action, Payoffs::sparse(ids, values));
    return;
  }
  switch (policy.resolution().kind) {
    case Resolution::Kind::kTotal: {
      double reward = 0.0;
      for (const double y : payoffs) reward += y;
      policy.observe(action, Payoffs::total(reward));
      return;
    }
    case Resolution::Kind::kGroups: {
      std::vector<double> sums(policy.resolution().partition->groups());
      policy.resolution().partition->sum_dense(payoffs, sums);
      policy.observe(action, Payoffs::group_sums(sums));
      return;
    }
    case Resolution::Kind::kVariables:
      policy.observe(action, Payoffs::dense(payoffs));
      return;
  }
}

/// One case, the fast policy and its reference, which always see the same.
class Duel {
 public:
  using Choice = ActionId;

  /// Two rounds of three allow only some actions, or have decisions ahead of theirs.
  enum class Rounds { kAlike, kRestricted, kAhead };

  Duel(std::string_view name, std::uint32_t number, Rounds rounds = Rounds::kAlike)
      : number_(number),
        rounds_(rounds),
        case_(random_case(name, number)),
        stream_(number, number, Purpose::kPolicy),
        fast_(make_policy(case_.spec, case_.knowledge)),
        reference_(make_reference(case_.spec, case_.knowledge)) {}

  std::string title() const { return "case " + std::to_string(number_) + ": " + case_.spec.text(); }
  const RandomCase& instance() const { return case_; }
  Round round(std::uint32_t number) {
    allowed_.clear();
    ahead_.clear();
    const Stream draws(number_, 1, Purpose::kTest);
    if (rounds_ == Rounds::kAlike || draws.uniform(number, 0) < 1.0 / 3.0) return {};
    const double share = draws.uniform(number, 1);
    for (ActionId a = 0; a < reference_->actions(); ++a) {
      const double draw = draws.uniform(number, 2 + a);
      if (rounds_ == Rounds::kAhead) {
        ahead_.push_back(draw < share ? static_cast<std::uint64_t>(20.0 * draw) : 0);
      } else if (draw < share) {
        allowed_.push_back(a);
      }
    }
    return {.allowed = allowed_, .ahead = ahead_};
  }
  std::uint32_t delay(std::uint32_t round, std::uint32_t longest) const {
    return case_.delay(round, longest);
  }
  std::vector<double> payoffs(std::uint32_t round, const Round&, ActionId action) const {
    return case_.payoffs(round, action);
  }
  const Policy& fast() const { return *fast_; }
  const ReferencePolicy& reference() const { return *reference_; }

  /// The fast policy chooses, is judged, and both count the choice as offered.
  ::testing::AssertionResult select(const Round&, Tally& tally, ActionId& choice) {
    const Round round{.allowed = allowed_, .ahead = ahead_};
    const bool alike = allowed_.empty() && ahead_.empty();
    choice = alike ? fast_->select(stream_) : fast_->select(round, stream_).action;
    if (!AllowedActions(allowed_).contains(choice)) {
      return ::testing::AssertionFailure() << "not allowed: " << choice;
    }
    reference_->allow(allowed_);
    reference_->put_ahead(ahead_);
    if (choice >= reference_->actions()) {
      return ::testing::AssertionFailure() << "no such action: " << choice;
    }
    const ::testing::AssertionResult result = tally.judge(*reference_, stream_, choice, case_.kind);
    reference_->put_ahead({});
    reference_->offer(choice);
    return result;
  }

  void observe(const Round&, ActionId action, std::span<const double> payoffs) {
    feed(*fast_, action, payoffs, form_++);
    reference_->observe(action, payoffs);
  }

 private:
  std::uint32_t number_;
  Rounds rounds_;
  std::vector<ActionId> allowed_;     // in the round at hand; empty: all
  std::vector<std::uint64_t> ahead_;  // of it; empty: none
  RandomCase case_;
  Stream stream_;
  std::unique_ptr<Policy> fast_;
  std::unique_ptr<ReferencePolicy> reference_;
  std::uint32_t form_ = 0;
};

class Equivalence : public ::testing::TestWithParam<std::string_view> {
 protected:
  static Duel duel(std::uint32_t number) { return Duel(GetParam(), number); }
  static Duel restricted(std::uint32_t number) {
    return Duel(GetParam(), number, Duel::Rounds::kRestricted);
  }
  static Duel in_batches(std::uint32_t number) {
    return Duel(GetParam(), number, Duel::Rounds::kAhead);
  }
};

TEST_P(Equivalence, SameDecisionsWithPromptFeedback) {
  expect_rarely_rounding(played<Tally>({.end = kCases, .rounds = kRounds}, duel, prompt));
}

TEST_P(Equivalence, SameDecisionsWithLateFeedbackOutOfOrder) {
  expect_rarely_rounding(played<Tally>({.end = kCases, .rounds = kRounds}, duel, late));
}

TEST_P(Equivalence, SameDecisionsAmongTheAllowedActions) {
  expect_rarely_rounding(
      played<Tally>({.end = kCases, .step = 2, .rounds = kRounds}, restricted, prompt));
  expect_rarely_rounding(
      played<Tally>({.first = 1, .end = kCases, .step = 2, .rounds = kRounds}, restricted, late));
}

TEST_P(Equivalence, SameDecisionsWithOthersAhead) {
  expect_rarely_rounding(
      played<Tally>({.end = kCases, .step = 2, .rounds = kRounds}, in_batches, prompt));
  expect_rarely_rounding(
      played<Tally>({.first = 1, .end = kCases, .step = 2, .rounds = kRounds}, in_batches, late));
}

TEST_P(Equivalence, OffersEachActionOnceBeforeAnyFeedback) {
  for (std::uint32_t number = 0; number < kCases; ++number) {
    Duel duel(GetParam(), number);
    SCOPED_TRACE(duel.title());
    Tally tally;
    std::vector<bool> offered(duel.reference().actions(), false);
    for (std::size_t k = 0; k < offered.size(); ++k) {
      ActionId action = 0;
      ASSERT_TRUE(duel.select({}, tally, action));
      ASSERT_FALSE(offered[action]);
      offered[action] = true;
    }
  }
}

::testing::AssertionResult close(double fast, double reference, double scale) {
  if (fast == reference) return ::testing::AssertionSuccess();
  if (std::abs(fast - reference) <= kTolerance * std::max(scale, std::abs(reference))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << fast << " instead of " << reference;
}

/// The sets that explain() shows of an action whose index counts some variables: identified as
/// in the reference, padding disjoint from it and of the right size, the sum the index itself.
/// Of up_ucb_ilift_bl only the union is compared: all variables, or the thresholded ones.
void check_sets(const ReferencePolicy& reference, const CountedSets& expected, ActionId action,
                const ActionExplanation& shown, bool union_only) {
  ASSERT_TRUE(shown.identified.has_value());
  const std::vector<VariableId> identified = shown.identified->ids();
  std::vector<VariableId> padding;
  if (shown.padding) padding = shown.padding->ids();

  std::vector<VariableId> counted = identified;
  for (const VariableId i : padding) {
    EXPECT_FALSE(shown.identified->contains(i)) << "both identified and padding: " << i;
    counted.push_back(i);
  }
  const double scale = reference.magnitude(action);
  double total = 0.0;
  for (const VariableId i : counted) total += reference.individual_index(action, i);
  EXPECT_TRUE(close(shown.index, total, scale)) << "sum over the counted variables";

  if (union_only) {
    std::sort(counted.begin(), counted.end());
    std::vector<VariableId> all = expected.identified;
    all.insert(all.end(), expected.padding.begin(), expected.padding.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(counted, all);
    return;
  }
  EXPECT_EQ(identified, expected.identified);
  // An individual index of 0 up to rounding may or may not count as positive.
  std::size_t doubtful = 0;
  for (VariableId i = 0; i < reference.variables(); ++i) {
    if (std::abs(reference.individual_index(action, i)) <= kTolerance * scale) ++doubtful;
  }
  EXPECT_LE(padding.size(), expected.padding.size() + doubtful);
  EXPECT_GE(padding.size() + doubtful, expected.padding.size());
}

struct ShownInterval {
  double standard_error;
  Interval interval;
};

struct ExpectedInterval {
  double standard_error;
  double reach;
};

double furthest(const Interval& interval) {
  return std::max(std::abs(interval.low), std::abs(interval.high));
}

/// `size`: of the terms that variances are made of, in roots. See check_noise().
void check_interval(const ShownInterval& shown, const ExpectedInterval& expected, double size) {
  const double error = shown.standard_error;
  EXPECT_LE(std::abs(error * error - expected.standard_error * expected.standard_error),
            1e-11 * size * size)
      << error << " instead of " << expected.standard_error;
  const double reach = (shown.interval.high - shown.interval.low) / 2.0;
  const double expected_reach =
      expected.standard_error > 0.0 ? expected.reach * error / expected.standard_error : 0.0;
  EXPECT_LE(std::abs(reach - expected_reach),
            1e-7 * expected_reach + 1e-15 * furthest(shown.interval))
      << "interval: " << reach << " instead of " << expected_reach;
}

/// What explain() shows of learnt noise against the reference, once and only once every action has
/// feedback; errors and intervals, once and only once an action has that of two rounds.
///
/// Correlations carry rounding of some 1e-15. The inverse of a matrix with eigenvalues between the
/// shrinkage, 1e-8 or more, and the number of atoms passes that on, enlarged by up to the ratio of
/// these: so weights, times the sds of their atoms, agree within this share of the sum of all such
/// products of the action. Variances are small differences of terms of the size of that sum's
/// square. Quantiles of Student's distribution agree within 6e-8 of their size, which tells its
/// degrees of freedom apart up to a few thousand.
void check_noise(const std::optional<LearnedNoise>& expected, const Explanation& shown) {
  ASSERT_EQ(shown.shrinkage.has_value(), expected.has_value());
  ASSERT_EQ(shown.degrees_of_freedom.has_value(), expected.has_value());
  if (expected) {
    EXPECT_NEAR(*shown.shrinkage, expected->shrinkage, 1e-12);
    EXPECT_EQ(*shown.degrees_of_freedom, expected->degrees_of_freedom);
  }
  const bool noise_known = std::any_of(shown.actions.begin(), shown.actions.end(),
                                       [](const auto& action) { return action.pulls > 1; });
  EXPECT_EQ(shown.noise_known, noise_known);
  for (ActionId a = 0; a < shown.actions.size(); ++a) {
    SCOPED_TRACE("action " + std::to_string(a));
    const ActionExplanation& action = shown.actions[a];
    const bool identified = expected && expected->identified[a];
    EXPECT_EQ(action.uplift.has_value(), identified);
    EXPECT_EQ(action.interval.has_value(), identified && noise_known);
    ASSERT_EQ(action.standard_error.has_value(), identified && noise_known);
    ASSERT_EQ(action.difference.has_value(), expected.has_value());
    ASSERT_EQ(action.weights.has_value(), expected.has_value());
    if (!expected) continue;
    const std::vector<double>& weights = expected->weights[a];
    ASSERT_EQ(action.weights->size(), weights.size());
    double scale = 0.0;
    for (std::size_t g = 0; g < weights.size(); ++g) {
      scale += std::abs(weights[g]) * expected->sds[a][g];
    }
    const double share = 1e-14 * static_cast<double>(weights.size()) / expected->shrinkage;
    for (std::size_t g = 0; g < weights.size(); ++g) {
      const double difference = (*action.weights)[g] - weights[g];
      EXPECT_LE(std::abs(difference) * expected->sds[a][g], share * scale) << "weight " << g;
      if (expected->sds[a][g] == 0.0) {
        EXPECT_EQ(difference, 0.0) << "weight " << g;
      }
    }
    ASSERT_EQ(action.difference->standard_error.has_value(), noise_known);
    if (!noise_known) continue;
    if (identified) {
      check_interval({*action.standard_error, *action.interval},
                     {expected->standard_errors[a], expected->reaches[a]}, scale);
    }
    double scale_of_0 = 0.0;
    for (std::size_t g = 0; g < weights.size(); ++g) {
      scale_of_0 += std::abs(expected->weights[0][g]) * expected->sds[0][g];
    }
    const RewardDifference& difference = *action.difference;
    check_interval({*difference.standard_error, difference.interval},
                   {expected->difference_errors[a], expected->difference_reaches[a]},
                   scale + scale_of_0);
    EXPECT_NEAR(difference.estimate, (difference.interval.low + difference.interval.high) / 2.0,
                1e-15 * furthest(difference.interval));
  }
}

/// explain() against the reference. Returns how many identified variables were compared.
std::size_t check_explanation(const Duel& duel) {
  const ReferencePolicy& reference = duel.reference();
  const std::string& name = duel.instance().spec.name();
  const Explanation shown = duel.fast().explain();
  EXPECT_EQ(shown.actions.size(), reference.actions());
  if (shown.actions.size() != reference.actions()) return 0;
  const std::optional<LearnedNoise> noise = reference.learned_noise();
  if (noise || policy_info(name).traits.learns_noise) {
    check_noise(noise, shown);
  }
  std::size_t identified = 0;
  for (ActionId a = 0; a < reference.actions(); ++a) {
    SCOPED_TRACE("action " + std::to_string(a));
    const ActionExplanation& action = shown.actions[a];
    EXPECT_EQ(action.pulls, reference.pulls(a));
    const double scale = reference.magnitude(a);
    if (const auto index = reference.explained_index(a)) {
      EXPECT_TRUE(close(action.index, *index, scale)) << "index";
    }
    if (const auto radius = reference.explained_radius(a)) {
      double expected = *radius;
      const bool own = name == "up_ucb_cv" && duel.instance().spec.word("radius") != "whole";
      if (noise && !own && noise->standard_errors[a] > 0.0) {  // as many errors, checked above
        if (!action.standard_error) continue;
        expected *= *action.standard_error / noise->standard_errors[a];
      }
      EXPECT_TRUE(close(action.radius, expected, own ? scale : 0.0)) << "radius";
    }
    if (const auto sets = reference.counted_sets(a)) {
      check_sets(reference, *sets, a, action, name == "up_ucb_ilift_bl");
      identified += sets->identified.size();
    }
    if (shown.active) {
      EXPECT_EQ((*shown.active)[a], reference.active(a));
    }
  }
  EXPECT_EQ(shown.active.has_value(), name == "up_ucb_ilift");
  if (name == "up_ucb_l" && duel.fast().observations() > 0) {
    EXPECT_EQ(shown.reference_action, reference.most_pulled());
  }
  return identified;
}

TEST_P(Equivalence, SameExplanations) {
  Tally tally;
  std::size_t identified = 0;
  play_cases(
      {.end = kCases, .step = 3, .rounds = kRounds}, duel,
      [](std::uint32_t number) { return number % 2 == 0 ? 0u : 10u; }, tally,
      [&](const Duel& duel, std::uint32_t round, const Round&) {
        if (round < 20 || round % 37 == 0) identified += check_explanation(duel);
      });
  const bool identifies = GetParam().find("_l") != std::string_view::npos ||
                          GetParam().find("ilift") != std::string_view::npos ||
                          GetParam() == "up_ucb_explore_bl";
  EXPECT_EQ(identified > 1000, identifies) << "the cases must identify variables";
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const PolicyInfo& info : policies(PolicyKind::kPlain)) {
    if (must_have_a_reference(info)) result.push_back(info.name);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Policies, Equivalence, ::testing::ValuesIn(names()),
                         [](const auto& policy) { return std::string(policy.param); });

}  // namespace

}  // namespace updraft::testing
