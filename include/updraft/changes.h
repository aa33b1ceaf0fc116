#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "updraft/ids.h"
#include "updraft/variable_set.h"

namespace updraft {

// How the means of an instance change with the rounds, which are numbered from 0. What is added is
// added to the mean of every variable concerned; what multiplies an effect multiplies the
// difference to the baseline. docs/formats/instance.md describes the JSON form.

/// Adds levels that take turns: levels[(round / rounds) mod size].
struct Season {
  std::vector<double> levels;
  std::uint32_t rounds = 1;  ///< of one level

  bool operator==(const Season&) const = default;
};

/// Adds nothing until `from`, from then on ever more, and `by` from `to` on.
struct Trend {
  std::uint32_t from = 0;
  std::uint32_t to = 1;
  double by = 0.0;

  bool operator==(const Trend&) const = default;
};

/// Adds w(round): w(0) = 0, w(t) = (1 - pull) w(t - 1) + step z(t) with independent standard normal
/// z(t). The path is a function of seed, run and the place of the change in the instance.
struct Walk {
  double step = 0.0;
  double pull = 0.0;  ///< towards 0, in [0, 1)

  bool operator==(const Walk&) const = default;
};

/// No effect before round `at`.
struct Start {
  std::uint32_t at = 0;

  bool operator==(const Start&) const = default;
};

/// No effect from round `at` on.
struct End {
  std::uint32_t at = 0;

  bool operator==(const End&) const = default;
};

/// Multiplies by `factor` from round `at` on.
struct Flip {
  std::uint32_t at = 0;
  double factor = -1.0;

  bool operator==(const Flip&) const = default;
};

/// Multiplies by floor + (1 - floor) 2^(-(round - from) / half_life) after round `from`.
struct WearOff {
  std::uint32_t from = 0;
  double half_life = 1.0;  ///< in rounds
  double floor = 0.0;      ///< in [0, 1]

  bool operator==(const WearOff&) const = default;
};

/// A change of the baseline (a season, a trend or a walk), or of what an action does: its effect
/// starts, ends, flips or wears off, or the means of all variables in V(a) walk together.
struct Change {
  using Course = std::variant<Season, Trend, Walk, Start, End, Flip, WearOff>;

  std::optional<ActionId> action;  ///< absent: the baseline
  VariableSet variables;           ///< of the baseline; empty: all
  Course course;

  bool operator==(const Change&) const = default;
};

/// "season", "trend", "walk", "start", "end", "flip", "wear-off".
std::string course_name(const Change::Course& course);

/// A sentence for people.
std::string change_text(const Change& change, const std::vector<std::string>& action_names);

}  // namespace updraft
