#include "checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace updraft::cli_test {

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in:\n" << text;
}

nlohmann::json parsed(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

void expect_refused(const Arguments& arguments, const std::string& part) {
  SCOPED_TRACE(fmt::format("updraft {}", fmt::join(arguments, " ")));
  const Outcome outcome = updraft(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("updraft: ", 0), 0u) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  expect_contains(outcome.err, part);
}

}  // namespace updraft::cli_test
