#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/identify_and_pad.h"
#include "updraft/ids.h"

namespace updraft {

/// How often each count occurs among the variables of each baseline level: all that UpUCB-L(bl)
/// needs to know of counts when the known baseline takes few values. Instead of m individual
/// indices there are as many as there are pairs of a level and a count.
/// Memory: 4 bytes per action, level and count up to the largest.
class LevelCounts {
 public:
  /// Baselines with more levels than this are not worth it.
  static constexpr std::size_t kMostLevels = 64;

  /// Tells whether `baseline` has at most kMostLevels levels.
  static bool worthwhile(std::span<const double> baseline);

  LevelCounts(std::size_t actions, std::span<const double> baseline);

  /// Takes over the counts of an action that had none.
  void assign(ActionId action, std::span<const std::uint16_t> counts);

  /// A count grew.
  void raise(ActionId action, VariableId variable, std::uint16_t before, std::uint16_t after) {
    Reached& reached = reached_[action];
    if (after >= reached.room) [[unlikely]]
      grow(action, after);
    std::uint32_t* numbers = reached.numbers.data() + level_of_[variable] * reached.room;
    for (std::size_t count = before + 1u; count <= after; ++count) ++numbers[count];
  }

  /// As padded_index() with this baseline, not only positive indices, and `total` = the sum of the
  /// action's counts. Cost: O(pairs whose interval holds the baseline, and their sorting).
  double padded_index(ActionId action, double total, double pulls, double radius,
                      std::size_t budget) const;

 private:
  struct Level {
    double baseline = 0.0;
    std::size_t variables = 0;
  };
  struct Candidate {
    double index = 0.0;
    std::size_t variables = 0;
  };

  /// [level * room + c]: variables of the level whose count is at least c, for 0 < c < room.
  struct Reached {
    std::size_t room = 0;
    std::vector<std::uint32_t> numbers;
  };

  void grow(ActionId action, std::size_t largest);

  std::vector<Level> levels_;
  std::vector<std::uint8_t> level_of_;  // per variable
  double baseline_total_ = 0.0;
  std::vector<Reached> reached_;               // per action
  mutable std::vector<Candidate> candidates_;  // scratch
};

}  // namespace updraft
