#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/numbers.h"

namespace updraft {
namespace {

/// The power of ten at or below a value > 0.
int decade(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

/// 1e-7 and the like below a thousandth.
std::string tick_label(int factor, int power) {
  if (power < -3) return fmt::format("{}e{}", factor, power);
  return grouped(factor * std::pow(10.0, power), std::max(0, -power));
}

}  // namespace

Axis linear_axis(double high, int most, double low) {
  Axis axis;
  axis.high = high > 0.0 && std::isfinite(high) ? high : 1.0;
  axis.low = std::min(low, 0.0);
  const double rough = (axis.high - axis.low) / most;
  const double power = std::pow(10.0, decade(rough));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1.0 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  const int decimals = std::max(0, -decade(step));
  const auto first = static_cast<int>(std::ceil(axis.low / step - 1e-9));
  for (int j = first; j * step <= axis.high * (1.0 + 1e-9); ++j) {
    axis.ticks.push_back({j * step, grouped(j * step, decimals)});
  }
  return axis;
}

Axis log_axis(double low, double high) {
  Axis axis;
  axis.log = true;
  axis.low = low;
  axis.high = high;
  const int first = decade(low);
  const int last = decade(high);
  int decades = 0;
  for (int power = first; power <= last; ++power) decades += std::pow(10.0, power) >= low;
  for (int power = first; power <= last; ++power) {
    for (int factor = 1; factor <= 9; ++factor) {
      const double place = factor * std::pow(10.0, power);
      if (place < low * (1.0 - 1e-9) || place > high * (1.0 + 1e-9)) continue;
      const bool half = factor == 2 || factor == 5;
      const bool labelled = factor == 1 || (decades < 3 && half) ||
                            (high < 12.0 * low && (factor == 3 || factor == 7));
      axis.ticks.push_back({place, labelled ? tick_label(factor, power) : ""});
    }
  }
  return axis;
}

Axis log_axis(const Extent& extent) {
  if (!(extent.high > 0.0)) return log_axis(1.0, 10.0);
  return log_axis(0.8 * extent.low, 1.25 * extent.high);
}

std::string axis_commands(const Axis& axis, const std::string& name) {
  std::vector<std::string> ticks;
  for (const Tick& tick : axis.ticks) {
    ticks.push_back(
        fmt::format("'{}' {:.10g} {}", tick.label, tick.place, tick.label.empty() ? 1 : 0));
  }
  return fmt::format("{}set logscale {}\nset {}range [{:.7g}:{:.7g}]\nset {}tics ({})\n",
                     axis.log ? "" : "un", name, name, axis.low, axis.high, name,
                     fmt::join(ticks, ", "));
}

}  // namespace updraft
