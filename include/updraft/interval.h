#pragma once

namespace updraft {

/// An interval on the line.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  bool operator==(const Interval&) const = default;
};

}  // namespace updraft
