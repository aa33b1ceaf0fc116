#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/folder.h"
#include "support/refusal.h"
#include "support/whole_lines.h"
#include "updraft/decision_log.h"

namespace updraft {
namespace {

std::vector<LoggedRound> rounds_of(const std::string& path, const LogFormat& format) {
  LogReader reader(path, format);
  std::vector<LoggedRound> rounds;
  LoggedRound round;
  while (reader.next(round)) rounds.push_back(round);
  return rounds;
}

class DecisionLogs : public ::testing::Test {
 protected:
  /// Both readings, as evaluation does them.
  std::vector<LoggedRound> read(const std::string& text, const LogFormat& format = {}) {
    const std::string path = folder_.write("log", text);
    summary_ = survey_log(path, format);
    return rounds_of(path, summary_.format);
  }

  /// The refusal, without the folder.
  std::string refused(const std::string& text, const LogFormat& format = {}) {
    std::string message = testing::refusal([&] { read(text, format); });
    const std::string path = folder_.path("log");
    for (std::size_t at; (at = message.find(path)) != message.npos;) {
      message.replace(at, path.size(), "log");
    }
    return message;
  }

  testing::TemporaryFolder folder_;
  LogSummary summary_;
};

constexpr const char* kWide =
    "decision,time,action,probability,tea,cake\n"
    "7,monday,news,0.25,1,2\n"
    "9,tuesday,none,1,3.5,-4e1\n";

constexpr const char* kLong =
    "decision,action,probability,variable,payoff\n"
    "7,news,0.25,tea,1\n"
    "7,news,0.25,cake,2\n"
    "9,none,1,cake,-40\n"
    "9,none,1,tea,3.5\n";

constexpr const char* kWideJson =
    R"({"decision": 7, "action": "news", "probability": 0.25, "payoffs": {"tea": 1, "cake": 2}}
{"decision": 9, "action": "none", "probability": 1, "payoffs": {"cake": -40, "tea": 3.5}}
)";

constexpr const char* kLongJson =
    R"({"decision": 7, "action": "news", "probability": 0.25, "variable": "tea", "payoff": 1}
{"decision": 7, "action": "news", "probability": 0.25, "variable": "cake", "payoff": 2}
{"decision": 9, "action": "none", "probability": 1, "variable": "cake", "payoff": -40}
{"decision": 9, "action": "none", "probability": 1, "variable": "tea", "payoff": 3.5}
)";

TEST_F(DecisionLogs, AllFormsSayTheSame) {
  LogFormat format;
  format.variables = {"tea", "cake"};
  for (const char* text : {kWide, kLong, kWideJson, kLongJson}) {
    const std::vector<LoggedRound> rounds = read(text, format);
    ASSERT_EQ(rounds.size(), 2u) << text;
    EXPECT_EQ(summary_.format.actions, (std::vector<std::string>{"news", "none"}));
    EXPECT_EQ(summary_.format.variables, (std::vector<std::string>{"tea", "cake"}));
    EXPECT_EQ(summary_.rounds, 2u);
    EXPECT_EQ(summary_.pulls, (std::vector<std::uint64_t>{1, 1}));
    EXPECT_EQ(summary_.least_probability, 0.25);
    EXPECT_TRUE(summary_.has_probabilities);
    EXPECT_FALSE(summary_.has_distributions);
    EXPECT_EQ(rounds[0].action, 0u);
    EXPECT_EQ(rounds[0].probability, 0.25);
    EXPECT_TRUE(rounds[0].ids.empty()) << text;
    EXPECT_EQ(rounds[0].values, (std::vector<double>{1, 2})) << text;
    EXPECT_EQ(rounds[1].values, (std::vector<double>{3.5, -40})) << text;
  }
}

TEST_F(DecisionLogs, ReadsLogsOfOthersByTheirColumns) {
  LogFormat format;
  format.columns.action = "arm";
  format.columns.probability = "pscore";
  format.payoff_columns = {"clicks"};
  const auto rounds = read("arm,pscore,age,clicks\n3,0.5,40,1\n10,0.5,50,0\n3,0.5,20,2\n", format);
  ASSERT_EQ(rounds.size(), 3u);
  EXPECT_EQ(summary_.format.actions, (std::vector<std::string>{"3", "10"}));
  EXPECT_EQ(summary_.format.variables, std::vector<std::string>{"clicks"});
  EXPECT_EQ(rounds[2].values, std::vector<double>{2});
}

TEST_F(DecisionLogs, NumbersAreInNumericOrderAndTheirPullsToo) {
  const auto rounds = read("action,10,9\n2,1,2\n1,3,4\n2,5,6\n");
  EXPECT_EQ(summary_.format.actions, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(summary_.format.variables, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(summary_.pulls, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(rounds[0].action, 1u);
  EXPECT_EQ(rounds[0].values, (std::vector<double>{2, 1}));
  EXPECT_FALSE(rounds[0].probability.has_value());
  EXPECT_FALSE(summary_.has_probabilities);
}

TEST_F(DecisionLogs, TheProbabilitiesOfAllActions) {
  const auto csv = read("action,probability.a,probability.b,x\na,0.75,0.25,1\na,1,0,1\n");
  EXPECT_TRUE(summary_.has_distributions);
  EXPECT_EQ(csv[0].distribution, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(csv[0].probability, 0.75);
  const auto json = read(
      R"({"action": "b", "probabilities": {"b": 1}, "payoffs": [4]}
{"action": "a", "probabilities": {"a": 0.5, "b": 0.5}, "payoffs": [5]})");
  EXPECT_EQ(json[0].distribution, (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(json[1].distribution, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(summary_.format.actions, (std::vector<std::string>{"b", "a"}));
}

TEST_F(DecisionLogs, AbsentPayoffsAreRefusedUnlessTheyAreZero) {
  const std::string text = "decision,action,variable,payoff\n1,a,x,1\n1,a,y,2\n2,a,y,3\n";
  EXPECT_EQ(refused(text),
            "log:4: payoff = x: this variable has no payoff; every decision must have all, unless "
            "absent ones paid 0");
  LogFormat format;
  format.absent_is_zero = true;
  const auto rounds = read(text, format);
  EXPECT_EQ(rounds[1].payoffs().kind(), Payoffs::Kind::kSparse);
  EXPECT_EQ(rounds[1].ids, std::vector<VariableId>{1});
  EXPECT_NE(refused("action,x,y\na,1,\n"), "(accepted)");  // an empty field is an absent payoff
  EXPECT_EQ(read("action,x,y\na,1,\n", format)[0].ids, std::vector<VariableId>{0});
}

TEST_F(DecisionLogs, RefusesProbabilitiesOutOfRange) {
  const std::string head = "action,probability,x\na,0.5,1\n";
  for (const char* bad : {"0", "1.0000001", "-0.1", "nan", "inf"}) {
    EXPECT_EQ(refused(head + "a," + bad + ",1\n"),
              std::string("log:3: probability = ") + bad +
                  ": must be > 0 and at most 1: the probability of the action that was taken");
  }
  EXPECT_EQ(refused(head + "a,x,1\n"), "log:3: probability = x: must be a number");
  EXPECT_EQ(refused(head + "a,,1\n"), "(accepted)");  // not known; evaluate() refuses it
  EXPECT_EQ(refused(R"({"action": "a", "probability": 0, "payoffs": [1]})"),
            "log:1: probability = 0: must be > 0 and at most 1: the probability of the action that "
            "was taken");
}

TEST_F(DecisionLogs, RefusesDistributionsThatAreNone) {
  const std::string head = "action,probability,probability.a,probability.b,x\n";
  EXPECT_EQ(refused(head + "a,0.5,0.5,0.6,1\n"),
            "log:2: probability = 1.1: the probabilities of all actions must add up to 1");
  EXPECT_EQ(refused(head + "a,0.5,0.4,0.6,1\n"),
            "log:2: probability = 0.5: must be that of the action taken among the probabilities of "
            "all actions, 0.4");
  EXPECT_EQ(refused(head + "b,0.5,1,0,1\n"),
            "log:2: probability = 0: must be > 0 and at most 1: the probability of the action that "
            "was taken");
  EXPECT_EQ(refused(head + "c,0.5,1,0,1\n"), "log:2: action = c: is not one of the actions: a, b");
}

TEST_F(DecisionLogs, RefusesUnknownNames) {
  LogFormat format;
  format.actions = {"news", "discount"};
  EXPECT_EQ(refused(kWide, format),
            "log:3: action = none: is not one of the actions: news, discount");
  format.actions = {};
  format.variables = {"tea"};
  EXPECT_EQ(refused(kLong, format), "log:3: variable = cake: is not one of the variables: tea");
  EXPECT_EQ(refused(kWideJson, format),
            "log:1: payoffs.cake = cake: is not one of the variables: tea");
  format.variables = {"tea", "tea"};
  EXPECT_EQ(refused(kWide, format), "variables = tea: is named twice");
}

TEST_F(DecisionLogs, RefusesADecisionThatComesTwice) {
  const std::string text = "decision,action,x\n5,a,1\n6,a,1\n5,a,1\n";
  EXPECT_EQ(refused(text),
            "log:4: decision = 5: comes twice, or after a larger one; decisions that are numbers "
            "must increase, and rows of one decision follow each other");
  EXPECT_EQ(refused("decision,action,variable,payoff\nq,a,x,1\nr,a,x,1\nq,a,y,1\n"),
            "log:4: decision = q: comes twice; rows of one decision must follow each other");
  EXPECT_EQ(refused("decision,action,x\nq,a,1\nq,a,1\n").substr(0, 32),
            "log:3: decision = q: comes twice");
}

/// Rows of NDJSON choose their form one by one.
TEST_F(DecisionLogs, RefusesADecisionInBothForms) {
  const std::string single = R"({"decision": 1, "action": "a", "variable": "x", "payoff": 1})";
  const std::string next = R"({"decision": 2, "action": "a", "payoffs": {"x": 1}})";
  LogFormat format;
  format.absent_is_zero = true;
  for (const char* payoffs : {"{}", "[]", R"({"y": 2, "z": 3})"}) {
    const std::string other =
        std::string(R"({"decision": 1, "action": "a", "payoffs": )") + payoffs + "}";
    EXPECT_EQ(refused(single + "\n" + other + "\n" + next, format),
              "log:2: decision = 1: comes twice; its other rows are single payoffs");
    EXPECT_EQ(refused(other + "\n" + single + "\n" + next, format).substr(0, 32),
              "log:2: decision = 1: comes twice");
  }
  EXPECT_EQ(read(single + "\n" + next)[1].values, std::vector<double>{1});
}

TEST_F(DecisionLogs, RefusesRowsThatContradictEachOther) {
  const std::string head = "decision,action,probability,variable,payoff\n1,a,0.5,x,1\n";
  EXPECT_EQ(refused(head + "1,a,0.5,x,2\n"), "log:3: variable = x: comes twice in a decision");
  EXPECT_EQ(refused(head + "1,b,0.5,y,2\n"),
            "log:3: action = b: must be that of the decision's other rows");
  EXPECT_EQ(refused(head + "1,a,0.4,y,2\n"),
            "log:3: probability = 0.4: must be that of the decision's other rows");
  EXPECT_NE(refused(R"({"action": "a", "payoffs": {"x": 1, "x": 2}})"), "(accepted)");
}

TEST_F(DecisionLogs, RefusesPayoffsThatAreNoNumbers) {
  EXPECT_EQ(refused("action,x\na,much\n"), "log:2: x = much: must be a number");
  EXPECT_EQ(refused("action,x\na,nan\n"),
            "log:2: x = nan: must be a number of absolute value at most 1e100");
  EXPECT_EQ(refused("action,x\na,1e101\n"),
            "log:2: x = 1e101: must be a number of absolute value at most 1e100");
  EXPECT_EQ(refused(R"({"action": "a", "payoffs": ["1"]})"),
            "log:1: payoffs = \"1\": must be a number");
}

TEST_F(DecisionLogs, RefusesFilesThatAreNoLogs) {
  EXPECT_EQ(refused(""), "log = log: is empty");
  EXPECT_EQ(refused("action,x\n"), "log = log: has no decisions");
  EXPECT_NE(refused("x,y\n1,2\n").find("action"), std::string::npos);
  EXPECT_EQ(refused("action\na\n"), "log:1: must have a column for each variable");
  EXPECT_NE(refused("{\"action\": \"a\"}\n[1]\n"), "(accepted)");
  EXPECT_NE(refused("{\"action\": \"a\", \n"), "(accepted)");
  EXPECT_NE(testing::refusal([&] { survey_log(folder_.path("none")); }).find("no such file"),
            std::string::npos);
}

TEST_F(DecisionLogs, RefusesAMillionColumns) {
  std::string text = "action";
  for (int i = 0; i < 1'000'000; ++i) text += ',' + std::to_string(i);
  EXPECT_EQ(refused(text + "\n"), "log:1: is too long; a row has at most 1048576 bytes");
  std::string many = "decision,action,variable,payoff\n";
  for (std::size_t i = 0; i <= LogFormat::kMostVariables; ++i) {
    many += "1,a," + std::to_string(i) + ",1\n";
  }
  EXPECT_EQ(refused(many),
            "log:250002: variable = 250000: is one variable too many; a log has at most 250000");
}

TEST_F(DecisionLogs, RefusesATruncatedGzip) {
  std::string text = "action,probability,x\n";
  for (int i = 0; i < 20'000; ++i) text += "a,1," + std::to_string(i * 7919 % 10007) + "\n";
  const std::string path = folder_.path("log.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(survey_log(path).rounds, 20'000u);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_EQ(testing::refusal([&] { survey_log(path); }),
            "log = " + path + ": is damaged after line " +
                std::to_string(testing::whole_lines(path)) + ": the gzip data end too soon");
}

}  // namespace
}  // namespace updraft
