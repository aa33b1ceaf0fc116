#pragma once

#include <string>

namespace updraft {

/// A number with `decimals` digits after the point and commas between thousands: 14,231.5.
std::string grouped(double value, int decimals);

}  // namespace updraft
