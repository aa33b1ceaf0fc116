#include "updraft/suite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/folder.h"
#include "support/refusal.h"

namespace updraft {
namespace {

using testing::refusal;
using testing::TemporaryFolder;

std::string experiment_toml(std::string_view name, std::string_view policy = "spec = 'ucb'") {
  return fmt::format(
      "name = '{}'\ntitle = 'One of them'\ninstance = 'gaussian'\nrounds = 50\nruns = 2\n"
      "[[policy]]\n{}\nalpha = [1, 2]\n",
      name, policy);
}

class ParseSuite : public ::testing::Test {
 protected:
  Suite parse(const std::string& experiments) const {
    return parse_suite(toml(experiments), path_);
  }

  std::string refused(const std::string& experiments) const {
    return refused_toml(toml(experiments));
  }
  std::string refused_toml(const std::string& text) const {
    return refusal([&] { parse_suite(text, path_); });
  }

  static std::string toml(const std::string& experiments) {
    return fmt::format("name = 'both'\ntitle = 'Two of them'\nexperiments = {}\n", experiments);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("suite.toml");
};

TEST_F(ParseSuite, ReadsShippedExperimentsAndFiles) {
  folder_.write("mine.toml", experiment_toml("mine"));
  const Suite suite = parse("['baseline-bound', 'mine.toml']");
  EXPECT_EQ(suite.name, "both");
  EXPECT_EQ(suite.title, "Two of them");
  ASSERT_EQ(suite.experiments.size(), 2u);
  EXPECT_EQ(suite.experiments[0], load_experiment("baseline-bound"));
  EXPECT_EQ(suite.experiments[1], load_experiment(folder_.path("mine.toml")));
}

TEST_F(ParseSuite, RefusesExperimentsThatAreNotThere) {
  EXPECT_EQ(refused("['gaussian', 'gausian']")
                .rfind(path_ + ":3: experiments[1] = gausian: unknown; did you mean gaussian? "
                               "Valid: gaussian, gaussian-weak, ",
                       0),
            0u)
      << refused("['gaussian', 'gausian']");
  EXPECT_NE(refused("['']").find("no file has that name either"), std::string::npos);
  EXPECT_EQ(refused("['.']"), path_ + ":3: experiments[0] = " + (folder_.path() / ".").string() +
                                  ": is a directory; must be a shipped experiment or a TOML file");
}

TEST_F(ParseSuite, RefusesBrokenExperimentsWithTheirOwnMessage) {
  const std::string mine = folder_.write("mine.toml", experiment_toml("mine", "spec = 'ubc'"));
  EXPECT_EQ(refused("[\n'mine.toml']")
                .rfind(path_ + ":4: experiments[0]: " + mine +
                           ":7: policy[0].spec: policy = ubc: unknown; did you mean ucb?",
                       0),
            0u)
      << refused("[\n'mine.toml']");
}

TEST_F(ParseSuite, RefusesSuitesInside) {
  EXPECT_EQ(refused("['paper']"),
            path_ + ":3: experiments[0] = paper: is a suite; a suite may contain only experiments");
  const std::string inner = folder_.write("inner.toml", toml("['gaussian']"));
  EXPECT_EQ(refused("['gaussian', 'inner.toml']"),
            path_ + ":3: experiments[1] = " + inner +
                ": is a suite; a suite may contain only experiments");
}

TEST_F(ParseSuite, RefusesRepeatedNames) {
  EXPECT_EQ(refused("['gaussian', 'gaussian-weak', 'gaussian']"),
            path_ +
                ":3: experiments[2] = gaussian: has the name gaussian, like experiments[0]; "
                "names must differ");
  folder_.write("other.toml", experiment_toml("gaussian"));
  EXPECT_EQ(refused("['gaussian', 'other.toml']"),
            path_ +
                ":3: experiments[1] = other.toml: has the name gaussian, like experiments[0]; "
                "names must differ");
}

TEST_F(ParseSuite, RefusesOtherKeysAndMissingOnes) {
  EXPECT_EQ(refused_toml(toml("['gaussian']") + "[[policy]]\nspec = 'ucb'\n"),
            path_ + ":4: policy: belongs in an experiment; a suite only names experiments");
  EXPECT_EQ(refused_toml(toml("['gaussian']") + "titel = 'a'\n"),
            path_ + ":4: titel: unknown; did you mean title? Valid: name, title, experiments");
  EXPECT_EQ(refused_toml("name = 'a'\ntitle = 'b'\n"), path_ + ":1: experiments: is missing");
  EXPECT_EQ(refused_toml("name = 'a b'\ntitle = 'b'\nexperiments = ['gaussian']\n"),
            path_ + ":1: name = \"a b\": must be letters, digits, - and _ only");
  EXPECT_EQ(refused("[]"), path_ + ":3: experiments: must have at least one");
  EXPECT_EQ(refused("'gaussian'"),
            path_ + ":3: experiments: must be a list of experiments, not a string");
  EXPECT_EQ(refused("[3]"), path_ + ":3: experiments[0]: must be a string, not a number");
  EXPECT_EQ(refused_toml("name = \n").rfind(path_ + ":1:", 0), 0u);
}

TEST(LoadExperimentOrSuite, TellsThemApart) {
  EXPECT_EQ(std::get<Experiment>(load_experiment_or_suite("gaussian")),
            load_experiment("gaussian"));
  const auto paper = std::get<Suite>(load_experiment_or_suite("paper"));
  ASSERT_EQ(paper.experiments.size(), 7u);
  EXPECT_EQ(paper.experiments[4].name, "misspecified-l");
  EXPECT_EQ(paper.experiments[6].name, "targeting-model");

  const TemporaryFolder folder;
  const std::string path = folder.write(
      "mine.toml", "name = 'mine'\ntitle = 'Mine'\nexperiments = ['baseline-bound']\n");
  EXPECT_EQ(std::get<Suite>(load_experiment_or_suite(path)).name, "mine");
  EXPECT_EQ(refusal([&] { load_experiment(path); }),
            "experiment = " + path + ": is a suite, not a single experiment");
  const std::string unknown = refusal([] { load_experiment_or_suite("papper"); });
  EXPECT_NE(unknown.find("did you mean paper?"), std::string::npos) << unknown;
}

TEST(WithPolicies, KeepsThePartsOfASuiteThatHaveThem) {
  const auto paper = std::get<Suite>(load_experiment_or_suite("paper"));
  const Suite kept = with_policies(paper, {"UCB", "L = 5"});
  ASSERT_EQ(kept.experiments.size(), 4u);
  EXPECT_EQ(kept.experiments[0].policies.size(), 1u);
  EXPECT_EQ(kept.experiments[3].name, "misspecified-l");
  EXPECT_EQ(kept.experiments[3].policies[0].label, "L = 5");
  const std::string unknown = refusal([&] { with_policies(paper, {"ucb", "L = 55"}); });
  EXPECT_EQ(unknown.rfind("policy of paper = L = 55: unknown; did you mean L = 5? Valid: UCB, ", 0),
            0u)
      << unknown;
}

// Folders.

Suite tiny_suite() {
  Suite suite{.name = "tiny", .title = "Tiny ones", .experiments = {}};
  for (const char* name : {"one", "two"}) {
    suite.experiments.push_back(parse_experiment(experiment_toml(name), "mine.toml"));
  }
  return suite;
}

TEST(SuiteFolder, HoldsTheResultsOfItsExperiments) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "results";
  const Suite suite = tiny_suite();
  EXPECT_FALSE(is_suite_folder(path));
  claim_suite_folder(suite, path);
  EXPECT_TRUE(is_suite_folder(path));
  run_experiment(suite.experiments[0], {.folder = path / "one"});
  EXPECT_EQ(refusal([&] { read_suite_results(path); }),
            (path / "two").string() + ": is not a results folder: it has no manifest.json");
  run_experiment(suite.experiments[1], {.folder = path / "two"});
  const SuiteResult result = read_suite_results(path);
  EXPECT_EQ(result.name, "tiny");
  EXPECT_EQ(result.title, "Tiny ones");
  ASSERT_EQ(result.parts.size(), 2u);
  EXPECT_EQ(result.parts[1].experiment, suite.experiments[1]);
}

TEST(SuiteFolder, GoesOnWithMoreOrFewerExperiments) {
  const TemporaryFolder folder;
  Suite suite = tiny_suite();
  claim_suite_folder(suite, folder.path());
  suite.title = "Fewer";
  suite.experiments.pop_back();
  claim_suite_folder(suite, folder.path());
  run_experiment(suite.experiments[0], {.folder = folder.path() / "one"});
  EXPECT_EQ(read_suite_results(folder.path()).title, "Fewer");
}

TEST(SuiteFolder, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  Suite suite = tiny_suite();
  EXPECT_EQ(refusal([&] { read_suite_results(path); }),
            path + ": is not the results folder of a suite: it has no suite.json");
  folder.write("thesis.tex", "precious");
  EXPECT_EQ(refusal([&] { claim_suite_folder(suite, path); }),
            path +
                ": is neither a results folder nor empty (it contains thesis.tex); give another "
                "folder with --out");
  std::filesystem::remove(folder.path() / "thesis.tex");
  claim_suite_folder(suite, path);
  suite.name = "other";
  EXPECT_EQ(refusal([&] { claim_suite_folder(suite, path); }),
            path +
                ": contains results of another suite: tiny there and other here; give another "
                "folder with --out, or remove this one");
  folder.write("suite.json", "{\"format\": 3");
  EXPECT_NE(refusal([&] { read_suite_results(path); }).find("does not describe a suite"),
            std::string::npos);
  EXPECT_THROW(claim_suite_folder(suite, "/dev/null/a"), std::runtime_error);
}

}  // namespace
}  // namespace updraft
