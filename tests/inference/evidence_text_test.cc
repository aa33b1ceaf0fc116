#include "updraft/evidence_text.h"

#include <gtest/gtest.h>

#include "inference/evidence_json.h"

namespace updraft {
namespace {

const std::vector<std::string> kNames = {"none", "mail"};

TEST(EvidenceText, SaysWhatIsSettledAndWhatItTakes) {
  Settlement about{.settled = true, .best = 1, .at = 812};
  EXPECT_EQ(settled_text(about, kNames),
            "settled: mail is best, error at most 5 %, at whatever time you look; since round 812");
  about.some_paused = true;
  EXPECT_EQ(settled_text(about, kNames).find("settled: mail is best of those not paused, error"),
            0u);
  about.settled = false;
  about.leader = 1;
  EXPECT_EQ(settled_text(about, kNames), "not settled: all other actions than mail are paused");
  about.some_paused = false;
  about.leader.reset();
  EXPECT_EQ(settled_text(about, kNames),
            "not settled: no action leads, or some have no payoffs yet");
  about.leader = 1;
  EXPECT_EQ(settled_text(about, {}).find("not settled: action 1 leads; more than a thousand"), 0u);
  about.more_rounds = 40;
  EXPECT_EQ(settled_text(about, kNames), "not settled: mail leads; about 40 more rounds");
  const std::pair<std::uint64_t, const char*> forecasts[] = {
      {1, "about 1 more round"},       {99, "about 99 more rounds"},
      {104, "about 100 more rounds"},  {105, "about 110 more rounds"},
      {995, "about 1000 more rounds"}, {752'405'575, "about 750000000 more rounds"}};
  for (const auto& [rounds, words] : forecasts) {
    about.more_rounds = rounds;
    EXPECT_EQ(settled_text(about, kNames), std::string("not settled: mail leads; ") + words);
  }
  about.more_rounds = 40;
  about.likely = true;
  EXPECT_EQ(settled_text(about, kNames),
            "not settled: mail leads; about 40 more rounds; its probability of being best is for "
            "one look only");
  about.likely = false;
  about.some_paused = true;  // a paused action may be more likely to be the best
  about.rivals = {{.action = 0}};
  EXPECT_EQ(settled_text(about, kNames),
            "not settled: mail leads those not paused; about 40 more rounds");
  about.disputed = true;
  EXPECT_EQ(settled_text(about, kNames).find("not settled: mail beat all others in round 812"), 0u);
}

TEST(EvidenceText, SaysTheGainAndIfItIsDoubted) {
  Gain gain{.counted = 100, .held_out = 12};
  EXPECT_EQ(gain_text(gain, "none"),
            "gain over control none: not known yet; it needs 10 held out, as many of the policy's, "
            "and some that paid");
  gain.estimate = {1.25, Interval{0.5, 2.0}};
  EXPECT_EQ(gain_text(gain, "none"),
            "gain over control none: 1.25 per round (0.5 to 2, at whatever time you look)");
  gain.by_model = 4.0;
  gain.disagree = true;
  EXPECT_NE(
      gain_text(gain, "none", "person chosen").find("by the policy's model 4; these disagree"),
      std::string::npos);
}

TEST(EvidenceText, NamesTheGuardrailAndTheAction) {
  EvidenceOptions options;
  options.guardrails.push_back({.name = "sales", .tolerance = 0.5});
  const GuardrailAlarm alarm{.action = 1, .at = 30, .change = -2.0, .interval = {-3.0, -1.0}};
  EXPECT_EQ(guardrail_text(alarm, options, kNames),
            "guardrail sales: mail broke it in round 30: changed by -2 (-3 to -1, at whatever time "
            "you look), -0.5 is allowed");
  const auto json = guardrails_json(std::vector<GuardrailAlarm>{alarm}, options, kNames);
  EXPECT_EQ(json[0]["guardrail"], "sales");
  EXPECT_EQ(json[0]["action"], "mail");
  EXPECT_EQ(json[0]["since"], 30);
  EXPECT_EQ(json[0]["text"], guardrail_text(alarm, options, kNames));
}

TEST(EvidenceJson, HasTheSentenceAndTheNumbers) {
  Settlement about{.leader = 1, .more_rounds = 40};
  about.rivals = {{.action = 0, .difference = {1.0, Interval{-0.5, 2.5}}}};
  const auto settled = settled_json(about, kNames);
  EXPECT_EQ(settled["settled"], false);
  EXPECT_FALSE(settled.contains("best"));
  EXPECT_EQ(settled["leader"], "mail");
  EXPECT_EQ(settled["more_rounds"], 40);
  EXPECT_EQ(settled["rivals"][0]["low"], -0.5);
  EXPECT_EQ(settled["text"], settled_text(about, kNames));
  Gain gain{.counted = 100, .held_out = 12, .estimate = {1.25, Interval{0.5, 2.0}}};
  gain.by_sets = {1.0, Interval{0.75, 1.25}};
  const auto json = gain_json(gain, "none");
  EXPECT_EQ(json["gain"], 1.25);
  EXPECT_EQ(json["low"], 0.5);
  EXPECT_EQ(json["by_sets"]["high"], 1.25);
  EXPECT_FALSE(json.contains("by_model"));
  EXPECT_EQ(json["per"], "round");
}

}  // namespace
}  // namespace updraft
