#include "updraft/policy_spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/refusal.h"
#include "support/rounds.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

using testing::refusal;

std::string message(std::string_view text) {
  return refusal([&] { PolicySpec::parse(text); });
}

TEST(PolicySpec, ParsesAndPrintsCanonically) {
  EXPECT_EQ(PolicySpec::parse("ucb").text(), "ucb");
  EXPECT_EQ(PolicySpec::parse(" up_ucb ( baseline_bound = lcb ,alpha=3.0) ").text(),
            "up_ucb(alpha=3, baseline_bound=lcb)");
  EXPECT_EQ(PolicySpec::parse("ucb(alpha=8e-5)").number("alpha"), 8e-5);
  EXPECT_EQ(PolicySpec::parse("ucb()").text(), "ucb");
  EXPECT_EQ(PolicySpec::parse("up_ucb(baseline_bound=lcb)").word("baseline_bound"), "lcb");
  EXPECT_FALSE(PolicySpec::parse("ucb").number("alpha").has_value());
}

TEST(PolicySpec, ReadsListsOfOneNumberPerAction) {
  const PolicySpec spec = PolicySpec::parse("up_ucb_l( max_affected = [ 3,0 ,12 ], alpha=1)");
  EXPECT_EQ(spec.list("max_affected"), (std::vector<double>{3, 0, 12}));
  EXPECT_FALSE(spec.number("max_affected").has_value());
  EXPECT_EQ(spec.text(), "up_ucb_l(alpha=1, max_affected=[3, 0, 12])");
  EXPECT_FALSE(PolicySpec::parse("up_ucb_l(max_affected=3)").list("max_affected").has_value());
}

TEST(PolicySpec, FallsBackOnTheDefaultsOfTheRegistry) {
  EXPECT_EQ(PolicySpec::parse("up_ts").number_or_default("refit"), 0.02);
  EXPECT_EQ(PolicySpec::parse("up_ts(refit=0.5)").number_or_default("refit"), 0.5);
  EXPECT_EQ(PolicySpec::parse("up_ts").word_or_default("covariance"), "learned");
  EXPECT_EQ(PolicySpec::parse("up_ts(covariance=diagonal)").word_or_default("covariance"),
            "diagonal");
  EXPECT_EQ(PolicySpec::parse("up_ts").number("refit"), std::nullopt);
}

/// A default that is a number or a choice must be one that could be given.
TEST(PolicySpec, DefaultsAreValuesThatCouldBeGiven) {
  std::size_t checked = 0;
  for (const PolicyInfo& info : policies()) {
    for (const ParameterInfo& parameter : info.parameters) {
      const auto& otherwise = parameter.otherwise;
      const bool choice = parameter.kind == ParameterInfo::Kind::kChoice;
      if (!otherwise.number && !choice) continue;
      const std::string value =
          choice ? std::string(otherwise.words) : number_text(*otherwise.number);
      const std::string text = fmt::format("{}({}={})", info.name, parameter.name, value);
      EXPECT_NO_THROW(PolicySpec::parse(text)) << text;
      EXPECT_TRUE(otherwise.text().starts_with(value)) << text;
      ++checked;
    }
  }
  EXPECT_GE(checked, 30u);
}

TEST(PolicySpec, TakesAParameterOverFromAnother) {
  const PolicySpec automatic = PolicySpec::parse("auto(alpha=2, max_affected=[1, 2])");
  const PolicySpec spec = PolicySpec::parse("up_ucb_l(alpha=1)");
  EXPECT_EQ(spec.with_that_of(automatic, "max_affected").text(),
            "up_ucb_l(alpha=1, max_affected=[1, 2])");
  EXPECT_EQ(spec.with_that_of(automatic, "horizon"), spec);
}

TEST(PolicySpec, AliasesStandForTheirPolicy) {
  EXPECT_EQ(PolicySpec::parse("up_ucb_naff(alpha=1)").text(), "up_ucb_l(alpha=1)");
  EXPECT_EQ(PolicySpec::parse("up_ucb_naff_bl(alpha=1)").text(), "up_ucb_l_bl(alpha=1)");
}

TEST(PolicySpec, TextParsesBackToTheSame) {
  for (const char* text : {"ts(sigma2=0.08, prior_mean=-1.5, prior_variance=0)",
                           "up_ucb_l_ilift_bl(delta=0.05, horizon=20000, max_affected=8, "
                           "min_uplift=0.1)",
                           "up_ucb_l(alpha=1, max_affected=[3, 0, 12])"}) {
    const PolicySpec spec = PolicySpec::parse(text);
    EXPECT_EQ(spec.text(), text);
    EXPECT_EQ(PolicySpec::parse(spec.text()), spec);
  }
}

TEST(PolicySpec, RefusesUnknownNames) {
  EXPECT_EQ(message("up_ubc(alpha=3)").substr(0, 54),
            "policy = up_ubc: unknown; did you mean up_ucb? Valid: ");
  EXPECT_EQ(message("ucb(alhpa=3)"),
            "parameter of ucb = alhpa: unknown; did you mean alpha? Valid: alpha, delta, horizon");
  EXPECT_EQ(message("up_ucb(baseline_bound=lbc)"),
            "up_ucb.baseline_bound = lbc: unknown; did you mean lcb? Valid: ucb, lcb");
}

TEST(PolicySpec, RefusesValuesOutOfRange) {
  const std::string counts =
      "must be a whole number >= 1, or a list such as [3, 0, 5] of one >= 0 per action";
  EXPECT_EQ(message("up_ucb(alpha=-1)"), "up_ucb.alpha = -1: must be > 0");
  EXPECT_EQ(message("ucb(alpha=0)"), "ucb.alpha = 0: must be > 0");
  EXPECT_EQ(message("ucb(alpha=nan)"), "ucb.alpha = nan: must be > 0");
  EXPECT_EQ(message("ucb(alpha=inf)"), "ucb.alpha = inf: must be > 0");
  EXPECT_EQ(message("ucb(delta=0)"), "ucb.delta = 0: must be in (0, 1)");
  EXPECT_EQ(message("ucb(delta=1)"), "ucb.delta = 1: must be in (0, 1)");
  EXPECT_EQ(message("ucb(delta=nan)"), "ucb.delta = nan: must be in (0, 1)");
  EXPECT_EQ(message("ucb(horizon=0)"), "ucb.horizon = 0: must be a whole number >= 1");
  EXPECT_EQ(message("up_ucb_l(max_affected=0)"), "up_ucb_l.max_affected = 0: " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=2.5)"), "up_ucb_l.max_affected = 2.5: " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=[2, 2.5])"), "up_ucb_l.max_affected = 2.5: " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=[2, -1])"), "up_ucb_l.max_affected = -1: " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=[nan])"), "up_ucb_l.max_affected = nan: " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=[])"),
            "up_ucb_l.max_affected = \"\": is not a number; " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=[1,, 2])"),
            "up_ucb_l.max_affected = \"\": is not a number; " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=[1, 2)"),
            "up_ucb_l.max_affected = [1, 2: is not a number; " + counts);
  EXPECT_EQ(message("up_ucb_l(max_affected=1])"),
            "up_ucb_l.max_affected = 1]: is not a number; " + counts);
  EXPECT_EQ(message("up_ucb_l(alpha=[1, 2])"),
            "up_ucb_l.alpha = [1, 2]: is not a number; must be > 0");
  EXPECT_EQ(message("up_ucb_ilift(effect_gap=0)"), "up_ucb_ilift.effect_gap = 0: must be > 0");
  EXPECT_EQ(message("ts(prior_variance=-1)"), "ts.prior_variance = -1: must be >= 0");
  EXPECT_EQ(message("ts(prior_mean=inf)"), "ts.prior_mean = inf: must be finite");
}

TEST(PolicySpec, RefusesMalformedText) {
  constexpr std::string_view kShape = ": must look like name(parameter=value, ...)";
  for (const std::string text : {"ucb(alpha=3", "ucb alpha=3)", "ucb(alpha)", "(alpha=3)",
                                 "ucb(alpha=3,)", "ucb(,alpha=3)", "ucb(alpha=3)x"}) {
    const std::string said = message(text);
    EXPECT_NE(said, "(accepted)") << text;
  }
  EXPECT_EQ(message("ucb(alpha)"), "policy = ucb(alpha)" + std::string(kShape));
  EXPECT_EQ(message(""), "policy = \"\"" + std::string(kShape));
  EXPECT_EQ(message("ucb(alpha=x)"), "ucb.alpha = x: is not a number; must be > 0");
  EXPECT_EQ(message("ucb(alpha=)"), "ucb.alpha = \"\": is not a number; must be > 0");
  EXPECT_EQ(message("ucb(alpha=1, alpha=2)"), "ucb.alpha = 2: is given twice");
}

TEST(PolicySpecWith, AddsOneParameterInTheOrderOfTheRegistry) {
  const PolicySpec spec = PolicySpec::parse("up_ucb(baseline_bound=lcb)");
  EXPECT_EQ(spec.with("alpha", 3), PolicySpec::parse("up_ucb(alpha=3, baseline_bound=lcb)"));
  EXPECT_EQ(spec.text(), "up_ucb(baseline_bound=lcb)");
}

TEST(PolicySpecWith, RefusesWhatParseWouldRefuse) {
  const PolicySpec spec = PolicySpec::parse("up_ucb(horizon=10)");
  const auto with = [&](std::string_view parameter, double value) {
    return refusal([&] { spec.with(parameter, value); });
  };
  EXPECT_EQ(with("horizon", 5), "up_ucb.horizon = 5: is given twice");
  EXPECT_EQ(with("alpha", -1), "up_ucb.alpha = -1: must be > 0");
  EXPECT_EQ(with("baseline_bound", 1), "up_ucb.baseline_bound = 1: must be one of ucb, lcb");
  EXPECT_EQ(refusal([] { PolicySpec::parse("up_ucb_l").with("max_affected", 0.5); }),
            "up_ucb_l.max_affected = 0.5: must be a whole number >= 1");
  EXPECT_EQ(with("alhpa", 1).rfind("parameter of up_ucb = alhpa: unknown; did you mean alpha?", 0),
            0u);
}

}  // namespace
}  // namespace updraft
