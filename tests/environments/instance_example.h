#pragma once

#include <string_view>

namespace updraft::testing {

/// The example of docs/formats/instance.md.
inline constexpr std::string_view kInstanceExample = R"({
  "format": "updraft-instance/1",
  "name": "two-emails",
  "summary": "which of two emails brings more visits",
  "actions": ["discount", "news"],
  "variables": [
    {"count": 6, "baseline": 0.1},
    {"count": 4, "baseline": 0.3}
  ],
  "effects": [
    {"action": "discount", "variables": [[0, 4]], "mean": 0.15},
    {"action": "news", "variables": [[5, 7], [9, 10]], "means": [0.2, 0.35, 0.25]}
  ],
  "noise": {"kind": "bernoulli"}
}
)";

}  // namespace updraft::testing
