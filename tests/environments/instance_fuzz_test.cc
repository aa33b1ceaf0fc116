#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "environments/instance_example.h"
#include "support/mutator.h"
#include "updraft/error.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

constexpr std::size_t kCasesPerSeedFile = 1500;

/// Larger instances are parsed but not built, to keep the test fast.
constexpr std::size_t kMostVariablesBuilt = 1'000'000;

const std::vector<std::string> kTokens = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "-",
    "0",
    "1e999",
    "1e308",
    "-1",
    "4294967296",
    "18446744073709551616",
    "0.5",
    "\"mean\":",
    "\"means\":[1]",
    "[[0,1]]",
    "\"kind\"",
    "\"gaussian\"",
    "\"covariance\":\"identity\"",
    "\\u0000",
    "\\ud800",
    "\xEF",
};

std::vector<std::string> seed_files() {
  std::vector<std::string> files = {std::string(testing::kInstanceExample)};
  for (const ShippedInstance& shipped : shipped_instances()) {
    if (shipped.name != "gaussian") files.push_back(format_instance(shipped.make()));
  }
  files.push_back(
      R"({"format":"updraft-instance/1","actions":["a","b"],"variables":[{"count":3,"baseline":0}],
"effects":[{"action":"b","variables":[[0,2]],"means":[1,-2.5]}],"noise":{"kind":"gaussian",
"variance":0.5,"covariance":[[1,0.5,0],[0.5,1,0],[0,0,1]]}})");
  return files;
}

/// A damaged file is read or refused; anything else that comes out fails the test.
TEST(InstanceFuzz, DamagedFilesAreReadOrRefused) {
  std::size_t read = 0;
  std::size_t refused = 0;
  std::uint64_t seed = 1;
  for (const std::string& file : seed_files()) {
    testing::Mutator mutator(seed++, kTokens);
    for (std::size_t i = 0; i < kCasesPerSeedFile; ++i) {
      const std::string text = mutator.mutated(file);
      try {
        const InstanceDefinition definition = parse_instance(text);
        std::size_t variables = 0;
        for (const VariableRun& run : definition.variables) variables += run.count;
        if (variables > kMostVariablesBuilt) continue;
        const Instance instance(definition);
        EXPECT_EQ(parse_instance(format_instance(definition)), definition) << text;
        ++read;
      } catch (const InvalidInput& error) {
        EXPECT_FALSE(error.field().empty()) << text;
        EXPECT_FALSE(error.rule().empty()) << text;
        EXPECT_LT(std::string(error.what()).size(), 2000u) << text;
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace updraft
