// docs/policies/ says what the registry says, and docs/estimates.md has every policy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "support/rounds.h"
#include "support/source_folder.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

const std::filesystem::path kDocs = testing::source_folder() / "docs";
const std::filesystem::path kPages = kDocs / "policies";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PolicyPages, AgreeWithTheRegistry) {
  for (const PolicyInfo& info : policies()) {
    const std::string page = text_of(kPages / (std::string(info.name) + ".md"));
    const auto expect = [&](const std::string& text) {
      EXPECT_NE(page.find(text), std::string::npos) << info.name << ".md lacks: " << text;
    };
    expect(fmt::format("# {}:", info.name));
    expect(std::string(info.summary));
    expect(fmt::format("```\n{}\n```", info.index));
    expect(std::string(info.reference));
    expect("**Status:** " + std::string(status_name(info.status)));
    expect("**Needs to know:** " + needs_text(info.needs));
    for (const std::string_view alias : info.aliases) {
      expect(fmt::format("`{}`", alias));
    }
    for (const ParameterInfo& parameter : info.parameters) {
      expect(fmt::format("| `{}` | {} | ", parameter.name, parameter_rule(parameter)));
      expect(std::string(parameter.help));
    }
  }
}

TEST(PolicyPages, ThereAreNoOthers) {
  const auto documented = policies();
  for (const auto& entry : std::filesystem::directory_iterator(kPages)) {
    const std::string name = entry.path().stem().string();
    EXPECT_TRUE(std::any_of(documented.begin(), documented.end(), [&](const PolicyInfo& info) {
      return info.name == name;
    })) << name;
  }
}

// A row of a table starts with the names of its policies: "| ucb, ts | ...".
TEST(PolicyPages, EstimatesHasARowForEveryPolicy) {
  const std::string page = text_of(kDocs / "estimates.md");
  for (const PolicyInfo& info : policies()) {
    const std::regex row(fmt::format("\\n\\| ([a-z0-9_]+, )*{}[, ][^|]*\\|", info.name));
    EXPECT_TRUE(std::regex_search(page, row)) << info.name;
  }
}

}  // namespace
}  // namespace updraft
