#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "updraft/explanation.h"
#include "updraft/ids.h"

namespace updraft {

class StateReader;
class StateWriter;

/// Estimates and choices over time: points at events 1, 2, 3, ..., then at every other, every
/// fourth and so on, so that there are never more than a few hundred however many events come. The
/// same events give the same points.
class EstimateHistory {
 public:
  struct Point {
    std::uint64_t event = 0;
    std::int64_t time_ms = 0;
    std::uint64_t decided = 0;                     ///< decisions so far
    std::uint64_t complete = 0;                    ///< of these, those whose payoffs have come
    std::vector<std::uint64_t> chosen = {};        ///< how often each action so far
    std::vector<IntervalEstimate> estimates = {};  ///< of each action
    std::optional<ActionId> reference = {};        ///< the action that estimates are differences to
  };

  static constexpr std::size_t kMostPoints = 256;
  static constexpr std::size_t kMostActions = 1000;

  /// `effort`: about how many numbers it takes to compute the estimates; the more, the farther the
  /// first points are apart. With more than kMostActions actions nothing is kept.
  EstimateHistory(std::size_t actions, std::size_t effort);

  /// Whether add() is to be called after this event.
  bool due(std::uint64_t event) const { return most_points_ > 0 && event % stride_ == 0; }
  void add(Point point);

  bool kept() const { return most_points_ > 0; }
  const std::vector<Point>& points() const { return points_; }

  void write(StateWriter& writer) const;
  void read(StateReader& reader);

 private:
  std::size_t actions_;
  std::size_t most_points_;
  std::uint64_t stride_;
  std::vector<Point> points_;
};

}  // namespace updraft
