#pragma once

#include <string>

#include "core/grouped.h"
#include "updraft/simulate.h"

namespace updraft {

/// About four digits: 14,231; 861; 86.1; 8.61; 0.0861.
std::string rounded(double value);

/// `value ± error`: the error with two digits, no decimals from 1,000 on.
std::string with_error(double value, double error);

/// The mean of a summary with its standard error.
std::string with_error(const Summary& summary);

/// A share in per cent: 31 %.
std::string percent(double share);

}  // namespace updraft
