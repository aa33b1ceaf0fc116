// The fast contextual policies decide, and explain themselves, as the plain reference does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "reference/contextual_reference.h"
#include "reference/play_duel.h"
#include "reference/random_contexts.h"
#include "support/knowledge.h"

namespace updraft::testing {
namespace {

constexpr std::uint32_t kCases = 100;
constexpr std::uint32_t kRounds = 60;

/// How close indices must be to count as equal up to rounding, relative to what they are made of.
constexpr Real kContextTolerance = 1e-9L;

/// How many decisions were the reference's own, and how many only as good up to rounding.
struct ContextTally {
  std::uint64_t decisions = 0;
  std::uint64_t by_index = 0;              ///< of these, with feedback of all of several actions
  std::uint64_t near_ties = 0;             ///< where different actions have different indices
  std::uint64_t near_ties_among_ties = 0;  ///< where some may have equal ones
};

/// A random problem, the fast policy and its reference, which always see the same.
class ContextDuel {
 public:
  using Choice = ActionId;

  ContextDuel(std::string_view policy, bool sets, std::uint32_t number)
      : problem_(random_contexts(policy, sets, number)),
        sets_(sets),
        fast_(make_contextual(problem_.spec, problem_.shape)),
        reference_(problem_.spec, problem_.shape) {}

  std::string title() const {
    return "case " + std::to_string(problem_.streams.number) + ": " + problem_.spec.text() +
           ", d = " + std::to_string(problem_.shape.features) +
           ", K = " + std::to_string(problem_.shape.actions);
  }
  const RandomContexts& problem() const { return problem_; }
  MadeRound round(std::uint32_t number) const { return problem_.context(number); }
  std::uint32_t delay(std::uint32_t round, std::uint32_t longest) const {
    return problem_.streams.delay(round, longest);
  }
  std::vector<double> payoffs(std::uint32_t round, const MadeRound& context,
                              ActionId action) const {
    return problem_.payoffs(round, context, action);
  }
  const Policy& fast() const { return *fast_; }
  const ContextReference& reference() const { return reference_; }

  /// The context as the policy is shown it: without what it need not know.
  Round shown(const MadeRound& context) const {
    Round view = context.view();
    if (!sets_ || problem_.spec.name() == "lin_ucb") view.affected = {};
    if (!problem_.spec.name().ends_with("_bl")) view.baseline = {};
    return view;
  }

  /// The fast policy decides, is judged, and both count the decision.
  ::testing::AssertionResult select(const MadeRound& context, ContextTally& tally,
                                    ActionId& action) {
    const auto estimates = reference_.action_estimates(context.view());
    action = select_action(*fast_, shown(context), Stream(1, 0, Purpose::kPolicy));
    const ActionId expected = reference_.choose(estimates);
    if (action >= estimates.size()) return ::testing::AssertionFailure() << "no action " << action;
    reference_.offer(action);
    ++tally.decisions;
    const bool by_index = std::all_of(estimates.begin(), estimates.end(),
                                      [](const ActionEstimate& about) { return about.feedback; });
    tally.by_index += by_index && estimates.size() > 1;
    if (action == expected) return ::testing::AssertionSuccess();
    if (!by_index ||
        !(estimates[expected].index - estimates[action].index <= tolerance(estimates))) {
      return ::testing::AssertionFailure()
             << "chose " << action << " with index " << estimates[action].index
             << ", the reference " << expected << " with index " << estimates[expected].index;
    }
    ++(problem_.ties ? tally.near_ties_among_ties : tally.near_ties);
    return ::testing::AssertionSuccess();
  }

  void observe(const MadeRound& context, ActionId action, std::span<const double> payoffs) {
    teach(*fast_, shown(context), action, payoffs);
    reference_.observe(context.view(), action, payoffs);
  }

  static Real tolerance(const std::vector<ActionEstimate>& estimates) {
    Real magnitude = 0.0L;
    for (const ActionEstimate& estimate : estimates)
      magnitude = std::max(magnitude, estimate.magnitude);
    return kContextTolerance * magnitude;
  }

 private:
  RandomContexts problem_;
  bool sets_;
  std::unique_ptr<Policy> fast_;
  ContextReference reference_;
};

struct Contender {
  std::string policy;
  bool sets = false;
};

void PrintTo(const Contender& contender, std::ostream* out) {
  *out << contender.policy << (contender.sets ? ", sets given" : ", L given");
}

class ContextEquivalence : public ::testing::TestWithParam<Contender> {
 protected:
  static ContextDuel duel(std::uint32_t number) {
    return ContextDuel(GetParam().policy, GetParam().sets, number);
  }

  static void expect_rarely_different(const ContextTally& tally) {
    record({{"decisions", tally.decisions},
            {"by_index", tally.by_index},
            {"near_ties", tally.near_ties},
            {"near_ties_among_ties", tally.near_ties_among_ties}});
    EXPECT_GT(tally.by_index, tally.decisions / 2) << "decisions must be worth comparing";
    EXPECT_EQ(tally.near_ties, 0u);
    EXPECT_LE(static_cast<double>(tally.near_ties_among_ties),
              0.01 * static_cast<double>(tally.decisions));
  }
};

TEST_P(ContextEquivalence, SameDecisionsWithPromptFeedback) {
  expect_rarely_different(played<ContextTally>({.end = kCases, .rounds = kRounds}, duel, prompt));
}

TEST_P(ContextEquivalence, SameDecisionsWithLateFeedbackOutOfOrder) {
  expect_rarely_different(
      played<ContextTally>({.first = kCases, .end = 2 * kCases, .rounds = kRounds}, duel, late));
}

/// The sets of unknown variables: the reference's, but for padding that is as good up to rounding.
void check_sets(const ActionExplanation& about, const ActionEstimate& expected, double tolerance) {
  ASSERT_TRUE(about.identified && about.padding);
  EXPECT_EQ(about.identified->ids(), expected.identified);
  Real shown = 0.0L;
  Real best = 0.0L;
  for (const VariableId id : about.padding->ids()) {
    EXPECT_FALSE(about.identified->contains(id));
    shown += expected.individual[id];
  }
  for (const VariableId id : expected.padding) best += expected.individual[id];
  EXPECT_NEAR(static_cast<double>(shown), static_cast<double>(best), tolerance);
}

/// explain() of a context against the reference.
void check_explanation(const ContextDuel& duel, const MadeRound& context, bool sets) {
  const Explanation shown = duel.fast().explain(duel.shown(context));
  const auto estimates = duel.reference().action_estimates(context.view());
  const auto tolerance = static_cast<double>(ContextDuel::tolerance(estimates));
  ASSERT_EQ(shown.actions.size(), estimates.size());
  const bool stand_in = !sets && duel.problem().spec.name() == "lin_up_ucb";
  for (std::size_t a = 0; a < estimates.size(); ++a) {
    SCOPED_TRACE("action " + std::to_string(a));
    const ActionExplanation& about = shown.actions[a];
    EXPECT_FALSE(about.reason.empty());
    EXPECT_EQ(about.pulls > 0, estimates[a].feedback);
    if (!estimates[a].feedback) {
      EXPECT_TRUE(std::isinf(about.index));
      EXPECT_FALSE(about.uplift || about.interval || about.identified || about.padding);
      EXPECT_FALSE(about.reward || about.difference);
      continue;
    }
    const auto uplift = static_cast<double>(estimates[a].uplift);
    const auto margin = static_cast<double>(estimates[a].margin);
    EXPECT_NEAR(about.index, static_cast<double>(estimates[a].index), tolerance);
    const bool total = duel.problem().spec.name() == "lin_ucb";
    ASSERT_EQ(about.uplift.has_value(), estimates[a].determined && !stand_in && !total);
    ASSERT_EQ(about.interval.has_value(), about.uplift.has_value());
    ASSERT_EQ(about.difference.has_value(), estimates[a].determined && stand_in);
    if (about.uplift || about.difference) {
      const Interval interval = stand_in ? about.difference->interval : *about.interval;
      EXPECT_NEAR(stand_in ? about.difference->estimate : *about.uplift, uplift, tolerance);
      EXPECT_NEAR(interval.low, uplift - margin, tolerance);
      EXPECT_NEAR(interval.high, uplift + margin, tolerance);
    }
    ASSERT_EQ(about.reward.has_value(), estimates[a].reward_determined);
    if (about.reward) {
      EXPECT_NEAR(*about.reward, static_cast<double>(estimates[a].reward), tolerance);
    }
    EXPECT_EQ(about.identified.has_value(), !sets);
    if (!sets) check_sets(about, estimates[a], tolerance);
  }
  ASSERT_EQ(shown.reference_action.has_value(), stand_in && duel.fast().observations() > 0);
  if (shown.reference_action) {
    EXPECT_EQ(*shown.reference_action, duel.reference().stand_in());
  }
}

TEST_P(ContextEquivalence, SameExplanations) {
  ContextTally tally;
  play_cases(
      {.first = 2 * kCases, .end = 2 * kCases + 40, .rounds = kRounds / 2}, duel,
      [](std::uint32_t number) { return number % 2 == 0 ? 0u : 5u; }, tally,
      [&](const ContextDuel& duel, std::uint32_t round, const MadeRound& context) {
        if (round < 6 || round % 7 == 0) check_explanation(duel, context, GetParam().sets);
      });
}

std::vector<Contender> contenders() {
  std::vector<Contender> result;
  for (const PolicyInfo& info : policies(PolicyKind::kContextual)) {
    if (!must_have_a_reference(info)) continue;
    result.push_back({std::string(info.name), true});
    if (info.needs.contains(Need::kAffected)) result.push_back({std::string(info.name), false});
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Policies, ContextEquivalence, ::testing::ValuesIn(contenders()),
                         [](const auto& tested) {
                           return tested.param.policy + (tested.param.sets ? "_sets" : "_bounded");
                         });

}  // namespace
}  // namespace updraft::testing
