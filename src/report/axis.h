#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace updraft {

/// A tick of an axis; minor ones have no label.
struct Tick {
  double place = 0.0;
  std::string label;
};

/// Range and ticks of one axis of a figure.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  bool log = false;
  std::vector<Tick> ticks;
};

/// What an axis has to show: the smallest positive and the largest of some values.
struct Extent {
  double low = HUGE_VAL;
  double high = 0.0;

  void add(double value) {
    if (value > 0.0) low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// From 0, or from `low` where that is below, to `high`, with about `most` steps of 1, 2 or 5 times
/// a power of ten.
Axis linear_axis(double high, int most, double low = 0.0);

/// From `low` to `high`, both > 0: powers of ten are labelled; 2 and 5 times them too where there
/// are fewer than three, and 3 and 7 times them on an axis of about one decade.
Axis log_axis(double low, double high);

/// A log axis with some room around the extent; from 1 to 10 if nothing is positive.
Axis log_axis(const Extent& extent);

/// The gnuplot commands that set it; `name` is "x" or "y".
std::string axis_commands(const Axis& axis, const std::string& name);

}  // namespace updraft
