#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "environments/instance_example.h"
#include "updraft/error.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

constexpr std::size_t kCasesPerSeedFile = 1500;

/// Larger instances are parsed but not built, to keep the test fast.
constexpr std::size_t kMostVariablesBuilt = 1'000'000;

/// std::mt19937_64 is the same everywhere; the library's distributions are not.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : generator_(seed) {}

  std::size_t below(std::size_t bound) { return generator_() % bound; }

  std::string mutated(std::string text) {
    for (std::size_t left = 1 + below(4); left > 0 && !text.empty(); --left) mutate(text);
    return text;
  }

 private:
  void mutate(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << below(8)));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.insert(at, token());
        break;
      case 3:
        text.erase(at, 1 + below(8));
        break;
      case 4:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 5:
        swap_tokens(text);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
    }
  }

  std::string token() {
    static const std::vector<std::string> kTokens = {
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
    return kTokens[below(kTokens.size())];
  }

  /// Swaps two pieces that stand between commas, colons and brackets.
  void swap_tokens(std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> tokens;
    constexpr std::string_view kSeparators = ",:[]{}\n ";
    for (std::size_t begin = text.find_first_not_of(kSeparators); begin != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
      tokens.emplace_back(begin, end - begin);
      begin = text.find_first_not_of(kSeparators, end);
    }
    if (tokens.size() < 2) return;
    auto first = tokens[below(tokens.size())];
    auto second = tokens[below(tokens.size())];
    if (first.first > second.first) std::swap(first, second);
    if (first.first == second.first) return;
    const std::string a = text.substr(first.first, first.second);
    const std::string b = text.substr(second.first, second.second);
    text.replace(second.first, second.second, a);
    text.replace(first.first, first.second, b);
  }

  std::mt19937_64 generator_;
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
    Mutator mutator(seed++);
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
