#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "process.h"

namespace updraft::cli_test {

using Arguments = std::vector<std::string>;

/// Three actions on six 0/1 variables: uplifts 1.0, 0.2 and -0.1.
inline constexpr const char* kTiny = R"({
  "format": "updraft-instance/1",
  "name": "tiny",
  "actions": ["mail", "call", "wait"],
  "variables": [{"count": 6, "baseline": 0.3}],
  "effects": [
    {"action": "mail", "variables": [[0, 2]], "mean": 0.8},
    {"action": "call", "variables": [[2, 3]], "mean": 0.5},
    {"action": "wait", "variables": [[3, 4]], "mean": 0.2}
  ],
  "noise": {"kind": "bernoulli"}
})";

void expect_contains(const std::string& text, const std::string& part);

/// The JSON on standard output of a run that must have succeeded.
nlohmann::json parsed(const Outcome& outcome);

/// Exit code 2, nothing on standard output, one line on standard error that has `part`.
void expect_refused(const Arguments& arguments, const std::string& part);

}  // namespace updraft::cli_test
