#include "updraft/knowledge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Knowledge, StartsKnowingNothing) {
  const Knowledge knowledge(2, 3);
  EXPECT_TRUE(knowledge.known().empty());
  EXPECT_EQ(knowledge.baseline(), nullptr);
  EXPECT_FALSE(knowledge.max_affected().has_value());
}

TEST(Knowledge, AffectedSetsImplyMaxAffected) {
  Knowledge knowledge(2, 3);
  const std::vector<VariableId> ids = {0, 2};
  knowledge.set_affected({VariableSet(), VariableSet::from_ids(ids)});
  EXPECT_EQ(knowledge.max_affected(), 2u);
  EXPECT_EQ(knowledge.known(), Need::kAffected | Need::kMaxAffected);
  knowledge.set_max_affected(3);
  EXPECT_EQ(knowledge.max_affected(), 3u);
}

TEST(Knowledge, HoldsOneBoundOrOnePerAction) {
  Knowledge knowledge(3, 4);
  knowledge.set_max_affected(3);
  EXPECT_EQ(knowledge.max_affected(1), 3u);
  EXPECT_EQ(knowledge.max_affected_per_action(), nullptr);
  knowledge.set_max_affected(std::vector<std::size_t>{1, 0, 2});
  EXPECT_EQ(knowledge.max_affected(), 2u);
  EXPECT_EQ(knowledge.max_affected(0), 1u);
  EXPECT_EQ(knowledge.max_affected(1), 0u);
  EXPECT_EQ(*knowledge.only(Need::kMaxAffected).max_affected_per_action(),
            (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(knowledge.only(Need::kHorizon).max_affected_per_action(), nullptr);
  EXPECT_FALSE(knowledge.only(Need::kHorizon).max_affected().has_value());
  knowledge.set_max_affected(4);
  EXPECT_EQ(knowledge.max_affected(1), 4u);
}

TEST(Knowledge, HoldsSegmentsOfAllVariables) {
  const std::vector<GroupId> groups = {0, 1, 0};
  Knowledge knowledge(2, 3);
  knowledge.set_segments(Partition::of_groups(groups));
  EXPECT_EQ(knowledge.known(), Needs(Need::kSegments));
  EXPECT_EQ(needs_text(knowledge.known()), "segments");
  EXPECT_EQ(knowledge.segments()->groups(), 2u);
  EXPECT_EQ(knowledge.only(Need::kSegments).segments(), knowledge.segments());
  EXPECT_EQ(knowledge.only(Need::kHorizon).segments(), nullptr);
  Knowledge other(2, 4);
  EXPECT_EQ(refusal([&] { other.set_segments(Partition::of_groups(groups)); }),
            "variables of segments = 3: must be the number of variables, 4");
  EXPECT_TRUE(other.known().empty());
}

TEST(Knowledge, OnlyKeepsWhatIsAskedFor) {
  Knowledge knowledge(1, 2);
  knowledge.set_baseline({0.5, 0.25});
  knowledge.set_min_uplift(0.1);
  knowledge.set_horizon(100);
  const Knowledge kept = knowledge.only(Need::kMinUplift);
  EXPECT_EQ(kept.known(), Needs(Need::kMinUplift));
  EXPECT_EQ(kept.min_uplift(), 0.1);
  EXPECT_EQ(knowledge.known(), Need::kBaseline | Need::kMinUplift | Need::kHorizon);
}

TEST(Needs, HaveNamesWithoutThoseThatASimulationDraws) {
  EXPECT_EQ(needs_named("tell", {"horizon", "baseline"}), Need::kBaseline | Need::kHorizon);
  EXPECT_EQ(needs_named("tell", {}), Needs());
  EXPECT_EQ(needs_named("tell", {"nothing"}), Needs());
  for (const char* name : {"observations", "nothing", "basline"}) {
    const std::string said = refusal([&] { needs_named("tell", {"horizon", name}); });
    EXPECT_EQ(said.rfind("tell = " + std::string(name) + ": unknown", 0), 0u) << said;
  }
}

TEST(Knowledge, RefusesZeroActionsOrVariables) {
  EXPECT_EQ(refusal([] { Knowledge(0, 3); }), "actions = 0: must be from 1 to 2147483647");
  EXPECT_EQ(refusal([] { Knowledge(2, 0); }), "variables = 0: must be from 1 to 2147483647");
}

TEST(Knowledge, RefusesBadValuesAndStaysAsItWas) {
  Knowledge knowledge(2, 3);
  knowledge.set_baseline({1, 2, 3});
  EXPECT_EQ(refusal([&] {
              knowledge.set_baseline({1, 2});
            }),
            "length of baseline = 2: must be the number of variables, 3");
  EXPECT_EQ(refusal([&] {
              knowledge.set_baseline({1, kNan, 3});
            }),
            "baseline[1] = nan: must be finite");
  EXPECT_EQ(refusal([&] {
              knowledge.set_baseline({1, 2, -kInf});
            }),
            "baseline[2] = -inf: must be finite");
  EXPECT_EQ(refusal([&] { knowledge.set_affected(std::vector<VariableSet>(3)); }),
            "length of affected = 3: must be the number of actions, 2");
  const std::vector<VariableId> too_large = {3};
  EXPECT_EQ(refusal([&] {
              knowledge.set_affected({VariableSet(), VariableSet::from_ids(too_large)});
            }),
            "affected[1] = 3: must be below the number of variables, 3");
  EXPECT_EQ(refusal([&] {
              knowledge.set_affected(
                  std::make_shared<const AffectedSets>(std::vector<VariableSet>(2), 4));
            }),
            "variables of affected = 4: must be the number of variables, 3");
  EXPECT_EQ(refusal([&] { knowledge.set_max_affected(0); }),
            "max_affected = 0: must be from 1 to the number of variables, 3");
  EXPECT_EQ(refusal([&] { knowledge.set_max_affected(4); }),
            "max_affected = 4: must be from 1 to the number of variables, 3");
  const auto bounds = [&](std::vector<std::size_t> list) {
    return refusal([&] { knowledge.set_max_affected(std::move(list)); });
  };
  EXPECT_EQ(bounds({1}), "max_affected = 1 numbers: must have one for each of the 2 actions");
  EXPECT_EQ(bounds({1, 4}), "max_affected[1] = 4: must be from 0 to the number of variables, 3");
  EXPECT_EQ(bounds({0, 0}), "max_affected: must not be 0 for all actions");
  EXPECT_FALSE(knowledge.max_affected().has_value());
  EXPECT_EQ(refusal([&] { knowledge.set_min_uplift(0.0); }), "min_uplift = 0: must be > 0");
  EXPECT_EQ(refusal([&] { knowledge.set_min_uplift(kNan); }), "min_uplift = nan: must be > 0");
  EXPECT_EQ(refusal([&] { knowledge.set_effect_gap(-1.0); }), "effect_gap = -1: must be > 0");
  EXPECT_EQ(refusal([&] { knowledge.set_effect_gap(kNan); }), "effect_gap = nan: must be > 0");
  EXPECT_EQ(refusal([&] { knowledge.set_horizon(0); }), "horizon = 0: must be at least 1");
  EXPECT_EQ(refusal([&] {
              knowledge.set_reward_prior({kNan, 1.0});
            }),
            "reward_prior.mean = nan: must be finite");
  EXPECT_EQ(refusal([&] {
              knowledge.set_reward_prior({0.0, -1.0});
            }),
            "reward_prior.variance = -1: must be >= 0");
  EXPECT_EQ(refusal([&] {
              knowledge.set_observations({{1, 1}, {0, 0, 0}});
            }),
            "length of observations.counts = 2: must be the number of variables, 3");
  EXPECT_EQ(refusal([&] {
              knowledge.set_observations({{1, 0, 1}, {0, 0, 0}});
            }),
            "observations.counts[1] = 0: must be at least 1");
  EXPECT_EQ(refusal([&] {
              knowledge.set_observations({{1, 1, 1}, {0, 0, kInf}});
            }),
            "observations.means[2] = inf: must be finite");
  EXPECT_EQ(knowledge.known(), Needs(Need::kBaseline));
  EXPECT_EQ(*knowledge.baseline(), (std::vector<double>{1, 2, 3}));
}

TEST(UnknownName, ListsTheValidOnesAndTheNearest) {
  EXPECT_STREQ(unknown_name("policy", "up_ubc", {"ucb", "up_ucb"}).what(),
               "policy = up_ubc: unknown; did you mean up_ucb? Valid: ucb, up_ucb");
}

TEST(UnknownName, CanDoWithoutValidOnes) {
  EXPECT_STREQ(unknown_name("command", "", {}).what(), "command = \"\": unknown");
}

TEST(UnknownName, CutsBetweenCharacters) {
  std::string name = "x";
  for (int j = 0; j < 80; ++j) name += "\u00e9";  // two bytes each
  const std::string message = unknown_name("policy", name, {}).what();
  EXPECT_NE(message.find("\u00e9... (161 characters)"), std::string::npos) << message;
}

TEST(UnknownName, ShowsOnlyTheBeginningOfALongName) {
  const std::string message = unknown_name("policy", std::string(100000, 'x'), {"ucb"}).what();
  EXPECT_LT(message.size(), 250u);
  EXPECT_NE(message.find("(100000 characters)"), std::string::npos);
}

TEST(NumberText, ReadsBackExactly) {
  for (const double value : {0.1, 8e-5, 1.0 / 3.0, 1e300, 5e-324, -2.5, 3.0, 123456789.0}) {
    EXPECT_EQ(std::strtod(number_text(value).c_str(), nullptr), value) << number_text(value);
  }
  EXPECT_EQ(number_text(3.0), "3");
  EXPECT_EQ(number_text(-0.0), "0");
}

}  // namespace
}  // namespace updraft
