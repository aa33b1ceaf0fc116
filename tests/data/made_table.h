#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "updraft/stream.h"

namespace updraft::testing {

/// A table of `rows` customers: features x, y in [0, 1) and colour, a treatment none/mail/call at
/// random, outcome 1 with probability 1 / (1 + exp(1 - 2 x - uplift)), uplift 0, 0.8 or 0.4 y.
inline std::string made_table(std::size_t rows, std::uint64_t seed = 1) {
  static constexpr const char* kTreatments[] = {"none", "mail", "call"};
  static constexpr const char* kColours[] = {"red", "green", "blue"};
  const Stream stream(seed, 0, Purpose::kTest);
  std::string text = "x,y,colour,arm,bought\n";
  for (std::uint32_t i = 0; i < rows; ++i) {
    const double x = stream.uniform(i, 0);
    const double y = stream.uniform(i, 1);
    const auto arm = static_cast<std::size_t>(3.0 * stream.uniform(i, 2));
    const auto colour = static_cast<std::size_t>(3.0 * stream.uniform(i, 3));
    const double uplift = arm == 1 ? 0.8 : arm == 2 ? 0.4 * y : 0.0;
    const double rate = 1.0 / (1.0 + std::exp(1.0 - 2.0 * x - uplift));
    text += fmt::format("{},{},{},{},{}\n", x, y, kColours[colour], kTreatments[arm],
                        stream.uniform(i, 4) < rate ? 1 : 0);
  }
  return text;
}

}  // namespace updraft::testing
