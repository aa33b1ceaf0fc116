#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "service/campaign_definition.h"
#include "service/requests.h"
#include "support/mutator.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::size_t kCasesPerSeed = 3000;

const std::vector<std::string> kTokens = {
    "{",           "}",
    "[",           "]",
    ",",           ":",
    "\"",          "null",
    "true",        "false",
    "-",           "0",
    "-0",          "01",
    "1.",          ".5",
    "1e999",       "1e-999",
    "1e90",        "1e308",
    "1e+2",        "-1",
    "4294967296",  "18446744073709551616",
    "\"tea\":",    "\"tea\"",
    "\\u0000",     "\\ud800",
    "\xEF",        "\"complete\":false",
    "\"part\":",   "NaN",
    "Infinity",    "\"indices\":",
    "\"values\":", "\"payoffs\":",
};

/// Checks what a refusal says; nothing where `parse` refuses.
template <typename Parse>
auto parsed(const std::string& text, Parse parse) -> std::optional<decltype(parse(text))> {
  try {
    return parse(text);
  } catch (const InvalidInput& error) {
    EXPECT_FALSE(error.field().empty()) << text;
    EXPECT_FALSE(error.rule().empty()) << text;
    EXPECT_LT(std::string(error.what()).size(), 3000u) << text;
    return std::nullopt;
  }
}

/// The same JSON, with an escape in a key that only the long way through a document reads.
std::string with_escapes(std::string text) {
  const std::pair<std::string, std::string> keys[] = {{"\"payoffs\"", "\"p\\u0061yoffs\""},
                                                      {"\"values\"", "\"v\\u0061lues\""},
                                                      {"\"pool\"", "\"p\\u006fol\""}};
  for (const auto& [from, to] : keys) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

CampaignDefinition spring() {
  return parse_definition(R"({"name": "spring", "policy": "up_ts", "actions": ["news", "discount"],
      "variables": ["coffee", "tea", "bread", "cake"], "knowledge": {"affected": [[0, 1], [2]]}})");
}

CampaignDefinition targeted() {
  return parse_definition(R"json({"name": "t", "policy": "c2_up_ucb(beta=2)", "treatments": 1,
                                  "budget": 1, "features": 2})json");
}

CampaignDefinition contextual() {
  return parse_definition(R"json({"name": "w", "policy": "lin_up_ucb(beta=1)", "actions": 2,
      "features": ["price", "age"], "variables": ["coffee", "tea"],
      "knowledge": {"baseline": [0, 1]}})json");
}

TEST(RequestsFuzz, DamagedPayoffsAreTheSameBothWaysOrRefusedBothWays) {
  const CampaignDefinition campaign = spring();
  const std::vector<std::string> seeds = {
      R"({"payoffs": [1.0, 0, 2.5, -0.25e-3]})", R"({"payoffs": {"coffee": 1.0, "bread": 2.5}})",
      R"({"indices": [0, 2], "values": [1.0, 2.5], "part": "a", "complete": false})"};
  std::size_t read = 0;
  std::uint64_t seed = 1;
  for (const std::string& body : seeds) {
    testing::Mutator mutator(seed++, kTokens);
    for (std::size_t i = 0; i < kCasesPerSeed; ++i) {
      const std::string text = mutator.mutated(body);
      const auto parse = [&](const std::string& given) { return parse_payoffs(given, campaign); };
      const auto one = parsed(text, parse);
      EXPECT_EQ(one, parsed(with_escapes(text), parse)) << text;
      if (one) ++read;
    }
  }
  EXPECT_GT(read, kCasesPerSeed / 50);
}

TEST(RequestsFuzz, DamagedPoolsAreTheSameBothWaysOrRefusedBothWays) {
  const CampaignDefinition campaign = targeted();
  testing::Mutator mutator(1, kTokens);
  std::size_t read = 0;
  for (std::size_t i = 0; i < kCasesPerSeed; ++i) {
    const std::string text =
        mutator.mutated(R"({"decision": "a", "pool": [[0.1, 0.2], [3, 4e1]], "baseline": [1, 2]})");
    const auto parse = [&](const std::string& given) {
      const DecisionRequest request = parse_decision(given, campaign);
      return std::tuple(request.id, request.features, request.baseline);
    };
    const auto one = parsed(text, parse);
    EXPECT_EQ(one, parsed(with_escapes(text), parse)) << text;
    if (one) ++read;
  }
  EXPECT_GT(read, kCasesPerSeed / 50);
}

TEST(RequestsFuzz, DamagedContextsAreTheSameBothWaysOrRefusedBothWays) {
  const CampaignDefinition campaign = contextual();
  testing::Mutator mutator(2, kTokens);
  std::size_t read = 0;
  for (std::size_t i = 0; i < kCasesPerSeed; ++i) {
    const std::string text = mutator.mutated(
        R"({"decision": "a", "context": [[0.1, 0.2], [3, 4e1]], "affected": [[0, 1], [1]]})");
    const auto parse = [&](const std::string& given) {
      const DecisionRequest request = parse_decision(given, campaign);
      return std::tuple(request.id, request.features, request.baseline, request.affected);
    };
    const auto one = parsed(text, parse);
    EXPECT_EQ(one, parsed(with_escapes(text), parse)) << text;
    if (one) ++read;
  }
  EXPECT_GT(read, kCasesPerSeed / 100);  // rows and sets must fit together, so fewer are left
}

TEST(RequestsFuzz, DamagedDefinitionsAreReadOrRefused) {
  const DefinitionLimits limits = {
      .variables = 1000, .actions = 100, .cells = 10'000, .features = 50, .atoms = 50};
  const std::string full = R"({"name": "A", "policy": "auto", "actions": 2, "variables": 3,
      "seed": 7, "wait": 0.5, "lost": "zeros", "knowledge": {"baseline": [1, -0.0, 2.5],
      "affected": [[2, 0], []], "max_affected": 3, "min_uplift": 0.25, "effect_gap": 0.125, "horizon": 1e6,
      "reward_prior": {"mean": -1, "variance": 0},
      "observations": {"counts": [1, 2, 3], "means": [0, 0, 1]}}})";
  std::size_t read = 0;
  std::uint64_t seed = 1;
  for (const std::string& body :
       {spring().canonical, targeted().canonical, contextual().canonical, full}) {
    testing::Mutator mutator(seed++, kTokens);
    for (std::size_t i = 0; i < kCasesPerSeed; ++i) {
      const std::string text = mutator.mutated(body);
      const auto shortest = parsed(text, [&](const std::string& given) {
        return parse_definition(given, limits).canonical;
      });
      if (!shortest) continue;
      EXPECT_EQ(parse_definition(*shortest, limits).canonical, *shortest) << text;
      ++read;
    }
  }
  EXPECT_GT(read, kCasesPerSeed / 50);
}

}  // namespace
}  // namespace updraft
