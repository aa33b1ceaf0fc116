// The page of results: that it holds everything, that nothing in it can break out, and that its
// policy allows exactly its own script and style.
#include "web/html_report.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>

#include "../report/made_result.h"
#include "core/files.h"
#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/error.h"
#include "updraft/report.h"
#include "web/assets.h"

namespace updraft {
namespace {

using nlohmann::json;
using testing::add_policy;
using testing::add_targeting_policy;
using testing::always;
using testing::around;
using testing::has;
using testing::made_result;
using testing::made_targeting;

constexpr const char* kManifest = R"({"version": "1", "machine": "made", "seconds": 2.5})";
constexpr const char* kBad = "</script><img src=x onerror=alert(1)>&\u2028\u2029 {{script}}";

ExperimentResult two_policies() {
  ExperimentResult result = made_result({1, 2});
  add_policy(result, "UCB", "ucb", {{1.0, around(900.0, 20.0)}, {3.0, around(800.0, 10.0)}});
  add_policy(result, "UpUCB", "up_ucb", {{1.0, around(90.0, 2.0)}, {2.0, around(120.0, 2.0)}});
  result.experiment.policies[1].paper = 2.0;
  return result;
}

/// What stands between two texts, after `from`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t first = text.find(begin);
  if (first == std::string::npos) return "no " + begin;
  const std::size_t inside = first + begin.size();
  return text.substr(inside, text.find(end, inside) - inside);
}

std::string results_text(const std::string& page) {
  return between(page, R"(<script type="application/json" id="results">)", "</script>");
}

json results_of(const std::string& page) { return json::parse(results_text(page)); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

/// 'sha256-...' as a browser computes it.
std::string hash_of(const std::string& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr);
  unsigned char base64[2 * EVP_MAX_MD_SIZE];
  const int size = EVP_EncodeBlock(base64, digest, static_cast<int>(length));
  return "'sha256-" + std::string(base64, base64 + size) + "'";
}

TEST(HtmlReport, PolicyAllowsItsScriptAndStyleAndNothingElse) {
  const std::string page = html_report(two_policies(), kManifest);
  const std::string policy =
      between(page, R"(<meta http-equiv="Content-Security-Policy" content=")", "\"");
  const std::string script = between(page, "<script>", "</script>");
  const std::string style = between(page, "<style>", "</style>");
  EXPECT_EQ(policy, "default-src 'none'; script-src " + hash_of(script) + "; style-src " +
                        hash_of(style) + "; img-src data:; base-uri 'none'; form-action 'none'");
  EXPECT_GT(script.size(), 1000u);
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<style>"));
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<title>"));
}

TEST(HtmlReport, IsOneFileThatAsksForNothing) {
  const std::string page = html_report(two_policies(), kManifest);
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_EQ(count(page, "<style"), 1u);
  for (const char* other : {"<link", "<img", "<iframe", " src=\"", "@import", "url(http"}) {
    EXPECT_FALSE(has(page, other)) << other;
  }
}

TEST(HtmlReport, TextFromOutsideStaysText) {
  ExperimentResult result = two_policies();
  result.experiment.title = kBad;
  result.experiment.policies[0].label = kBad;
  const std::string manifest = json{{"machine", kBad}}.dump();
  const std::string page = html_report(result, manifest);

  const std::string text = results_text(page);
  for (const char* unsafe : {"<", ">", "&", "\u2028", "\u2029"}) {
    EXPECT_FALSE(has(text, unsafe)) << unsafe;
  }
  const json results = json::parse(text);
  EXPECT_EQ(results["title"], kBad);
  EXPECT_EQ(results["experiments"][0]["policies"][0]["label"], kBad);
  EXPECT_EQ(results["experiments"][0]["manifest"]["machine"], kBad);
  EXPECT_EQ(between(page, "<title>", "</title>"),
            "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;\u2028\u2029 {{script}}");
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(between(page, "<script>", "</script>"), web_asset("report.js"));
}

TEST(HtmlReport, BytesThatAreNotUtf8AreReplaced) {
  ExperimentResult result = two_policies();
  result.experiment.title = "caf\xe9";
  EXPECT_EQ(results_of(html_report(result, kManifest))["title"], "caf\ufffd");
}

TEST(HtmlReport, HasTheSettingAndWhatWasChosen) {
  const ExperimentResult result = two_policies();
  const json data = results_of(html_report(result, kManifest))["experiments"][0];
  EXPECT_EQ(data["title"], "A made result");
  EXPECT_TRUE(has(data["setting"], "Instance gaussian: K = 10 actions, m = 100 variables"));
  EXPECT_TRUE(has(data["setting"], "4 runs of 1,000 rounds each, seed 7"));
  ASSERT_EQ(data["policies"].size(), 2u);
  const json& ucb = data["policies"][0];
  EXPECT_EQ(ucb["label"], "UCB");
  EXPECT_EQ(ucb["parameter"], "alpha");
  EXPECT_EQ(ucb["chosen"], 3.0);
  EXPECT_TRUE(ucb["paper"].is_null());
  EXPECT_EQ(ucb["note"], "at the edge of the grid");
  const Summary& regret = result.best(0).final_regret;
  EXPECT_EQ(ucb["regret"], (json{{"mean", regret.mean},
                                 {"sd", regret.sd},
                                 {"stderr", regret.stderr_},
                                 {"p95", regret.p95}}));
  EXPECT_EQ(data["policies"][1]["paper"], 2.0);
  EXPECT_EQ(data["repeat"], "updraft run FILE --rounds 1000 --runs 4 --seed 7");
  EXPECT_EQ(data["manifest"], json::parse(kManifest));
}

TEST(HtmlReport, HasTheCurvesOfTheChosenValues) {
  const ExperimentResult result = two_policies();
  const json data = results_of(html_report(result, kManifest))["experiments"][0];
  EXPECT_EQ(data["curve_rounds"], (json{500, 1000}));
  ASSERT_EQ(data["measures"].size(), 1u);
  const json& curves = data["measures"][0]["curves"];
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0]["policy"], 0);
  EXPECT_EQ(curves[0]["note"], "alpha = 3");
  for (const std::size_t j : {0, 1}) {
    const Summary& at = result.best(0).curve[j];
    EXPECT_EQ(curves[0]["mean"][j], at.mean);
    EXPECT_EQ(curves[0]["stderr"][j], at.stderr_);
    EXPECT_EQ(curves[0]["p95"][j], at.p95);
  }
}

TEST(HtmlReport, HasTheWholeGrid) {
  ExperimentResult result = two_policies();
  add_policy(result, "UpTS", "up_ts", {{0.0, around(70.0, 3.0)}}, "");
  const json data = results_of(html_report(result, kManifest))["experiments"][0];
  ASSERT_EQ(data["grid"].size(), 3u);
  EXPECT_EQ(data["grid"][1]["values"], (json{1.0, 2.0}));
  for (const std::size_t j : {0, 1}) {
    const Summary& regret = result.points[2 + j].final_regret;
    EXPECT_EQ(data["grid"][1]["mean"][j], regret.mean);
    EXPECT_EQ(data["grid"][1]["stderr"][j], regret.stderr_);
    EXPECT_EQ(data["grid"][1]["p95"][j], regret.p95);
  }
  EXPECT_EQ(data["grid"][2]["values"], json::array());
  EXPECT_EQ(data["grid"][2]["mean"], (json{70.0}));
  EXPECT_TRUE(data["policies"][2]["parameter"].is_null());
  EXPECT_EQ(data["policies"][2]["note"], "nothing to tune");
}

TEST(HtmlReport, HasTheVerdictsOfTheSummary) {
  const ExperimentResult result = two_policies();
  const json verdicts = results_of(html_report(result, kManifest))["experiments"][0]["verdicts"];
  const std::vector<Verdict> judged = judge(result);
  ASSERT_EQ(verdicts.size(), judged.size());
  for (std::size_t j = 0; j < judged.size(); ++j) {
    EXPECT_EQ(verdicts[j]["claim"], judged[j].claim);
    EXPECT_EQ(verdicts[j]["statement"], judged[j].statement);
    EXPECT_EQ(verdicts[j]["outcome"], outcome_name(judged[j].outcome));
    EXPECT_EQ(verdicts[j]["evidence"], judged[j].evidence);
  }
}

TEST(HtmlReport, HasBoundsWhereTheFigureHas) {
  ExperimentResult result = two_policies();
  const auto bounds = [&] {
    return results_of(html_report(result, kManifest))["experiments"][0]["bounds"];
  };
  EXPECT_EQ(bounds(), json::array());
  result.experiment.figure.bounds = true;
  const json lines = bounds();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines[0]["rounds"].size(), lines[0]["values"].size());
  EXPECT_TRUE(has(lines[0]["label"], "bound"));
}

TEST(HtmlReport, TargetingHasThreeMeasuresAndScores) {
  ExperimentResult result = made_targeting();
  add_targeting_policy(result, "C2UpUCB", "c2_up_ucb", 50.0, 0.08);
  add_targeting_policy(result, "at random", "random", 90.0, 0.02);
  const json data = results_of(html_report(result, kManifest))["experiments"][0];
  ASSERT_EQ(data["measures"].size(), 3u);
  EXPECT_EQ(data["measures"][0]["curves"].size(), 1u);  // who learns nothing is in the last alone
  EXPECT_EQ(data["measures"][1]["curves"][0]["mean"][1], 100.0);
  EXPECT_EQ(data["measures"][2]["curves"].size(), 2u);
  EXPECT_EQ(data["policies"][0]["uplift"]["mean"], 0.08);
  EXPECT_EQ(data["policies"][0]["qini"]["mean"], 0.25 * 0.08);
  EXPECT_TRUE(has(data["setting"], "Targeting: 100 individuals per round"));
}

TEST(HtmlReport, HindsightWhereTheFigureIsAgainstTheParameter) {
  ExperimentResult result = two_policies();
  add_policy(result, "UpTS", "up_ts", {{0.0, around(70.0, 3.0)}}, "");
  const auto rows = [&] {
    return results_of(html_report(result, kManifest))["experiments"][0]["hindsight"];
  };
  EXPECT_EQ(rows(), json::array());
  result.experiment.figure.against = FigureStyle::Against::kParameter;
  ASSERT_EQ(rows().size(), 1u);
  EXPECT_EQ(rows()[0]["policy"], 2);
  EXPECT_EQ(rows()[0]["least"]["value"], 1.0);
  EXPECT_EQ(rows()[0]["most"]["value"], 2.0);
}

TEST(HtmlReport, SuiteIsOnePageOfAllParts) {
  SuiteResult suite{.name = "both", .title = "Both of them", .parts = {}};
  for (const char* name : {"one", "two"}) {
    suite.parts.push_back(two_policies());
    suite.parts.back().experiment.name = name;
  }
  const json results = results_of(html_report(suite, {kManifest, R"({"machine": "other"})"}));
  EXPECT_EQ(results["title"], "Both of them");
  EXPECT_EQ(results["suite"]["name"], "both");
  EXPECT_TRUE(has(results["suite"]["repeat"], "updraft run FILE"));
  ASSERT_EQ(results["experiments"].size(), 2u);
  EXPECT_EQ(results["experiments"][1]["name"], "two");
  EXPECT_EQ(results["experiments"][1]["manifest"]["machine"], "other");
  EXPECT_TRUE(results_of(html_report(suite.parts[0], kManifest))["suite"].is_null());
}

TEST(HtmlReport, RefusesWhatHasNothingToShow) {
  EXPECT_THROW(html_report(made_result({}), kManifest), InvalidInput);
  EXPECT_THROW(html_report(two_policies(), "{"), InvalidInput);
  const SuiteResult empty{.name = "none", .title = "None", .parts = {}};
  EXPECT_THROW(html_report(empty, {}), InvalidInput);
  const SuiteResult one{.name = "one", .title = "One", .parts = {two_policies()}};
  EXPECT_THROW(html_report(one, {}), InvalidInput);
}

TEST(HtmlReport, IsWrittenBesideTheManifest) {
  const testing::TemporaryFolder folder;
  folder.write("manifest.json", kManifest);
  write_html_report(two_policies(), folder.path(""));
  EXPECT_EQ(read_file(folder.path("report.html")), html_report(two_policies(), kManifest));
  EXPECT_THROW(write_html_report(two_policies(), folder.path("nowhere")), std::runtime_error);
}

}  // namespace
}  // namespace updraft
