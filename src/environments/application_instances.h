#pragma once

#include <string_view>

#include "updraft/instance.h"

namespace updraft {

// Made up from uniform draws, products and sums, so they are the same everywhere. Payoffs are
// euros, far from the unit variances that the theory of the policies assumes.

inline constexpr std::string_view kMarketingSummary =
    "8 campaigns for 1,000 customers in 12 segments, daily spend in euros; days good or bad for "
    "all";
InstanceDefinition marketing();

inline constexpr std::string_view kDiscountsSummary =
    "12 discounts on 60 products, daily sales in euros; discounts take sales from other products";
InstanceDefinition discounts();

}  // namespace updraft
