#include "environments/application_instances.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "updraft/stream.h"

namespace updraft {
namespace {

// Marketing: what an offer adds to the spend of each customer of one to three segments.

struct Segment {
  std::size_t customers;
  double spend;  // euros a day, of one customer
};

constexpr std::array<Segment, 12> kSegments = {{
    {120, 4.5},   // 0 students
    {110, 7.0},   // 1 young singles
    {95, 9.0},    // 2 young couples
    {105, 14.5},  // 3 families with small children
    {90, 16.0},   // 4 families with teenagers
    {60, 10.5},   // 5 single parents
    {130, 6.0},   // 6 commuters
    {70, 8.5},    // 7 people who work at home
    {65, 11.0},   // 8 garden owners
    {85, 7.5},    // 9 pensioners
    {40, 22.0},   // 10 gourmets
    {30, 5.0},    // 11 bargain hunters
}};

struct Lift {
  std::size_t segment;
  double euros;  // a day, of one customer
};

struct Offer {
  const char* name;
  std::array<Lift, 3> lifts;  // those of 0 euros are none
};

constexpr std::array<Offer, 8> kOffers = {{
    {"breakfast-deal", {{{6, 1.5}, {0, 0.6}, {}}}},
    {"family-pack", {{{3, 2.8}, {4, 1.6}, {1, -0.4}}}},
    {"evening-box", {{{2, 2.0}, {7, 1.6}, {}}}},
    {"student-card", {{{0, 1.2}, {11, -0.8}, {}}}},
    {"wine-fair", {{{10, 5.5}, {2, 1.2}, {}}}},
    {"garden-days", {{{8, 3.2}, {9, 0.5}, {}}}},
    {"loyalty-points", {{{9, 1.0}, {5, 1.5}, {11, 1.2}}}},
    {"flash-sale", {{{11, 4.0}, {0, 0.5}, {10, -2.5}}}},
}};

constexpr double kSpendSd = 12.0;         // of one customer's spend a day
constexpr double kDayCorrelation = 0.05;  // what customers share of it: weather, weekday, season

VariableSet customers_of(std::size_t segment) {
  VariableId begin = 0;
  for (std::size_t s = 0; s < segment; ++s) {
    begin += static_cast<VariableId>(kSegments[s].customers);
  }
  const auto end = begin + static_cast<VariableId>(kSegments[segment].customers);
  const std::array range = {VariableRange{begin, end}};
  return VariableSet::from_ranges(range);
}

// Discounts: one product for each category, brand and price range. A discount is on all products
// of a category, brand or range, and takes sales from some that stand beside them.

constexpr std::size_t kCategories = 5;
constexpr std::size_t kBrands = 4;
constexpr std::size_t kRanges = 3;
constexpr std::size_t kProducts = kCategories * kBrands * kRanges;
constexpr std::array<double, kCategories> kCategorySales = {60, 90, 45, 120, 75};  // euros a day
constexpr std::array<double, kRanges> kRangeShare = {1.4, 1.0, 0.7};

// Share of its sales that a discounted product gains on average.
constexpr std::array<double, kCategories> kCategoryLift = {0.22, 0.14, 0.24, 0.16, 0.18};
constexpr std::array<double, kBrands> kBrandLift = {0.10, 0.20, 0.08, 0.14};
constexpr std::array<double, kRanges> kRangeLift = {0.06, 0.09, 0.11};
constexpr double kCannibalised = -0.08;  // of the sales of a product that stands beside them

// Standard deviations of a product's sales, as shares of their mean.
constexpr double kStoreNoise = 0.15;
constexpr double kCategoryNoise = 0.1;
constexpr double kProductNoise = 0.25;

struct Product {
  std::size_t category;
  std::size_t brand;
  std::size_t range;
};

Product product(std::size_t id) {
  return {id / (kBrands * kRanges), id / kRanges % kBrands, id % kRanges};
}

double cents(double euros) { return std::floor(100.0 * euros + 0.5) / 100.0; }

struct Discount {
  std::string name;
  double (*share)(const Product&, std::size_t which);  ///< of its sales that a product gains
  std::size_t which;
};

double category_share(const Product& product, std::size_t category) {
  if (product.category == category) return kCategoryLift[category];
  const bool beside = product.category == (category + 1) % kCategories && product.range == 0;
  return beside ? kCannibalised : 0.0;
}

double brand_share(const Product& product, std::size_t brand) {
  if (product.brand == brand) return kBrandLift[brand];
  const bool beside = product.brand == (brand + 1) % kBrands && product.range == 1;
  return beside ? kCannibalised : 0.0;
}

double range_share(const Product& product, std::size_t range) {
  if (product.range == range) return kRangeLift[range];
  const bool beside = product.range == (range + 1) % kRanges && product.brand == 0;
  return beside ? kCannibalised : 0.0;
}

std::vector<Discount> all_discounts() {
  std::vector<Discount> all;
  for (std::size_t c = 0; c < kCategories; ++c) {
    all.push_back({fmt::format("category-{}", c), category_share, c});
  }
  for (std::size_t b = 0; b < kBrands; ++b) {
    all.push_back({fmt::format("brand-{}", b), brand_share, b});
  }
  for (std::size_t r = 0; r < kRanges; ++r) {
    all.push_back({fmt::format("price-range-{}", r), range_share, r});
  }
  return all;
}

/// Independent parts of the store, the category and the product itself, each in proportion to
/// the product's sales.
GaussianNoise sales_noise(std::span<const double> sales) {
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kMatrix;
  for (std::size_t i = 0; i < kProducts; ++i) {
    for (std::size_t j = 0; j < kProducts; ++j) {
      double share = kStoreNoise * kStoreNoise;
      if (product(i).category == product(j).category) share += kCategoryNoise * kCategoryNoise;
      if (i == j) share += kProductNoise * kProductNoise;
      noise.matrix.push_back(share * (sales[i] * sales[j]));
    }
  }
  return noise;
}

}  // namespace

InstanceDefinition marketing() {
  InstanceDefinition definition;
  definition.name = "marketing";
  definition.summary = kMarketingSummary;
  for (std::size_t s = 0; s < kSegments.size(); ++s) {
    definition.variables.push_back({kSegments[s].customers, kSegments[s].spend});
    definition.segments.push_back(customers_of(s));
  }
  for (const Offer& offer : kOffers) {
    definition.action_names.emplace_back(offer.name);
    std::vector<Effect>& effects = definition.effects.emplace_back();
    for (const Lift& lift : offer.lifts) {
      if (lift.euros == 0.0) continue;
      effects.push_back({customers_of(lift.segment), {kSegments[lift.segment].spend + lift.euros}});
    }
  }
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kFactor;
  noise.variance = kSpendSd * kSpendSd;
  noise.factor = kDayCorrelation;
  definition.noise = noise;
  return definition;
}

/// Draws: round 0 for what products sell, round 1 + a for what discount a does to them.
InstanceDefinition discounts() {
  const Stream stream(kProducts, 0, Purpose::kInstance);
  InstanceDefinition definition;
  definition.name = "discounts";
  definition.summary = kDiscountsSummary;
  std::array<double, kProducts> sales;
  for (std::size_t i = 0; i < kProducts; ++i) {
    const Product at = product(i);
    const double usual = kCategorySales[at.category] * kRangeShare[at.range];
    sales[i] = cents(usual * (0.5 + stream.uniform(0, i)));
    definition.variables.push_back({1, sales[i]});
  }
  for (const Discount& discount : all_discounts()) {
    const auto round = static_cast<std::uint32_t>(definition.effects.size() + 1);
    std::vector<VariableId> affected;
    std::vector<double> means;
    for (std::size_t i = 0; i < kProducts; ++i) {
      const double share = discount.share(product(i), discount.which);
      if (share == 0.0) continue;
      affected.push_back(static_cast<VariableId>(i));
      means.push_back(cents(sales[i] * (1.0 + share * (0.5 + stream.uniform(round, i)))));
    }
    definition.action_names.push_back(discount.name);
    definition.effects.push_back({{VariableSet::from_ids(affected), std::move(means)}});
  }
  for (std::size_t c = 0; c < kCategories; ++c) {
    constexpr auto kSize = static_cast<VariableId>(kBrands * kRanges);
    const auto begin = static_cast<VariableId>(c) * kSize;
    const std::array range = {VariableRange{begin, begin + kSize}};
    definition.segments.push_back(VariableSet::from_ranges(range));
  }
  definition.noise = sales_noise(sales);
  return definition;
}

}  // namespace updraft
