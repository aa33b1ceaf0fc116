#include <gtest/gtest.h>

#include <fmt/format.h>

#include "support/refusal.h"
#include "updraft/instance.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

using testing::refusal;

/// Two actions on ten variables, "news" without effects; `changes` is a list, or nothing.
std::string file(const std::string& changes, const std::string& noise = R"({"kind": "gaussian",
    "covariance": "identity"})") {
  return fmt::format(R"({{"format": "updraft-instance/1", "actions": ["mail", "news"],
      "variables": [{{"count": 10, "baseline": 0.5}}],
      "effects": [{{"action": "mail", "variables": [[0, 4]], "mean": 0.75}}],
      "changes": {}, "noise": {}}})",
                     changes, noise);
}

std::string refused(const std::string& change) {
  return refusal([&] { parse_instance(file("[" + change + "]")); });
}

TEST(ChangesFormat, EveryKindReadsBack) {
  const InstanceDefinition definition = parse_instance(file(R"([
    {"change": "season", "levels": [0, 0.5, -1], "rounds": 3},
    {"change": "season", "variables": [[2, 4], [8, 9]], "levels": [0, 1]},
    {"change": "trend", "from": 5, "to": 10, "by": -0.125},
    {"change": "walk", "step": 0.25, "variables": [[0, 1]]},
    {"change": "walk", "action": "mail", "step": 0.25, "pull": 0.5},
    {"change": "start", "action": "mail", "at": 7},
    {"change": "end", "action": "mail", "at": 4294967295},
    {"change": "flip", "action": "mail", "at": 3},
    {"change": "flip", "action": "mail", "at": 3, "factor": 0.5},
    {"change": "wear-off", "action": "mail", "from": 1, "half_life": 20.5},
    {"change": "wear-off", "action": "mail", "from": 1, "half_life": 20.5, "floor": 0.25}])"));
  ASSERT_EQ(definition.changes.size(), 11u);
  EXPECT_EQ(definition.changes[0].course, (Change::Course{Season{{0.0, 0.5, -1.0}, 3}}));
  EXPECT_EQ(definition.changes[1].variables, VariableSet::from_ids({2, 3, 8}));
  EXPECT_EQ(definition.changes[1].course, (Change::Course{Season{{0.0, 1.0}, 1}}));
  EXPECT_EQ(definition.changes[2].course, (Change::Course{Trend{5, 10, -0.125}}));
  EXPECT_FALSE(definition.changes[3].action);
  EXPECT_EQ(definition.changes[4].action, ActionId{0});
  EXPECT_EQ(definition.changes[4].course, (Change::Course{Walk{0.25, 0.5}}));
  EXPECT_EQ(definition.changes[5].course, (Change::Course{Start{7}}));
  EXPECT_EQ(definition.changes[6].course, (Change::Course{End{4294967295}}));
  EXPECT_EQ(definition.changes[7].course, (Change::Course{Flip{3, -1.0}}));
  EXPECT_EQ(definition.changes[8].course, (Change::Course{Flip{3, 0.5}}));
  EXPECT_EQ(definition.changes[9].course, (Change::Course{WearOff{1, 20.5, 0.0}}));
  EXPECT_EQ(definition.changes[10].course, (Change::Course{WearOff{1, 20.5, 0.25}}));
  EXPECT_EQ(parse_instance(format_instance(definition)), definition);
}

TEST(ChangesFormat, AnEmptyListIsNoChange) {
  const InstanceDefinition definition = parse_instance(file("[]"));
  EXPECT_TRUE(definition.changes.empty());
  EXPECT_EQ(format_instance(definition).find("changes"), std::string::npos);
}

TEST(ChangesFormat, RefusesWhatBreaksARule) {
  EXPECT_EQ(refused("3"), "changes[0]: must be an object, not a number");
  EXPECT_EQ(refused(R"({"at": 3})"), "changes[0].change: is missing");
  EXPECT_EQ(
      refused(R"({"change": "flop", "at": 3})"),
      "changes[0].change = flop: unknown; did you mean flip? Valid: season, trend, walk, start, "
      "end, flip, wear-off");
  EXPECT_EQ(refused(R"({"change": "trend", "from": 5, "to": 5, "by": 1})"),
            "changes[0].to = 5: must be above changes[0].from, 5");
  EXPECT_EQ(refused(R"({"change": "season", "levels": [1]})"),
            "changes[0].levels: has 1 numbers; must have at least two");
  EXPECT_EQ(refused(R"({"change": "season", "levels": [1, 1e60]})"),
            "changes[0].levels[1] = 1e+60: must be finite and at most 1e50 in size");
  EXPECT_EQ(refused(R"({"change": "season", "action": "mail", "levels": [1, 2]})"),
            "changes[0].action: cannot be given with season, which changes the baseline");
  EXPECT_EQ(refused(R"({"change": "walk", "step": 0})"),
            "changes[0].step = 0: must be > 0 and at most 1e50");
  EXPECT_EQ(refused(R"({"change": "walk", "step": 1, "pull": 1})"),
            "changes[0].pull = 1: must be in [0, 1)");
  EXPECT_EQ(refused(R"({"change": "start", "at": 3})"),
            "changes[0].action: must be given with start: the action whose effect changes");
  EXPECT_EQ(refused(R"({"change": "end", "action": "post", "at": 3})"),
            "changes[0].action = post: must be one of the names in actions");
  EXPECT_EQ(refused(R"({"change": "end", "action": "news", "at": 3})"),
            "changes[0].action = news: must be an action that has effects");
  EXPECT_EQ(refused(R"({"change": "end", "action": "mail", "at": 3, "variables": [[0, 1]]})"),
            "changes[0].variables: cannot be given with an action: its effects say which variables "
            "change");
  EXPECT_EQ(refused(R"({"change": "wear-off", "action": "mail", "from": 0, "half_life": 0})"),
            "changes[0].half_life = 0: must be > 0 and at most 1e50");
  EXPECT_EQ(
      refused(R"({"change": "wear-off", "action": "mail", "from": 0, "half_life": 1, "floor": 2})"),
      "changes[0].floor = 2: must be in [0, 1]");
  EXPECT_EQ(refused(R"({"change": "walk", "step": 1, "variables": [[9, 11]]})"),
            "changes[0].variables = 10: must be below the number of variables, 10");
  for (const char* change : {R"({"change": "flip", "action": "mail", "at": -1})",
                             R"({"change": "flip", "action": "mail", "at": 4294967296})",
                             R"({"change": "flip", "action": "mail", "at": 1.5})",
                             R"({"change": "flip", "action": "mail"})",
                             R"({"change": "flip", "action": "mail", "at": 1, "by": 2})"}) {
    EXPECT_NE(refused(change), "(accepted)") << change;
  }
}

TEST(ChangesFormat, RefusesChangesOfZeroOnePayoffs) {
  EXPECT_EQ(
      refusal([] {
        parse_instance(file(R"([{"change": "walk", "step": 1}])", R"({"kind": "bernoulli"})"));
      }),
      "changes: must not be given with noise of kind bernoulli");
}

TEST(ChangesFormat, ADefinitionIsCheckedByTheInstanceToo) {
  InstanceDefinition definition = parse_instance(file("[]"));
  definition.changes = {{.action = 2, .variables = {}, .course = Start{1}}};
  const std::string message = "changes[0].action = 2: must be below the number of actions, 2";
  EXPECT_EQ(refusal([&] { Instance{definition}; }), message);
  EXPECT_EQ(refusal([&] { format_instance(definition); }), message);
}

TEST(ChangesFormat, InstancesThatChangeHaveNoDeltaAndNoBounds) {
  const Instance still(parse_instance(file("[]")));
  EXPECT_GT(still.min_uplift(), 0.0);
  const Instance flips(parse_instance(file(R"([{"change": "flip", "action": "mail", "at": 3}])")));
  EXPECT_TRUE(flips.changes() && flips.effects_change());
  EXPECT_EQ(flips.min_uplift(), 0.0);
  EXPECT_EQ(flips.effect_gap(), 0.0);
  const Instance drifts(parse_instance(file(R"([{"change": "walk", "step": 1}])")));
  EXPECT_TRUE(drifts.changes() && !drifts.effects_change());
  EXPECT_GT(drifts.min_uplift(), 0.0);
  EXPECT_EQ(refusal([&] { BoundInputs::of(drifts, 100.0, 0.05); }),
            "instance: changes with the rounds; the theorems are for means that stay");
}

TEST(ChangesFormat, ChangesHaveSentences) {
  const std::vector<std::string> names = {"mail", "news"};
  const auto text = [&](Change change) { return change_text(change, names); };
  EXPECT_EQ(text({.action = 0, .variables = {}, .course = Flip{370, -0.5}}),
            "the effect of mail is multiplied by -0.5 from round 370 on");
  EXPECT_EQ(text({.action = {}, .variables = {}, .course = Trend{0, 9, 2.0}}),
            "the baseline of all variables changes by +2 from round 0 to round 9");
  EXPECT_EQ(
      text({.action = {}, .variables = VariableSet::from_ids({1}), .course = Season{{1, 0}, 7}}),
      "the baseline of 1 variable has a season of 14 rounds, from +0 to +1");
}

}  // namespace
}  // namespace updraft
