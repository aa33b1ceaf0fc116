#include "stats/identify_and_pad.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "stats/confidence.h"
#include "stats/threshold.h"

namespace updraft {
namespace {

TEST(ConfidenceRadius, IsInfiniteWithoutPulls) {
  EXPECT_EQ(confidence_radius(2.0, 4), 1.0);
  EXPECT_EQ(confidence_radius(2.0, 0), std::numeric_limits<double>::infinity());
}

// Two pulls, radius 0.5, baseline 0: means 1, 0.5, -0.5, -1, 0.25.
struct Example {
  std::vector<double> sums = {2.0, 1.0, -1.0, -2.0, 0.5};
  std::vector<double> baseline = {0.0, 0.0, 0.0, 0.0, 0.0};

  PayoffRow row() const { return PayoffRow(std::span<const double>(sums)); }

  PaddingInputs inputs(std::size_t budget, bool positive_only) const {
    return {row(), 2.0, 0.5, baseline, baseline, budget, positive_only};
  }
};

TEST(IdentifyAndPad, EqualityDoesNotIdentify) {
  const Example example;
  const PaddedSets sets = padded_sets(example.inputs(0, false));
  // 1 and -1 lie outside +-0.5; 0.5 and -0.5 are exactly at the boundary, hence inside.
  EXPECT_EQ(sets.identified.ids(), (std::vector<VariableId>{0, 3}));
  EXPECT_EQ(sets.padding.size(), 0u);
  EXPECT_EQ(sets.uplift, 0.0);
  PaddingScratch scratch;
  EXPECT_EQ(padded_index(example.inputs(0, false), scratch).index, 1.5 - 0.5);
}

TEST(IdentifyAndPad, PadsWithTheLargestIndices) {
  const Example example;
  PaddingScratch scratch;
  // Others: 1.0 (id 1), 0.0 (id 2), 0.75 (id 4).
  EXPECT_EQ(padded_index(example.inputs(3, false), scratch).index, 1.0 + 1.0);
  EXPECT_EQ(padded_sets(example.inputs(3, false)).padding.ids(), (std::vector<VariableId>{1}));
  EXPECT_EQ(padded_sets(example.inputs(5, false)).padding.ids(),
            (std::vector<VariableId>{1, 2, 4}));
}

TEST(IdentifyAndPad, MayPadWithPositiveIndicesOnly) {
  const Example example;
  EXPECT_EQ(padded_sets(example.inputs(5, true)).padding.ids(), (std::vector<VariableId>{1, 4}));
  PaddingScratch scratch;
  EXPECT_EQ(padded_index(example.inputs(5, true), scratch).index, 1.0 + 1.75);
}

TEST(IdentifyAndPad, IndexIsTheSumOverItsSets) {
  EXPECT_TRUE(rc::check([](std::vector<std::int8_t> drawn, bool positive_only) {
    Example example;
    example.sums.assign(drawn.begin(), drawn.end());
    example.baseline.assign(drawn.size(), 0.125);
    const std::size_t budget = *rc::gen::inRange<std::size_t>(0, drawn.size() + 2);
    const PaddingInputs in = example.inputs(budget, positive_only);
    PaddingScratch scratch;
    const PaddedSets sets = padded_sets(in);
    double expected = 0.0;
    const auto add = [&](VariableId i) { expected += in.row[i] / 2.0 + 0.5 - 0.125; };
    sets.identified.for_each(add);
    sets.padding.for_each(add);
    RC_ASSERT(padded_index(in, scratch).index ==
              expected);  // exact: all terms are multiples of 1/8
  }));
}

// Margins 0.5, 1, 0.25, 0 beside margins 0.5, 0, 0.25, 0: the intervals [0.5, 1.5] and [-0.5, 0.5]
// touch, [1, 3] holds 1.5, [-1.25, -0.75] and [-0.25, 0.25] are disjoint, and so are 2 and 1.
TEST(IntervalPadding, EveryIntervalHasItsOwnWidth) {
  const std::vector<double> means = {1.0, 2.0, -1.0, 2.0};
  const std::vector<double> margins = {0.5, 1.0, 0.25, 0.0};
  const std::vector<double> baseline_means = {0.0, 1.5, 0.0, 1.0};
  const std::vector<double> baseline_margins = {0.5, 0.0, 0.25, 0.0};
  const auto inputs = [&](std::size_t budget) {
    return IntervalPaddingInputs{means, margins, baseline_means, baseline_margins, budget, false};
  };
  PaddingScratch scratch;
  EXPECT_EQ(padded_index(inputs(2), scratch), -1.0 + 1.0);
  EXPECT_EQ(padded_index(inputs(3), scratch), -1.0 + 1.0 + 1.5);
  EXPECT_EQ(padded_index(inputs(9), scratch), -1.0 + 1.0 + 1.5 + 1.0);
  const PaddedSets sets = padded_sets(inputs(3));
  EXPECT_EQ(sets.identified.ids(), (std::vector<VariableId>{2, 3}));
  EXPECT_EQ(sets.padding.ids(), (std::vector<VariableId>{1}));
  EXPECT_EQ(sets.uplift, -1.0 + 1.0);
}

// Small whole numbers and halves: no rounding.
TEST(IntervalPadding, IsIdentifyAndPadWhereAllMarginsAreEqual) {
  EXPECT_TRUE(rc::check([](const std::vector<std::int8_t>& drawn, bool positive_only) {
    const std::vector<double> sums(drawn.begin(), drawn.end());
    const std::vector<double> margins(sums.size(), 1.5);
    const std::vector<double> middle(sums.size(), 1.0);
    const std::vector<double> lower(sums.size(), 0.5);
    const std::vector<double> upper(sums.size(), 1.5);
    const std::vector<double> baseline_margins(sums.size(), 0.5);
    const auto budget = *rc::gen::inRange<std::size_t>(0, sums.size() + 2);
    const PaddingInputs equal = {
        PayoffRow(std::span<const double>(sums)), 1.0, 1.5, lower, upper, budget, positive_only};
    const IntervalPaddingInputs own = {sums,   margins,      middle, baseline_margins,
                                       budget, positive_only};
    PaddingScratch scratch;
    RC_ASSERT(padded_index(own, scratch) == padded_index(equal, scratch).index);
    RC_ASSERT(padded_sets(own).identified == padded_sets(equal).identified);
    RC_ASSERT(padded_sets(own).padding == padded_sets(equal).padding);
    RC_ASSERT(padded_sets(own).uplift == padded_sets(equal).uplift);
  }));
}

TEST(Threshold, CountsWhatIsStrictlyFarther) {
  const Example example;
  const ThresholdInputs in{example.row(), 2.0, example.baseline, 0.5};
  EXPECT_EQ(variables_above_threshold(in).ids(), (std::vector<VariableId>{0, 3}));
  EXPECT_EQ(sum_above_threshold(in).count, 2u);
  EXPECT_EQ(sum_above_threshold(in).uplift, 0.0);
  const ThresholdInputs all{example.row(), 2.0, example.baseline, kEveryVariable};
  EXPECT_EQ(sum_above_threshold(all).count, 5u);
  EXPECT_EQ(sum_above_threshold(all).uplift, 0.25);
}

}  // namespace
}  // namespace updraft
