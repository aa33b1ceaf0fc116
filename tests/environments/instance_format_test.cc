#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "environments/instance_example.h"
#include "support/refusal.h"
#include "support/source_folder.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

using testing::kInstanceExample;
using testing::refusal;

/// The example with the first `from` replaced, which must be there.
std::string with(const std::string& from, const std::string& to) {
  std::string text(kInstanceExample);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}

std::string refused(const std::string& text) {
  return refusal([&] { parse_instance(text); });
}

/// Refused by the parser or, for what needs the whole, by the instance.
std::string refused_noise(const std::string& noise) {
  const std::string text = with(R"({"kind": "bernoulli"})", noise);
  return refusal([&] { const Instance instance(parse_instance(text)); });
}

bool mentions(const std::string& message, const std::string& part) {
  return message.find(part) != message.npos;
}

TEST(InstanceFormat, ParsesTheExampleOfTheDocumentation) {
  const Instance instance(parse_instance(kInstanceExample));
  EXPECT_EQ(instance.name(), "two-emails");
  EXPECT_EQ(instance.definition().summary, "which of two emails brings more visits");
  EXPECT_EQ(instance.definition().action_names, (std::vector<std::string>{"discount", "news"}));
  EXPECT_EQ(instance.variables(), 10u);
  EXPECT_EQ(instance.means(0), (std::vector<double>{.15, .15, .15, .15, .1, .1, .3, .3, .3, .3}));
  EXPECT_EQ(instance.means(1), (std::vector<double>{.1, .1, .1, .1, .1, .2, .35, .3, .3, .25}));
  EXPECT_NEAR(instance.uplifts()[0], 0.2, 1e-15);
  EXPECT_NEAR(instance.uplifts()[1], 0.1, 1e-15);
}

TEST(InstanceFormat, TheDocumentationHasTheExample) {
  std::ifstream page(testing::source_folder() / "docs/formats/instance.md");
  ASSERT_TRUE(page);
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(mentions(text, std::string(kInstanceExample)));
}

TEST(InstanceFormat, NameSummaryAndVarianceMayBeAbsent) {
  const InstanceDefinition definition = parse_instance(
      R"({"format": "updraft-instance/1", "actions": ["a"], "variables": [{"count": 2e0,
          "baseline": -3}], "effects": [], "noise": {"kind": "gaussian",
          "covariance": "identity"}})");
  EXPECT_EQ(definition.name, "");
  EXPECT_EQ(definition.summary, "");
  EXPECT_EQ(definition.variables[0].count, 2u);
  EXPECT_EQ(definition.variables[0].baseline, -3.0);
  EXPECT_EQ(definition.noise, Noise(GaussianNoise{}));
  EXPECT_EQ(definition.effects, std::vector<std::vector<Effect>>(1));
}

TEST(InstanceFormat, ReadsEveryKindOfCovariance) {
  const auto noise = [](const std::string& covariance) {
    const std::string text =
        R"({"format": "updraft-instance/1", "actions": ["a"], "variables": [{"count": 2,
            "baseline": 0}], "effects": [], "noise": {"kind": "gaussian", "variance": 2,
            "covariance": )" +
        covariance + "}}";
    return std::get<GaussianNoise>(parse_instance(text).noise);
  };
  using Covariance = GaussianNoise::Covariance;
  EXPECT_EQ(noise(R"("identity")"), (GaussianNoise{Covariance::kIdentity, 2.0, 0.0, {}, 0}));
  EXPECT_EQ(noise(R"("shared-by-affected")"),
            (GaussianNoise{Covariance::kSharedByAffected, 2.0, 0.0, {}, 0}));
  EXPECT_EQ(noise(R"({"factor": 0.25})"), (GaussianNoise{Covariance::kFactor, 2.0, 0.25, {}, 0}));
  EXPECT_EQ(noise("[[1, 0.5], [0.5, 1]]"),
            (GaussianNoise{Covariance::kMatrix, 2.0, 0.0, {1, 0.5, 0.5, 1}, 0}));
}

TEST(InstanceFormat, ReadsSegments) {
  const Instance instance(parse_instance(
      with(R"("noise")", R"("segments": [[[0, 6]], [[6, 8], [9, 10]], [[8, 9]]], "noise")")));
  ASSERT_TRUE(instance.segments());
  EXPECT_EQ(instance.segments()->groups(), 3u);
  EXPECT_EQ(instance.segments()->group_of(9), 1u);
  EXPECT_EQ(instance.knowledge(10).segments(), instance.segments());
  EXPECT_EQ(instance.knowledge(10, std::nullopt).known(),
            instance.knowledge(10).known().without(Need::kSegments));
  EXPECT_EQ(instance.knowledge(10, Need::kSegments).known(), Needs(Need::kSegments));
  EXPECT_FALSE(Instance(parse_instance(kInstanceExample)).segments());
}

TEST(InstanceFormat, RefusesSegmentsWithoutEveryVariableOnce) {
  const auto refused_segments = [](const std::string& segments) {
    return refused(with(R"("noise")", R"("segments": )" + segments + R"(, "noise")"));
  };
  EXPECT_EQ(refused_segments("[[[0, 6]], [[6, 10]]]"), "(accepted)");
  EXPECT_EQ(refused_segments("[[[0, 6]], [[7, 10]]]"), "segments: variable 6 is in none");
  EXPECT_EQ(refused_segments("[[[0, 6]], [[5, 10]]]"), "segments[1] = 5: is in another one too");
  EXPECT_EQ(refused_segments("[[[0, 10]], []]"), "segments[1]: must have at least one variable");
  EXPECT_EQ(refused_segments("[]"), "segments: must have at least one segment");
  EXPECT_EQ(refused_segments("[3]"), "segments[0]: must be a list of ranges [begin, end]");
  EXPECT_EQ(refused_segments("[[[0, 10, 1]]]"),
            "segments[0][0]: must be a range [begin, end], the end not included");
  EXPECT_EQ(refused_segments("[[[0, 11]]]").find("segments[0]"), 0u);
}

TEST(InstanceFormat, ReadsHeavyTails) {
  const std::string noise = R"({"kind": "gaussian", "covariance": "identity", "tail_degrees": 3})";
  const Instance instance(parse_instance(with(R"({"kind": "bernoulli"})", noise)));
  EXPECT_EQ(std::get<GaussianNoise>(instance.noise()).tail_degrees, 3u);
  EXPECT_NEAR(instance.noise_sd(), std::sqrt(10.0), 1e-12);
  EXPECT_TRUE(std::isinf(instance.variance_proxy()));
  EXPECT_TRUE(std::isinf(instance.reward_variance_proxy()));
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": "identity", "tail_degrees": 2})")
                .find("noise.tail_degrees = 2: must be"),
            0u);
  InstanceDefinition definition = instance.definition();
  std::get<GaussianNoise>(definition.noise).tail_degrees = 2;
  EXPECT_EQ(refusal([&] { const Instance refused(definition); }),
            "noise.tail_degrees = 2: must be at least 3, so that there is a variance");
}

TEST(InstanceFormat, RoundTripsAllShippedInstances) {
  for (const ShippedInstance& shipped : shipped_instances()) {
    const InstanceDefinition definition = shipped.make();
    EXPECT_EQ(parse_instance(format_instance(definition)), definition) << shipped.name;
  }
}

TEST(InstanceFormat, RoundTripsTheExampleAndOddValues) {
  InstanceDefinition definition = parse_instance(kInstanceExample);
  EXPECT_EQ(parse_instance(format_instance(definition)), definition);
  definition.name = "quotes \" and \\ and \n and \xC3\xA9";
  definition.action_names[0] = "{a: [b]}";
  definition.variables = {{10, 0.1 + 0.2}};
  definition.effects[0][0].means = {5e-324};
  GaussianNoise noise{GaussianNoise::Covariance::kMatrix, 1e-9, 0.0, std::vector<double>(100), 0};
  for (std::size_t i = 0; i < 10; ++i) noise.matrix[11 * i] = 1e99 / 3.0;
  definition.noise = noise;
  EXPECT_EQ(parse_instance(format_instance(definition)), definition);
}

TEST(InstanceFormat, WritesOneRunAndOneEffectPerLine) {
  EXPECT_EQ(format_instance(parse_instance(kInstanceExample)), kInstanceExample);
}

TEST(InstanceFormat, WritesOnlyWhatIsValid) {
  InstanceDefinition definition = parse_instance(kInstanceExample);
  definition.effects[1][0].means[0] = std::nan("");
  EXPECT_EQ(refusal([&] { format_instance(definition); }),
            "effects[1][0].means[0] = nan: must be in [0, 1] for Bernoulli payoffs");
  definition = parse_instance(kInstanceExample);
  definition.action_names[1] = "\xFF";
  EXPECT_EQ(refusal([&] { format_instance(definition); }), "actions[1]: must be UTF-8 text");
}

TEST(InstanceFormat, RefusesTextThatIsNotJson) {
  EXPECT_EQ(refused(""),
            "line 1, column 1: not JSON: syntax error while parsing value - unexpected end of "
            "input; expected '[', '{', or a literal");
  EXPECT_TRUE(mentions(refused("{\n  \"format\": tru\n}"), "line 2, column 16: not JSON: "));
  EXPECT_TRUE(mentions(refused(with("\"effects\": [", "\"effects\": [,")),
                       "line 10, column 15: not JSON: syntax error while parsing value"));
  const std::string text(kInstanceExample);
  EXPECT_TRUE(mentions(refused(text.substr(0, text.size() / 2)), "not JSON: "));
  EXPECT_TRUE(mentions(refused(text + "x"), "line 16, column 1: not JSON: "));
  EXPECT_TRUE(mentions(refused(with("two", "\xFF")), "not JSON: "));
  EXPECT_FALSE(mentions(refused(with("two", "\xFF")), "\xFF"));
}

TEST(InstanceFormat, RefusesNumbersThatOverflow) {
  const std::string message = refused(with("0.15", "1e999"));
  EXPECT_TRUE(mentions(message, "line 11, column ")) << message;
  EXPECT_TRUE(mentions(message, "number overflow parsing '1e999'")) << message;
}

TEST(InstanceFormat, RefusesDeepNestingWithoutRecursion) {
  const std::string deep(10'000'000, '[');
  EXPECT_EQ(
      refused(deep),
      "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: is nested too deeply; at most 16 levels");
  const std::string message = refused(with("0.15", std::string(20, '[') + std::string(20, ']')));
  EXPECT_TRUE(mentions(message, "effects[0].mean[0]")) << message;
  EXPECT_TRUE(mentions(message, "is nested too deep")) << message;
}

TEST(InstanceFormat, RefusesRepeatedKeys) {
  EXPECT_EQ(refused(with("\"mean\": 0.15", "\"mean\": 0.15, \"mean\": 0.2")),
            "effects[0].mean: is repeated; keys must be distinct");
  EXPECT_EQ(refused(with("\"noise\":", "\"name\": \"again\", \"noise\":")),
            "name: is repeated; keys must be distinct");
}

TEST(InstanceFormat, RefusesOtherFormats) {
  EXPECT_EQ(refused(with("updraft-instance/1", "updraft-instance/2")),
            "format = \"updraft-instance/2\": must be \"updraft-instance/1\"");
  EXPECT_EQ(refused(with("\"updraft-instance/1\"", "1")), "format: must be a string, not a number");
  EXPECT_EQ(refused("{}"), "format: is missing");
  EXPECT_EQ(refused("[1, 2]"), "instance: must be an object, not a list");
  EXPECT_EQ(refused("null"), "instance: must be an object, not null");
}

TEST(InstanceFormat, RefusesUnknownKeys) {
  EXPECT_EQ(refused(with("\"summary\"", "\"sumary\"")),
            "key = sumary: unknown; did you mean summary? Valid: format, name, summary, actions, "
            "variables, effects, segments, noise, changes");
  EXPECT_EQ(refused(with("\"mean\"", "\"meen\"")),
            "key of effects[0] = meen: unknown; did you mean mean? Valid: action, variables, mean, "
            "means");
  EXPECT_EQ(refused(with("\"count\": 4", "\"number\": 4")),
            "key of variables[1] = number: unknown; did you mean count? Valid: count, baseline");
  EXPECT_EQ(refused_noise(R"({"kind": "bernoulli", "variance": 1})"),
            "key of noise of kind bernoulli = variance: unknown; did you mean kind? Valid: kind");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": {"rho": 1}})"),
            "key of noise.covariance = rho: unknown; did you mean factor? Valid: factor");
  const std::string long_key(100'000, 'k');
  EXPECT_LT(refused(with("\"summary\"", '"' + long_key + '"')).size(), 400u);
}

TEST(InstanceFormat, RefusesMissingKeys) {
  const auto expect_missing = [](const std::string& key, const std::string& line,
                                 const std::string& field) {
    EXPECT_EQ(refused(with(line, "")), field + ": is missing") << key;
  };
  expect_missing("actions", "  \"actions\": [\"discount\", \"news\"],\n", "actions");
  expect_missing("baseline", ", \"baseline\": 0.1", "variables[0].baseline");
  expect_missing("count", "\"count\": 6, ", "variables[0].count");
  expect_missing("action", "\"action\": \"discount\", ", "effects[0].action");
  expect_missing("variables", "\"variables\": [[0, 4]], ", "effects[0].variables");
  expect_missing("noise", ",\n  \"noise\": {\"kind\": \"bernoulli\"}", "noise");
  expect_missing("kind", "\"kind\": \"bernoulli\"", "noise.kind");
  EXPECT_EQ(refused(with(", \"mean\": 0.15", "")), "effects[0]: must have either mean or means");
  EXPECT_EQ(refused(with("\"mean\": 0.15", "\"mean\": 0.15, \"means\": [1]")),
            "effects[0]: must have either mean or means");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian"})"), "noise.covariance: is missing");
}

TEST(InstanceFormat, RefusesWrongTypes) {
  EXPECT_EQ(refused(with("[\"discount\", \"news\"]", "2")),
            "actions: must be a list, not a number");
  EXPECT_EQ(refused(with("\"news\"]", "null]")), "actions[1]: must be a string, not null");
  EXPECT_EQ(refused(with("\"two-emails\"", "{}")), "name: must be a string, not an object");
  EXPECT_EQ(refused(with("{\"count\": 4, \"baseline\": 0.3}", "[4, 0.3]")),
            "variables[1]: must be an object, not a list");
  EXPECT_EQ(refused(with("\"baseline\": 0.1", "\"baseline\": \"0.1\"")),
            "variables[0].baseline: must be a number, not a string");
  EXPECT_EQ(refused(with("[0.2, 0.35, 0.25]", "0.2")),
            "effects[1].means: must be a list of numbers, not a number");
  EXPECT_EQ(refused(with("0.35", "true")),
            "effects[1].means[1]: must be a number, not true or false");
  EXPECT_EQ(refused(with("[[0, 4]]", "[0, 4]")),
            "effects[0].variables[0]: must be a range [begin, end], the end not included");
  EXPECT_EQ(refused(with("[[0, 4]]", "[[0, 4, 8]]")),
            "effects[0].variables[0]: must be a range [begin, end], the end not included");
  EXPECT_EQ(refused_noise("\"bernoulli\""), "noise: must be an object, not a string");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": 1})"),
            "noise.covariance: must be a name, {\"factor\": ...} or a matrix");
}

TEST(InstanceFormat, RefusesCounts) {
  const std::string rule = ": must be a whole number from 1 to 2147483647";
  for (const std::string count : {"-4", "0", "4.5", "2147483648"}) {
    EXPECT_EQ(refused(with("\"count\": 4", "\"count\": " + count)),
              "variables[1].count = " + count + rule);
  }
  EXPECT_EQ(refused(with("\"count\": 4", "\"count\": 99999999999999999999999")),
            "variables[1].count = 1e+23" + rule);
  EXPECT_EQ(refused(with("\"count\": 4", "\"count\": 2147483647")),
            "variables: are 2147483653 in all; must be at most 2147483647");
  EXPECT_EQ(refused(with("\"count\": 4", "\"count\": 2000000000")),
            "variables and effects: have 2000000013 means in all; must have at most 268435456");
  EXPECT_EQ(refused(with("[0, 4]", "[-1, 4]")),
            "effects[0].variables[0][0] = -1: must be a whole number from 0 to 2147483647");
  EXPECT_EQ(
      refused(with("[0, 4]", "[0, 1e10]")),
      "effects[0].variables[0][1] = 10000000000: must be a whole number from 0 to 2147483647");
}

TEST(InstanceFormat, RefusesEffectsByTheirPlaceInTheFile) {
  EXPECT_EQ(refused(with("\"action\": \"news\"", "\"action\": \"gnus\"")),
            "effects[1].action = gnus: unknown; did you mean news? Valid: discount, news");
  EXPECT_EQ(refused(with("0.35", "1.2")),
            "effects[1].means[1] = 1.2: must be in [0, 1] for Bernoulli payoffs");
  EXPECT_EQ(refused(with("0.15", "-1")),
            "effects[0].mean = -1: must be in [0, 1] for Bernoulli payoffs");
  EXPECT_EQ(refused(with("[0.2, 0.35, 0.25]", "[0.2]")),
            "effects[1].means: has 1 numbers; must have one for each of its 3 variables");
  EXPECT_EQ(refused(with("[0, 4]", "[4, 0]")),
            "effects[0].variables = [4, 0]: a range must begin below its end");
  EXPECT_TRUE(mentions(refused(with("[0, 4]", "[0, 4], [3, 5]")), "ranges must not overlap"));
  EXPECT_EQ(refused(with("[[0, 4]]", "[]")),
            "effects[0].variables: must have at least one variable");
  EXPECT_EQ(refused(with("[5, 7]", "[10, 12]")),
            "effects[1].variables = 10: must be below the number of variables, 10");
  EXPECT_EQ(refused(with("\"action\": \"discount\", \"variables\": [[0, 4]]",
                         "\"action\": \"news\", \"variables\": [[6, 8]]")),
            "effects[1].variables = 6: is also in effects[0].variables, which belongs to the same "
            "action");
  EXPECT_EQ(refused(with("\"news\"]", "\"discount\"]")),
            "actions[1] = discount: is repeated; names must be distinct");
}

TEST(InstanceFormat, DoesNotListHundredsOfActions) {
  std::string names;
  for (int a = 0; a < 101; ++a) names += "\"action-" + std::to_string(a) + "\", ";
  EXPECT_EQ(refused(with("[\"discount\", \"news\"]", "[" + names + "\"last\"]")),
            "effects[0].action = discount: must be one of the names in actions");
}

TEST(InstanceFormat, RefusesNoise) {
  EXPECT_EQ(refused_noise(R"({"kind": "normal"})"),
            "noise.kind = normal: unknown; did you mean bernoulli? Valid: bernoulli, gaussian");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": "shared"})"),
            "noise.covariance = shared: unknown; did you mean identity? Valid: identity, "
            "shared-by-affected");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "variance": 0, "covariance": "identity"})"),
            "noise.variance = 0: must be > 0 and at most 1e100");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": {"factor": 2}})"),
            "noise.covariance.factor = 2: must be in [0, 1]");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": [[1, 0], [1]]})"),
            "noise.covariance[1]: has 1 numbers; must have 2, because there are 2 rows");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": [[1, 0], [0, 1]]})"),
            "noise.covariance: has 4 numbers; must be 10 x 10, because there are 10 variables");
  EXPECT_EQ(refused_noise(R"({"kind": "gaussian", "covariance": [[1, "0"], [0, 1]]})"),
            "noise.covariance[0][1]: must be a number, not a string");
}

}  // namespace
}  // namespace updraft
