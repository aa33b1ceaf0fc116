#pragma once

#include <string_view>

#include "updraft/instance.h"

namespace updraft {

// The three applications that motivate uplifting bandits [hsieh22, section 1]. Made up from uniform
// draws, products, quotients and sums, so they are the same everywhere. Payoffs of the first two
// are euros, far from the unit variances that the theory of the policies assumes.

inline constexpr std::string_view kMarketingSummary =
    "8 offers for 1,000 customers in 12 segments, daily spend in euros; days good or bad for "
    "all";
InstanceDefinition marketing();

inline constexpr std::string_view kDiscountsSummary =
    "12 discounts on 60 products, daily sales in euros; discounts take sales from other products";
InstanceDefinition discounts();

inline constexpr std::string_view kMoviesSummary =
    "12 recommenders promote 20 to 60 of 1,000 movies each; which ones a user watches, 0/1";
InstanceDefinition movies();

}  // namespace updraft
