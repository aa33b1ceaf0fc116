#include "service/requests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "service/request_fields.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;

CampaignDefinition spring() {
  return parse_definition(R"({"name": "spring", "policy": "up_ts", "actions": ["news", "discount"],
      "variables": ["coffee", "tea", "bread", "caf\u00e9"], "knowledge": {"affected": [[0, 1], [2]]}})");
}

CampaignDefinition numbered() {
  return parse_definition(
      R"json({"name": "n", "policy": "ucb(alpha=1)", "actions": 2, "variables": 4})json");
}

CampaignDefinition targeted(const std::string& policy = "c2_up_ucb(beta=2)") {
  return parse_definition(
      R"({"name": "t", "treatments": 1, "budget": 2, "features": 3, "policy": ")" + policy + "\"}");
}

PayoffPart sparse(std::vector<VariableId> ids, std::vector<double> values) {
  return {"", true, false, std::move(ids), std::move(values)};
}

std::string refused_decision(const std::string& body, const CampaignDefinition& campaign) {
  return refusal([&] { parse_decision(body, campaign); });
}

std::string refused_payoffs(const std::string& body, const CampaignDefinition& campaign) {
  return refusal([&] { parse_payoffs(body, campaign); });
}

// Fields.

TEST(RequestFields, PlainAndOtherBodiesHaveTheSameFields) {
  // An escape in a key of its own sends the whole body through the document.
  const std::string members =
      R"("l": [1, -2.5, 1e3, 1E+2, 25e-1, 0, 0.1, 18446744073709551616, 1e-400, 2.2250738585072011e-308],
         "e": [], "r": [[1, 2], [], [3]], "o": {"a": 1, "b": 0.30000000000000004}, "n": {},
         "s": "text", "t": true, "f" :false)";
  const RequestFields plain = read_request_fields("{" + members + "}");
  RequestFields other = read_request_fields("{" + members + R"(, "\u0078": 1})");
  ASSERT_EQ(other.erase("x"), 1u);
  ASSERT_EQ(plain.size(), other.size());
  const auto list = [](const RequestFields& fields) {
    return std::get<std::vector<double>>(fields.at("l"));
  };
  EXPECT_EQ(list(plain), list(other));
  EXPECT_EQ(std::get<NumberRows>(plain.at("r")).numbers,
            std::get<NumberRows>(other.at("r")).numbers);
  EXPECT_EQ(std::get<NumberRows>(plain.at("r")).ends, (std::vector<std::size_t>{2, 2, 3}));
  EXPECT_EQ(std::get<NumberRows>(other.at("r")).ends, (std::vector<std::size_t>{2, 2, 3}));
  for (const char* key : {"o", "n"}) {
    EXPECT_EQ(std::get<NamedNumbers>(plain.at(key)), std::get<NamedNumbers>(other.at(key)));
  }
  for (const char* key : {"s", "t", "f"}) {
    EXPECT_EQ(std::get<nlohmann::json>(plain.at(key)), std::get<nlohmann::json>(other.at(key)));
  }
}

TEST(RequestFields, NumbersAreTheNearestDoubles) {
  std::mt19937_64 random(7);
  std::vector<std::string> texts = {"0",
                                    "0.1",
                                    "123456789012345",
                                    "1234567890123456",
                                    "0.000000000000001",
                                    "9007199254740993",
                                    "0.3333333333333333",
                                    "99999999999999.9",
                                    "1e5",
                                    "-2.5E-3",
                                    "18446744073709551617",
                                    "-0.5"};
  for (int i = 0; i < 20'000; ++i) {
    std::string digits = std::to_string(random() >> (random() % 60));
    if (random() % 2 == 0) digits = "-" + digits;
    if (random() % 4 != 0) digits += "." + std::to_string(random() >> (random() % 60));
    if (random() % 8 == 0) digits += "e" + std::to_string(static_cast<int>(random() % 20) - 10);
    texts.push_back(digits);
  }
  std::string body = "{\"values\": [";
  for (const std::string& text : texts) body += text + ",";
  body.back() = ']';
  const RequestFields fields = read_request_fields(body + "}");
  const auto& values = std::get<std::vector<double>>(fields.at("values"));
  ASSERT_EQ(values.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(values[i], std::strtod(texts[i].c_str(), nullptr)) << texts[i];
  }
}

TEST(RequestFields, ThereIsNoNegativeZero) {
  for (const char* body : {R"({"l": [-0, -0.0]})", R"({"l": [-0, -0.0], "\u0078": 1})"}) {
    const RequestFields fields = read_request_fields(body);
    for (const double value : std::get<std::vector<double>>(fields.at("l"))) {
      EXPECT_FALSE(std::signbit(value));
    }
  }
}

TEST(RequestFields, RefusesWhatIsNotJson) {
  for (const char* list : {"01", "1.", ".5", "+1", "-", "1e", "1e+", "0x1", "inf", "nan", "NaN",
                           "1 2", "1,", ",1", "1e999", "-1e999", "[1],2", "\"", "1]"}) {
    const std::string body = std::string(R"({"l": [)") + list + "]}";
    if (std::string(list) == "[1],2") {
      EXPECT_EQ(read_request_fields(body).count("l"), 1u) << "JSON, but no list of rows";
    } else {
      EXPECT_NE(refusal([&] { read_request_fields(body); }), "(accepted)") << list;
    }
  }
  for (const char* body : {"", "{", "{}}", "[]", "{\"a\":true", "{\"a\":truely}", "{\"a\"}", "1",
                           "{\"a\": \"\x01\"}", "{\"a\": \"\xff\"}", "{\"a\": 1, \"a\": 2}",
                           "{\"a\": [], \"a\": []}", "{,}", "{\"a\": [],}"}) {
    EXPECT_NE(refusal([&] { read_request_fields(body); }), "(accepted)") << body;
  }
}

// Decisions.

TEST(ParseDecision, TakesAnIdOrNone) {
  EXPECT_EQ(parse_decision("{}", spring()).id, "");
  EXPECT_EQ(parse_decision(R"({"decision": "my-id:7"})", spring()).id, "my-id:7");
}

TEST(ParseDecision, RefusesIdsAndOtherFields) {
  EXPECT_EQ(refused_decision(R"({"decision": ""})", spring()),
            "decision = \"\": must be 1 to 200 of A-Z a-z 0-9 . _ : -");
  EXPECT_EQ(refused_decision(R"({"decision": 7})", spring()),
            "decision: must be a string, not a number");
  EXPECT_EQ(refused_decision(R"({"decision": [7]})", spring()),
            "decision: must be a string, not a list");
  EXPECT_EQ(refused_decision(R"({"pool": [[1, 2, 3]]})", spring()),
            "key = pool: unknown; did you mean count? Valid: decision, allowed, count");
  EXPECT_EQ(refused_decision("[]", spring()), "request: must be an object");
  EXPECT_EQ(refused_decision("", spring()).find("line 1, column 1: not JSON"), 0u);
}

TEST(ParseDecision, TakesAPool) {
  const DecisionRequest request = parse_decision(
      R"({"decision": "a", "pool": [[1, 2, 3], [4, 5, 6.5]], "baseline": [0.5, 1]})", targeted());
  EXPECT_EQ(request.features, (std::vector<double>{1, 2, 3, 4, 5, 6.5}));
  EXPECT_EQ(request.baseline, (std::vector<double>{0.5, 1}));
}

TEST(ParseDecision, RefusesPools) {
  const auto refused = [](const std::string& body) { return refused_decision(body, targeted()); };
  EXPECT_EQ(refused("{}"), "pool: is missing; a targeting policy needs a row per individual");
  EXPECT_EQ(refused(R"({"pool": []})"), "pool = 0 rows: must have at least 1");
  EXPECT_EQ(refused(R"({"pool": 3})"), "pool: must be a list with a row per individual");
  EXPECT_EQ(refused(R"({"pool": [1, 2]})"),
            "pool[0]: must be a list of numbers, the features of an individual");
  EXPECT_EQ(refused(R"({"pool": [[1, 2, 3], 4]})"),
            "pool[1]: must be a list of numbers, not a number");
  EXPECT_EQ(refused(R"({"pool": [[1, 2, 3], [4, "x", 6]]})"),
            "pool[1][1]: must be a number, not a string");
  EXPECT_EQ(refused(R"({"pool": [[1, 2, 3], [4, 5]]})"),
            "pool[1] = 2 numbers: must have one for each of the 3 features");
  EXPECT_EQ(refused(R"({"pool": [[1, 2, 3]]})"),
            "pool = 1 rows: must have at least as many as the budget, 2");
  EXPECT_EQ(refused(R"({"pool": [[1, 2, 3], [4, 5, 6]], "baseline": [1]})"),
            "baseline = 1 numbers: must have one for each of the 2 rows of the pool");
  EXPECT_EQ(refused(R"({"pool": [[1, 2, 3], [4, 5, 6]], "baseline": [1, null]})"),
            "baseline[1]: must be a number, not null");
  EXPECT_EQ(refusal([] {
              parse_decision(R"({"pool": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]})", targeted(),
                             RequestLimits{2});
            }),
            "pool = 3 rows: must have at most 2");
  const auto rows_of_work = [](std::uint64_t work) {
    return refusal([&] {
      parse_decision(R"({"pool": [[1, 2, 3], [4, 5, 6]]})", targeted(), {.row_work = work});
    });
  };
  EXPECT_EQ(rows_of_work(2 * 9 * 2), "(accepted)");
  EXPECT_EQ(rows_of_work(2 * 9 * 2 - 1),
            "pool = 2 rows: must have at most 1: each takes 18 multiplications");
}

TEST(ParseDecision, AsksForTheBaselineWhereThePolicyNeedsIt) {
  EXPECT_EQ(refused_decision(R"({"pool": [[1, 2, 3], [4, 5, 6]]})", targeted("greedy_bl")),
            "baseline: is missing; greedy_bl needs one number per row of the pool");
}

// Payoffs.

TEST(ParsePayoffs, TakesDenseOnes) {
  const PayoffPart part = parse_payoffs(R"({"payoffs": [1.0, 0, 2.5, -0]})", spring());
  EXPECT_EQ(part, (PayoffPart{"", true, true, {}, {1, 0, 2.5, 0}}));
}

TEST(ParsePayoffs, TakesNamedOnes) {
  EXPECT_EQ(parse_payoffs(R"({"payoffs": {"tea": 2, "coffee": 1}})", spring()),
            sparse({0, 1}, {1, 2}));
  EXPECT_EQ(parse_payoffs("{\"payoffs\": {\"caf\xc3\xa9\": 2}}", spring()), sparse({3}, {2}));
  EXPECT_EQ(parse_payoffs(R"({"payoffs": {}})", spring()), sparse({}, {}));
}

TEST(ParsePayoffs, TakesIndices) {
  EXPECT_EQ(parse_payoffs(R"({"indices": [3, 0.0, 2], "values": [1, 2, 3]})", numbered()),
            sparse({0, 2, 3}, {2, 3, 1}));
  EXPECT_EQ(parse_payoffs(R"({"indices": [], "values": []})", numbered()), sparse({}, {}));
}

TEST(ParsePayoffs, TakesPartsAndAnEndThatBringsNone) {
  EXPECT_EQ(parse_payoffs(R"({"payoffs": {"tea": 2}, "part": "p", "complete": false})", spring()),
            (PayoffPart{"p", false, false, {1}, {2}}));
  EXPECT_EQ(parse_payoffs("{}", spring()), sparse({}, {}));
  EXPECT_EQ(refused_payoffs(R"({"complete": false})", spring()),
            "payoffs: is missing; only a request that completes the decision may omit it");
  EXPECT_EQ(refused_payoffs(R"({"complete": 1})", spring()), "complete: must be true or false");
  EXPECT_EQ(refused_payoffs(R"({"part": ")" + std::string(201, 'p') + "\"}", spring()),
            "part: has 201 bytes; must have at most 200");
  EXPECT_EQ(refused_payoffs(R"({"part": 1})", spring()), "part: must be a string, not a number");
}

TEST(ParsePayoffs, TakesAnyNumberForAPoolWhoseSizeOnlyTheStateKnows) {
  EXPECT_EQ(parse_payoffs(R"({"payoffs": [1, 2, 3]})", targeted()).values.size(), 3u);
  EXPECT_EQ(parse_payoffs(R"({"indices": [999999], "values": [1]})", targeted()).ids[0], 999999u);
  EXPECT_EQ(refused_payoffs(R"({"indices": [1000000], "values": [1]})", targeted()),
            "indices[0] = 1000000: must be a whole number from 0 to 999999");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": {"x": 1}})", targeted()),
            "payoffs: must be a list: the individuals of a pool have no names");
}

TEST(ParsePayoffs, RefusesDenseOnes) {
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [1, 2, 3]})", spring()),
            "payoffs = 3 numbers: must have one for each of the 4 variables");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [1, 2, "3", 4]})", spring()),
            "payoffs[2]: must be a number, not a string");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [1, 2, null, 4]})", spring()),
            "payoffs[2]: must be a number, not null");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [[1, 2, 3, 4]]})", spring()),
            "payoffs[0]: must be a number, not a list");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [1, 2, 1e91, 4]})", spring()),
            "payoffs[2] = 1e+91: must have an absolute value of at most 1e90");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": "all"})", spring()),
            "payoffs: must be a list of numbers, or an object of numbers by name");
  EXPECT_NE(refused_payoffs(R"({"payoffs": [1, 2, NaN, 4]})", spring()).find("not JSON"),
            std::string::npos);
}

TEST(ParsePayoffs, RefusesNamedOnes) {
  EXPECT_EQ(refused_payoffs(R"({"payoffs": {"tee": 1}})", spring())
                .find("key of payoffs = tee: unknown; did you mean tea? Valid: coffee, tea"),
            0u);
  EXPECT_EQ(refused_payoffs(R"({"payoffs": {"tea": "1"}})", spring()),
            "payoffs.tea: must be a number, not a string");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": {"tea": 1, "tea": 1}})", spring()),
            "key of payoffs = tea: is repeated; variables must be distinct");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": {"tea": -1e91}})", spring()),
            "payoffs.tea = -1e+91: must have an absolute value of at most 1e90");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": {"0": 1}})", numbered()),
            "payoffs: must be a list: the variables of this campaign have no names; or give "
            "indices and values");
}

TEST(ParsePayoffs, RefusesIndices) {
  EXPECT_EQ(refused_payoffs(R"({"indices": [0]})", numbered()),
            "values: is missing; indices need values");
  EXPECT_EQ(refused_payoffs(R"({"values": [0]})", numbered()),
            "indices: is missing; values need indices");
  EXPECT_EQ(refused_payoffs(R"({"indices": [0], "values": [1, 2]})", numbered()),
            "values = 2 numbers: must have one for each of the 1 indices");
  for (const char* index : {"4", "-1", "0.5", "1e300"}) {
    EXPECT_NE(
        refused_payoffs(fmt::format(R"({{"indices": [{}], "values": [1]}})", index), numbered())
            .find("must be a whole number from 0 to 3"),
        std::string::npos)
        << index;
  }
  EXPECT_EQ(refused_payoffs(R"({"indices": [2, 1, 2], "values": [1, 2, 3]})", numbered()),
            "indices = 2: is repeated; variables must be distinct");
  EXPECT_EQ(refused_payoffs(R"({"indices": {"a": 1}, "values": [1]})", numbered()),
            "indices: must be a list of numbers, not an object");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [1, 2, 3, 4], "values": [1]})", numbered()),
            "payoffs: cannot be combined with indices and values");
  EXPECT_EQ(refused_payoffs(R"({"payofs": []})", numbered())
                .find("key = payofs: unknown; did you mean payoffs?"),
            0u);
}

TEST(ParsePayoffs, LogisticModelsTakeSharesOnly) {
  const CampaignDefinition campaign = targeted("c2_up_ucb(beta=2, model=logistic)");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [0, 1, 0.5]})", campaign), "(accepted)");
  EXPECT_EQ(refused_payoffs(R"({"payoffs": [0, 2]})", campaign),
            "payoffs[1] = 2: must be in [0, 1] for a logistic model");
}

// Without a limit, 57 MiB of this took 2.1 GB.
TEST(RequestFields, RefusesManySmallValuesBeforeTheyTakeMemory) {
  const auto repeated = [](const std::string& value, std::size_t count) {
    std::string text = R"({"x": [)" + value;
    for (std::size_t i = 1; i < count; ++i) text += "," + value;
    return text + "]}";
  };
  constexpr std::size_t kMany = 3'000'000;
  for (const char* value : {"[]", "{}", "null", "[1,[]]", "\"\""}) {
    EXPECT_NE(testing::refusal([&] {
                read_request_fields(repeated(value, kMany));
              }).find("has too many small values"),
              std::string::npos)
        << value;
    EXPECT_EQ(read_request_fields(repeated(value, 1000)).size(), 1u) << value;
  }
  std::string names = R"({"payoffs": {"a": 0)";
  for (std::size_t i = 0; i < kMany; ++i) names += R"(,"a":0)";
  EXPECT_NE(testing::refusal([&] { read_request_fields(names + "}}"); }), "(accepted)");
  std::string keys = "{\"a\":0";
  for (std::size_t i = 0; i < kMany; ++i) keys += ",\"" + std::to_string(i) + "\":0";
  EXPECT_NE(testing::refusal([&] { read_request_fields(keys + "}"); }).find("has too many"),
            std::string::npos);
  EXPECT_EQ(read_request_fields(repeated("0", kMany)).size(), 1u) << "numbers are few bytes each";
  EXPECT_EQ(testing::refusal([&] { read_request_fields(repeated("0", kMany), 1000); }),
            "x = 3000000 numbers: must have at most 2097152");
  EXPECT_EQ(read_request_fields(repeated("0", kMany), kMany).size(), 1u);
}

}  // namespace
}  // namespace updraft
