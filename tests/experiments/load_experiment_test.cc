#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "support/folder.h"
#include "support/refusal.h"
#include "updraft/experiment.h"
#include "updraft/suite.h"

namespace updraft {
namespace {

using testing::refusal;

// Files.

class LoadExperiment : public ::testing::Test {
 protected:
  /// An experiment file whose instance is `instance`.
  std::string write_experiment(const std::string& instance, std::string_view spec) const {
    return folder_.write(
        "mine.toml", fmt::format("name = 'mine'\ntitle = 'My own'\ninstance = '{}'\nrounds = 100\n"
                                 "runs = 3\n[[policy]]\nspec = '{}'\n",
                                 instance, spec));
  }

  testing::TemporaryFolder folder_;
};

std::string load_refused(const std::string& name) {
  return refusal([&] { load_experiment(name); });
}

constexpr std::string_view kNoEffects =
    R"({"format": "updraft-instance/1", "actions": ["a", "b"], "effects": [],
        "variables": [{"count": 4, "baseline": 0.5}], "noise": {"kind": "bernoulli"}})";

TEST_F(LoadExperiment, TakesAnInstanceFromTheFolderOfTheFile) {
  const std::string instance = folder_.write("shop.json", kNoEffects);
  const std::string path = write_experiment("shop.json", "ucb(alpha=1)");
  EXPECT_EQ(load_experiment(path).instance, instance);
  EXPECT_EQ(load_experiment(write_experiment(instance, "ucb(alpha=1)")).instance, instance);

  folder_.write("criteo", kNoEffects);  // a file that has a shipped name
  const Experiment own = load_experiment(write_experiment("./criteo", "ucb(alpha=1)"));
  EXPECT_EQ(load_instance(own.instance)->variables(), 4u);
  EXPECT_EQ(load_experiment(write_experiment("criteo", "ucb(alpha=1)")).instance, "criteo");
}

TEST_F(LoadExperiment, RefusesInstancesThatAreNotThereOrBroken) {
  const std::string path = write_experiment("gausian", "ucb(alpha=1)");
  EXPECT_EQ(
      load_refused(path),
      path +
          ":3: instance = gausian: unknown; did you mean gaussian? Valid: gaussian, "
          "gaussian-weak, criteo, marketing, discounts, movies, hard-affected, hard-reward, "
          "dense, alternating, one-moves-all, identical, heavy-tails, rare, two-actions, "
          "one-variable, steady, seasonal, trend, flip, wear-out, walk; no file has that name "
          "either");
  const std::string broken = folder_.write("broken.json", "{\"format\": \"updraft-instance/0\"}");
  EXPECT_EQ(load_refused(write_experiment("broken.json", "ucb(alpha=1)")),
            path + ":3: instance: " + broken +
                ": format = \"updraft-instance/0\": must be \"updraft-instance/1\"");
  EXPECT_EQ(load_refused(write_experiment(".", "ucb(alpha=1)")),
            path + ":3: instance = " + (folder_.path() / ".").string() +
                ": is a directory; must be a shipped instance or a file");
}

TEST_F(LoadExperiment, RefusesPoliciesThatTheInstanceCannotTellWhatTheyNeed) {
  folder_.write("shop.json", kNoEffects);  // no effects, so no least uplift
  const std::string path = write_experiment("shop.json", "up_ucb_ilift_bl(alpha=1)");
  EXPECT_EQ(
      load_refused(path).rfind(
          path + ":6: policy[0]: up_ucb_ilift_bl: needs to know min_uplift, which is missing", 0),
      0u)
      << load_refused(path);
  EXPECT_EQ(load_refused(write_experiment("shop.json", "up_ucb_ilift_bl(alpha=1, min_uplift=1)")),
            "(accepted)");
  EXPECT_EQ(load_refused(write_experiment("shop.json", "up_ucb_ilift(alpha=1)")),
            path +
                ":6: policy[0]: up_ucb_ilift.effect_gap: must be given: the instance has none, "
                "because nothing is affected, and the theorem needs one");
  EXPECT_EQ(load_refused(write_experiment("shop.json", "up_ucb_ilift(alpha=1, effect_gap=1)")),
            "(accepted)");
}

TEST_F(LoadExperiment, TakesOlderNames) {
  for (const std::string name : {"counterfactual", "model", "synthetic"}) {
    EXPECT_EQ(load_experiment("campaign-" + name).name, "targeting-" + name);
  }
  EXPECT_NE(load_refused("campaign-other").find("experiment = campaign-other: unknown"),
            std::string::npos);
  const std::string path = folder_.write("suite.toml", R"(name = "two"
title = "Two"
experiments = ["campaign-model", "gaussian"])");
  EXPECT_EQ(std::get<Suite>(load_experiment_or_suite(path)).experiments[0].name, "targeting-model");
}

TEST_F(LoadExperiment, RefusesWhatIsNeitherShippedNorAFile) {
  EXPECT_EQ(load_refused("gausian"),
            "experiment = gausian: unknown; did you mean gaussian? Valid: gaussian, gaussian-weak, "
            "criteo, baseline-bound, misspecified-l, tuning-free-gaussian, "
            "tuning-free-gaussian-weak, tuning-free-criteo, tuning-free-marketing, "
            "tuning-free-discounts, tuning-free-movies, told-nothing-gaussian, "
            "told-nothing-gaussian-weak, told-nothing-discounts, told-nothing-marketing-segments, "
            "told-nothing-marketing, told-nothing-movies, told-nothing-criteo-segments, "
            "told-nothing-criteo, told-nothing-dense, told-nothing-alternating, "
            "told-nothing-one-moves-all, told-nothing-identical, told-nothing-heavy-tails, "
            "told-nothing-rare, told-nothing-two-actions, told-nothing-one-variable, "
            "changing-world-steady, changing-world-seasonal, changing-world-trend, "
            "changing-world-flip, changing-world-wear-out, changing-world-walk, "
            "targeting-counterfactual, targeting-model, targeting-synthetic, "
            "hillstrom, hillstrom-spend, contextual-linear, paper, tuning-free, told-nothing, "
            "changing-world; no file has that name either");
  EXPECT_NE(load_refused("").find("no file has that name either"), std::string::npos);
  EXPECT_LT(load_refused(std::string(100'000, 'x')).size(), 1200u);
  EXPECT_EQ(load_refused(folder_.path().string()),
            "experiment = " + folder_.path().string() +
                ": is a directory; must be a shipped experiment or a TOML file");
  const std::string huge = folder_.write("huge.toml", "");
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 32);  // sparse
  EXPECT_EQ(load_refused(huge), huge + ":1: is too large; an experiment file has at most 32 KiB");
}

TEST_F(LoadExperiment, RefusesFilesThatCannotBeRead) {
  const std::string secret = folder_.write("secret.toml", "");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (std::ifstream(secret)) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(load_refused(secret), "experiment = " + secret + ": cannot be read: Permission denied");
}

}  // namespace
}  // namespace updraft
