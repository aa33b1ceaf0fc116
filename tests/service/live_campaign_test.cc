// The state of a live campaign: what commands do, and that events and snapshots give it back.

#include "service/live_campaign.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "played_campaign.h"
#include "service/campaign_log.h"
#include "support/refusal.h"
#include "support/rounds.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using testing::conflict;
using testing::refusal;

LiveCampaign made(const std::string& body) {
  return LiveCampaign(std::make_shared<CampaignDefinition>(parse_definition(body)));
}

LiveCampaign shop(const std::string& more = "") {
  return made(R"json({"name": "shop", "policy": "up_ucb(alpha=1)", "actions": 3, "variables": 4,
                      "knowledge": {"affected": [[0, 1], [2], [3]]})json" +
              more + "}");
}

DecisionRequest asked(std::string id) {
  return {.id = std::move(id), .features = {}, .baseline = {}};
}

PayoffPart dense(std::vector<double> values) {
  return {.part = "", .complete = true, .dense = true, .ids = {}, .values = std::move(values)};
}

PayoffPart some(std::string part, bool complete, std::vector<VariableId> ids,
                std::vector<double> values) {
  return {std::move(part), complete, false, std::move(ids), std::move(values)};
}

TEST(LiveCampaign, TheFirstDecisionsOfferEveryActionOnce) {
  LiveCampaign live = shop();
  std::set<ActionId> offered;
  for (int j = 0; j < 3; ++j) {
    const Event event = live.decide({}, 0);
    EXPECT_EQ(event.decision, "d-" + std::to_string(j + 1));
    const LiveDecision* decision = live.find(event.decision);
    ASSERT_NE(decision, nullptr);
    EXPECT_FALSE(decision->decided.index);  // untried
    offered.insert(decision->decided.action);
  }
  EXPECT_EQ(offered.size(), 3u);
  EXPECT_EQ(live.counts().outstanding, 3u);
  EXPECT_EQ(live.version(), 3u);
}

TEST(LiveCampaign, LearnsWhenPayoffsAreComplete) {
  LiveCampaign live = shop();
  live.decide(asked("a"), 0);
  live.pay("a", some("x", false, {1}, {2.0}), 1);
  EXPECT_EQ(live.policy().observations(), 0u);
  EXPECT_EQ(live.find("a")->status, DecisionStatus::kOutstanding);
  live.pay("a", some("y", true, {0, 3}, {1.0, 5.0}), 2);
  EXPECT_EQ(live.find("a")->status, DecisionStatus::kComplete);

  LiveCampaign whole = shop();
  whole.decide(asked("a"), 0);
  whole.pay("a", dense({1.0, 2.0, 0.0, 5.0}), 1);
  EXPECT_EQ(live.policy().explain().actions[0].index, whole.policy().explain().actions[0].index);
  EXPECT_EQ(live.counts().complete, 1u);
  EXPECT_EQ(live.counts().outstanding, 0u);
}

TEST(LiveCampaign, RefusesWhatContradicts) {
  LiveCampaign live = shop();
  live.decide(asked("a"), 0);
  live.decide(asked("b"), 0);
  live.pay("a", some("x", false, {1}, {2.0}), 1);
  EXPECT_EQ(conflict([&] { live.pay("a", some("y", true, {1}, {3.0}), 2); }),
            "part 'x' has brought the payoff of variable 1 already");
  EXPECT_NE(conflict([&] { live.pay("a", dense({1, 2, 3, 4}), 2); }), "(accepted)");
  EXPECT_EQ(refusal([&] {
              live.pay("b", dense({1, 2}), 2);
            }),
            "payoffs = 2 numbers: must be one for each of 4");
  EXPECT_EQ(refusal([&] { live.pay("b", some("", true, {7}, {1.0}), 2); }),
            "indices = 7: must be below 4");
  EXPECT_EQ(refusal([&] { live.pay("b", dense({1, 2, 3, 1e200}), 2); }).substr(0, 7), "payoffs");
  EXPECT_EQ(live.version(), 3u);
  live.pay("b", dense({1, 2, 3, 4}), 2);
  EXPECT_EQ(conflict([&] { live.pay("b", some("z", true, {}, {}), 3); }), "decision b is complete");
  EXPECT_NE(refusal([&] { live.decide(asked("d-7"), 0); }), "(accepted)");
  live.stop(4);
  EXPECT_EQ(conflict([&] { live.decide({}, 5); }), "campaign shop is stopped");
  EXPECT_EQ(conflict([&] { live.stop(5); }), "campaign shop is stopped");
  live.pay("a", some("y", true, {}, {}), 6);
  EXPECT_EQ(live.version(), 6u);
}

TEST(LiveCampaign, CountsAsLostWhatWaitedTooLong) {
  LiveCampaign skip = shop(R"(, "wait": 1)");
  LiveCampaign zeros = shop(R"(, "wait": 1, "lost": "zeros")");
  for (LiveCampaign* live : {&skip, &zeros}) {
    live->decide(asked("a"), 0);
    live->decide(asked("b"), 600);
    EXPECT_FALSE(live->lose(999));
    const auto lost = live->lose(1000);
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->decision, "a");
    EXPECT_FALSE(live->lose(1000));
    EXPECT_EQ(live->find("a")->status, DecisionStatus::kLost);
    EXPECT_EQ(live->counts().lost, 1u);
    EXPECT_EQ(live->counts().outstanding, 1u);
  }
  EXPECT_EQ(skip.policy().observations(), 0u);
  EXPECT_EQ(zeros.policy().observations(), 1u);
  EXPECT_EQ(zeros.policy().pulls(0), 1u);

  skip.pay("a", dense({1, 2, 3, 4}), 5000);  // late, but welcome
  EXPECT_EQ(skip.policy().observations(), 1u);
  EXPECT_EQ(skip.counts().lost, 0u);
  EXPECT_EQ(skip.counts().complete, 1u);
  EXPECT_EQ(conflict([&] {
              zeros.pay("a", dense({1, 2, 3, 4}), 5000);
            }),
            "decision a was lost, and payoffs of 0 were counted");
}

TEST(LiveCampaign, AClockThatWasAheadKeepsNobodyWaiting) {
  LiveCampaign live = shop(R"(, "wait": 1)");
  live.decide(asked("ahead"), 1'000'000);
  live.decide(asked("a"), 0);
  live.decide(asked("b"), 10);
  EXPECT_EQ(live.lose(2000)->decision, "a");
  EXPECT_EQ(live.lose(2000)->decision, "b");
  EXPECT_FALSE(live.lose(2000));
  EXPECT_EQ(live.lose(1'001'000)->decision, "ahead");
}

TEST(LiveCampaign, ForgetsOnlyWhatIsKept) {
  LiveCampaign live = shop();
  live.decide(asked("a"), 0);
  const Event first = live.pay("a", some("x", false, {1}, {2.0}), 1);
  const Event second = live.pay("a", some("y", true, {0}, {2.0}), 2);
  EXPECT_GT(live.waiting_numbers(), 0u);
  live.forget("a", first.number);
  EXPECT_NE(live.find("a"), nullptr);
  live.forget("a", second.number);
  EXPECT_EQ(live.find("a"), nullptr);
  EXPECT_EQ(live.waiting_numbers(), 0u);
}

TEST(LiveCampaign, DecidesForPools) {
  LiveCampaign live =
      made(R"json({"name": "mail", "policy": "c2_up_ucb(beta=1, fill=yes)", "treatments": 2,
                               "budget": 1, "features": 2})json");
  live.decide({.id = "a", .features = {1, 0, 0, 1, 1, 1}, .baseline = {}}, 0);
  const std::vector<Treatment> treated = live.find("a")->decided.treatments;
  ASSERT_EQ(treated.size(), 3u);
  EXPECT_EQ(std::count(treated.begin(), treated.end(), 0u), 2);
  live.pay("a", some("", true, {2}, {1.0}), 1);

  auto policy = testing::make_targeting("c2_up_ucb(beta=1, fill=yes)",
                                        {.features = 2, .treatments = 2, .budget = 1});
  const std::vector<double> rows = {1, 0, 0, 1, 1, 1};
  const Round pool = {.features = rows, .width = 2, .baseline = {}};
  EXPECT_EQ(policy->decide(pool, Stream(1, 0, Purpose::kPolicy)).treatments, treated);
  testing::teach(*policy, pool, treated, std::vector<double>{0.0, 0.0, 1.0});
  live.decide({.id = "b", .features = rows, .baseline = {}}, 2);
  EXPECT_EQ(policy->decide(pool, Stream(1, 0, Purpose::kPolicy)).treatments,
            live.find("b")->decided.treatments);
}

/// Random commands; every event goes into `log`. Some decisions stay without payoffs.
void play(LiveCampaign& live, std::uint32_t seed, int rounds, std::vector<Event>& log) {
  const Stream stream(seed, 0, Purpose::kTest);
  std::vector<std::string> waiting;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> u(8);
    stream.normals(static_cast<std::uint32_t>(round), 0, u);
    const std::int64_t now = 100 * round;
    DecisionRequest request;
    if (round % 3 == 0) request.id = "mine-" + std::to_string(round);
    const bool has_rows = live.definition().shape || live.definition().contexts;
    if (has_rows) request.features = {u[0], u[1], u[2], u[3], u[4], u[5]};
    if (live.definition().contexts && !live.definition().knowledge) {
      request.affected = {VariableSet::from_ids({0}), VariableSet::from_ids({1, 2})};
      if (round % 2 == 0) request.baseline = {u[3], 0.0, 0.5};
    }
    log.push_back(live.decide(request, now));
    waiting.push_back(log.back().decision);
    const std::size_t payers = has_rows ? 3 : 4;
    while (!waiting.empty() && (u[6] > 0.3 || waiting.size() > 5)) {
      const std::string id = waiting[waiting.size() / 2];
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(waiting.size() / 2));
      if (live.find(id) == nullptr) continue;  // lost and forgotten
      if (u[7] > 0.0) {
        log.push_back(live.pay(
            id,
            dense(std::vector<double>(u.begin(), u.begin() + static_cast<std::ptrdiff_t>(payers))),
            now));
      } else {
        log.push_back(live.pay(id, some("1", false, {1}, {u[1]}), now));
        if (round % 4 != 0) log.push_back(live.pay(id, some("2", true, {0, 2}, {u[0], u[2]}), now));
      }
      live.forget(id, log.back().number);
      break;
    }
    while (auto lost = live.lose(now)) {
      log.push_back(*lost);
      live.forget(lost->decision, lost->number);
    }
  }
}

class Replayed : public ::testing::TestWithParam<const char*> {};

TEST_P(Replayed, GivesTheSameStateBitForBit) {
  std::vector<Event> log;
  LiveCampaign live = made(GetParam());
  play(live, 1, 300, log);
  const auto find_lost = [&](const Event& late) {
    std::vector<Event> about;
    for (const Event& event : log) {
      if (event.decision == late.decision) about.push_back(event);
    }
    return decision_from(about, late.number);
  };
  LiveCampaign again = made(GetParam());
  std::string middle;
  for (const Event& event : log) {
    again.replay(event, find_lost);
    if (event.number == log.size() / 2) middle = again.snapshot();
  }
  EXPECT_EQ(again.snapshot(), live.snapshot());

  LiveCampaign tail = made(GetParam());
  tail.restore(middle);
  EXPECT_EQ(tail.snapshot(), middle);
  for (std::size_t j = log.size() / 2; j < log.size(); ++j) tail.replay(log[j], find_lost);
  EXPECT_EQ(tail.snapshot(), live.snapshot());

  LiveCampaign wrong = made(GetParam());
  Event second = log[1];
  EXPECT_THROW(wrong.replay(second, find_lost), std::runtime_error);
  Event first = log[0];
  Decided decided = decode_decided(first.body);
  EXPECT_EQ(decided.revision, live.revision());
  decided.treatments.empty() ? decided.action = 1000 : decided.treatments[0] = 1000;
  first.body = encode(decided);
  EXPECT_THROW(wrong.replay(first, find_lost), InvalidInput);
  EXPECT_EQ(wrong.version(), 0u);
}

// As after a new revision of the algorithm.
TEST_P(Replayed, AppliesDecisionsThatThePolicyWouldNotMake) {
  std::vector<Event> log;
  LiveCampaign live = made(GetParam());
  play(live, 1, 1, log);
  Event first = log[0];
  const Decided policys_own = decode_decided(first.body);
  Decided other = policys_own;
  other.revision = 7;
  if (other.treatments.empty()) {
    other.action = other.action == 0 ? 1 : 0;
  } else {
    other.treatments.assign(other.treatments.size(), 0);
    if (other.treatments == policys_own.treatments) other.treatments.back() = 1;
  }
  first.body = encode(other);

  LiveCampaign again = made(GetParam());
  again.replay(first, {});
  EXPECT_EQ(again.find(first.decision)->decided, other);
  EXPECT_EQ(again.counts().decided, 1u);
  const std::size_t payers = live.definition().shape || live.definition().contexts ? 3 : 4;
  again.pay(first.decision, dense(std::vector<double>(payers, 1.0)), 5);
  if (again.is_plain()) {
    EXPECT_EQ(again.policy().pulls(other.action), 1u);
    EXPECT_EQ(again.policy().decisions(), 1u);
  }

  const std::string before = again.snapshot();
  const Decided redecided = made(GetParam()).decide_again(other);
  EXPECT_EQ(redecided.action, policys_own.action);
  EXPECT_EQ(redecided.treatments, policys_own.treatments);
  EXPECT_EQ(redecided.probability, policys_own.probability);
  again.decide_again(other);
  EXPECT_EQ(again.snapshot(), before);
}

TEST_P(Replayed, RefusesDecisionsOfAnotherKindOfCampaign) {
  std::vector<Event> log;
  LiveCampaign live = made(GetParam());
  play(live, 1, 1, log);
  const bool targeted = live.policy().kind() == PolicyKind::kTargeting;
  Event first = log[0];
  Decided decided = decode_decided(first.body);
  if (targeted) {
    decided.action = 1;
  } else {
    decided.treatments = {1, 0, 0};
  }
  first.body = encode(decided);
  EXPECT_THROW(made(GetParam()).replay(first, {}), std::runtime_error);
  if (!live.is_plain()) return;
  decided.treatments.clear();
  decided.features = {1.0};
  first.body = encode(decided);
  EXPECT_THROW(made(GetParam()).replay(first, {}), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Replayed,
    ::testing::Values(
        R"json({"name": "a", "policy": "up_ucb(alpha=1)", "actions": 3, "variables": 4, "wait": 2,
            "knowledge": {
  "affected" : [ [ 0, 1 ], [2], [3] ]}
})json",
        R"json({"name": "b", "policy": "up_ts", "actions": 3, "variables": 4, "seed": 7, "wait": 2,
            "lost": "zeros", "knowledge": {"affected": [[0, 1], [2], [3]]}})json",
        R"json({"name": "c", "policy": "up_ucb_l(alpha=1)", "actions": 3, "variables": 4,
            "knowledge": {
  "max_affected" : 2
}
})json",
        R"json({"name": "d", "policy": "c2_up_ucb(beta=1)", "treatments": 2, "budget": 1,
            "features": 2, "wait": 1
})json",
        R"json({"name": "e", "policy": "eps_greedy(eps=0.3)", "treatments": 1, "budget": 2,
            "features": 2
})json",
        R"json({"name": "f", "policy": "lin_up_ucb(beta=1)", "actions": 2, "features": 2,
            "wait": 1
})json",
        R"json({"name": "g", "policy": "lin_up_ucb_bl(beta=1)", "actions": 2, "features": 2,
            "variables": 3, "lost": "zeros", "wait": 2,
            "knowledge": {"affected": [[0], [1, 2]], "baseline": [0.5, 0, 1]}
})json",
        R"json({"name": "h", "policy": "lin_up_ucb(beta=1, max_affected=1)", "actions": 2,
            "features": 2
})json"));

TEST(LiveCampaign, DecidesWithTheProbabilityOfThePolicy) {
  LiveCampaign live = made(R"json({"name": "b", "policy": "up_ts", "actions": 3, "variables": 4,
      "seed": 7, "knowledge": {"affected": [[0, 1], [2], [3]]}})json");
  const auto policy = make_policy("up_ts", *live.definition().knowledge);
  const Stream stream(7, 0, Purpose::kPolicy);
  std::set<double> probabilities;
  for (int round = 0; round < 60; ++round) {
    const std::vector<double> next = live.next_probabilities();
    const Event event = live.decide({}, round);
    const Decided decided = decode_decided(event.body);
    const Decision expected = policy->decide(stream);
    ASSERT_EQ(decided.action, expected.action);
    ASSERT_EQ(decided.probability, expected.probability);
    ASSERT_EQ(next[decided.action], expected.probability);
    probabilities.insert(*decided.probability);
    const std::vector<double> y = {0.1 * (round % 7), 0.2 * (round % 5), 0.1 * (round % 3), 0.3};
    live.pay(event.decision, dense(y), round);
    policy->observe(decided.action, Payoffs::dense(y));
  }
  EXPECT_GT(probabilities.size(), 3u);
}

TEST(LiveCampaign, TargetedDecisionsHaveAProbability) {
  const auto probability = [](const std::string& policy) {
    LiveCampaign live = made(R"({"name": "mail", "policy": ")" + policy +
                             R"(", "treatments": 1, "budget": 1, "features": 1})");
    live.decide({.id = "a", .features = {1, 2}, .baseline = {}}, 0);
    return live.find("a")->decided.probability;
  };
  EXPECT_EQ(probability("c2_up_ucb(beta=1)"), 1.0);
  // Without feedback nobody is worth a treatment, so that only exploration treats one of the two:
  // with this seed it does if eps = 0.3.
  EXPECT_NEAR(probability("eps_greedy(eps=0.3)").value(), 0.3 / 2.0, 1e-12);
  EXPECT_NEAR(probability("eps_greedy(eps=1e-9)").value(), 1.0 - 1e-9, 1e-15);
  EXPECT_NEAR(probability("random").value(), 0.5, 1e-12);
}

TEST(EventBodies, OfStoresBeforeVersion4AreRead) {
  Decided old;
  old.action = 2;
  old.index = 0.5;
  StateWriter writer;  // as docs/formats/store.md had it
  writer.u64(2);
  writer.u64(1);
  writer.f64(0.5);
  for (int list = 0; list < 3; ++list) writer.u64(0);
  EXPECT_EQ(decode_decided(writer.bytes()), old);
  EXPECT_EQ(encode(old), writer.bytes());
}

TEST(EventBodies, RefuseProbabilitiesThatCannotBe) {
  Decided decided;
  for (const double probability : {0.0, -0.5, 1.5, std::nan("")}) {
    decided.probability = probability;
    EXPECT_THROW(decode_decided(encode(decided)), InvalidInput) << probability;
  }
  decided.probability = 0.25;
  decided.revision = 3;
  EXPECT_EQ(decode_decided(encode(decided)), decided);
}

TEST(LiveCampaign, RefusesSnapshotsOfOtherPoliciesAndRevisions) {
  LiveCampaign live = shop();
  live.decide(asked("a"), 0);
  const std::string own = live.snapshot();
  EXPECT_TRUE(live.made(own));
  std::string other = own;
  const std::size_t revision = 8 + live.spec().text().size();  // after the length and the text
  ASSERT_EQ(other[revision], 1);
  other[revision] = 2;
  EXPECT_FALSE(live.made(other));
  EXPECT_THROW(shop().restore(other), InvalidInput);
  other = own;
  other[8] = 'U';
  EXPECT_FALSE(live.made(other));
  EXPECT_THROW(shop().restore(other), InvalidInput);
}

TEST(LiveCampaign, RefusesSnapshotsThatAreNone) {
  LiveCampaign live = shop();
  live.decide(asked("a"), 0);
  live.pay("a", some("x", false, {1}, {2.0}), 1);
  const std::string whole = live.snapshot();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    LiveCampaign cut = shop();
    EXPECT_THROW(cut.restore(whole.substr(0, length)), InvalidInput) << length;
  }
}

}  // namespace
}  // namespace updraft
