#include <gtest/gtest.h>

#include <string>

#include "support/mutator.h"
#include "updraft/error.h"
#include "updraft/experiment.h"

namespace updraft {
namespace {

/// Damaged experiment files are read or refused with the file's name; anything else that comes out
/// fails the test.
TEST(ExperimentFuzz, DamagedFilesAreReadOrRefused) {
  std::size_t read = 0;
  std::size_t refused = 0;
  std::uint64_t seed = 1;
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    if (shipped.name.ends_with("criteo")) continue;  // its instance is slow to make
    testing::Mutator mutator(
        seed++, {"[", "]", "[[policy]]", "=", "\"", "'''", "{", "}", ".", "-1", "1e999", "nan",
                 "9223372036854775808", "true", "1979-05-27", "\n", "#", "alpha", "\\u0000"});
    for (int i = 0; i < 1000; ++i) {
      const std::string text = mutator.mutated(std::string(shipped.toml));
      try {
        const Experiment experiment = parse_experiment(text, "mine.toml");
        EXPECT_FALSE(experiment.policies.empty()) << text;
        ++read;
      } catch (const InvalidInput& error) {
        EXPECT_EQ(std::string(error.what()).rfind("mine.toml", 0), 0u) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace updraft
