#include "stats/payoff_sums.h"

#include <algorithm>
#include <string>

#include "core/dense.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// The largest of the values where all are whole numbers from 0 to 65,535, else -1.
double largest_whole(std::span<const double> values) {
  if (values.empty()) return 0.0;
  if (all_equal(values, 1.0)) return 1.0;
  double largest = 0.0;
  for (const double value : values) {
    if (!(value >= 0.0 && value <= 65535.0) ||
        static_cast<double>(static_cast<std::int32_t>(value)) != value) {
      return -1.0;
    }
    largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace

bool PayoffSums::fits(ActionId action, std::span<const double> payoffs) {
  const double largest = largest_whole(payoffs);
  if (largest < 0.0 || largest_[action] + largest > kLargestCount) return false;
  largest_[action] += largest;
  return true;
}

void PayoffSums::use_doubles() {
  sums_.assign(counts_.begin(), counts_.end());
  counts_ = {};
}

void PayoffSums::add_real(ActionId action, const Payoffs& payoffs) {
  if (whole()) use_doubles();
  const auto row = std::span(sums_).subspan(action * variables_, variables_);
  const std::span<const double> values = payoffs.values();
  if (payoffs.kind() == Payoffs::Kind::kDense) {
    add_to(row, values);
  } else {
    for (std::size_t j = 0; j < values.size(); ++j) row[payoffs.ids()[j]] += values[j];
  }
}

void PayoffSums::write(StateWriter& writer) const {
  if (whole()) {
    writer.f64s(largest_);
    writer.f64s(std::vector<double>(counts_.begin(), counts_.end()));
  } else {
    writer.f64s({});
    writer.f64s(sums_);
  }
}

/// The form is that of the writer, so that indices are rounded as they would have been.
void PayoffSums::read(StateReader& reader) {
  const std::vector<double> largest = reader.f64s();
  if (!largest.empty() && largest.size() != largest_.size()) {
    throw InvalidInput("policy state: largest counts", std::to_string(largest.size()),
                       "must be one number per action, or none");
  }
  sums_.assign(largest_.size() * variables_, 0.0);
  reader.f64s(sums_, "policy state: payoff sums");
  counts_ = {};
  if (largest.empty()) return;
  for (ActionId action = 0; action < largest_.size(); ++action) {
    const auto row = std::span(sums_).subspan(action * variables_, variables_);
    const double most = largest_whole(row);
    if (most < 0.0 || !(most <= largest[action] && largest[action] <= kLargestCount)) {
      throw InvalidInput("policy state: largest counts", largest[action],
                         "must bound the action's payoff sums, whole numbers up to 65535");
    }
    total_[action] = sum_of(row);
  }
  largest_ = largest;
  counts_.assign(sums_.begin(), sums_.end());
  sums_ = {};
}

}  // namespace updraft
