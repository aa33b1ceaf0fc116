#include "stats/count_unit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr double kMostUnits = 4294967296.0;

/// Both > 0. Exact: remainders of doubles are.
double greatest_common_divisor(double a, double b) {
  while (b > 0.0) {
    const double rest = std::fmod(a, b);
    a = b;
    b = rest;
  }
  return a;
}

/// The largest power of two that `value` > 0 is a whole multiple of.
double largest_power_of_two_in(double value) {
  constexpr int kDigits = 53;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, kDigits));
  return std::ldexp(1.0, exponent - kDigits + std::countr_zero(digits));
}

}  // namespace

CountUnit::CountUnit(std::size_t atoms)
    : largest_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(atoms))) {}

void CountUnit::add(std::span<const double> sums) {
  if (!counts_) return;
  for (std::size_t g = 0; g < sums.size(); ++g) {
    const double sum = sums[g];
    if (!(sum >= 0.0)) return stop();
    double& largest = largest_[static_cast<Eigen::Index>(g)];
    if (sum > 0.0 && unit_ == 0.0) unit_ = sum;
    const double units = sum > 0.0 ? sum / unit_ : 0.0;
    const bool whole = units == std::floor(units);
    if (whole && sum <= largest) continue;
    largest = std::max(largest, sum);
    if (!whole) unit_ = greatest_common_divisor(unit_, sum);
    if (!(largest_.maxCoeff() <= kMostUnits * largest_power_of_two_in(unit_))) return stop();
  }
}

/// Forgets everything, so that the state does not depend on the order of the rounds.
void CountUnit::stop() {
  counts_ = false;
  unit_ = 0.0;
  largest_.setZero();
}

void CountUnit::write(StateWriter& writer) const {
  writer.u64(counts_ ? 1 : 0);
  writer.f64(unit_);
  writer.f64s({largest_.data(), static_cast<std::size_t>(largest_.size())});
}

void CountUnit::read(StateReader& reader) {
  counts_ = reader.u64_at_most(1, "policy state: counts") == 1;
  unit_ = reader.f64();
  if (!(unit_ >= 0.0))
    throw InvalidInput("policy state: unit of the counts", unit_, "must be >= 0");
  reader.f64s({largest_.data(), static_cast<std::size_t>(largest_.size())},
              "policy state: largest counts");
}

}  // namespace updraft
