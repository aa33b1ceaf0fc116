#include "stats/count_padding.h"

#include <algorithm>

#include "stats/count_scan.h"
#include "stats/padding_scan.h"
#include "stats/top_sum.h"

namespace updraft {

bool differences_fit(const CountPaddingInputs& in) {
  constexpr double kMost = 1073741823.0;
  return in.largest * static_cast<double>(in.baseline_pulls) <= kMost &&
         in.baseline_largest * static_cast<double>(in.pulls) <= kMost;
}

namespace {

/// How the individual index follows from D.
struct CountScale {
  explicit CountScale(const CountPaddingInputs& in)
      : n(static_cast<double>(in.pulls)),
        n0(static_cast<double>(in.baseline_pulls)),
        shift(in.radius - in.baseline_radius),
        disjoint(n * n0 * (in.radius + in.baseline_radius)) {}

  double sum_of_indices(double differences, std::size_t variables) const {
    return differences / (n * n0) + static_cast<double>(variables) * shift;
  }

  double n;
  double n0;
  double shift;
  double disjoint;
};

/// Adds the padding to the index of the identified variables.
double with_padding(const CountPaddingInputs& in, const CountScale& scale,
                    const CountScan::Part& identified, PaddingScratch& scratch) {
  const double index = scale.sum_of_indices(identified.differences, identified.number);
  const std::size_t budget = padding_budget(in.budget, identified.number);
  if (budget == 0) return index;
  const std::size_t room = in.counts.size() + kScanSlack;
  if (scratch.differences.size() < room) scratch.differences.resize(room);
  if (scratch.rest.size() < room) scratch.rest.resize(room);
  const double positive = scale.n * scale.n0 * -scale.shift;  // D above it: index > 0
  const CountCandidates found =
      collect_candidates(in, scale.disjoint, positive, scratch.differences.data());
  const std::size_t taken = std::min(budget, found.differences + found.zeros);
  for (std::size_t j = 0; j < found.differences; ++j) scratch.rest[j] = scratch.differences[j];
  // Zeros are many; they stand between the positive differences and the negative ones.
  const auto differences = std::span(scratch.rest).first(found.differences);
  const auto negative = std::partition(differences.begin(), differences.end(),
                                       [](double difference) { return difference > 0.0; });
  const auto larger = static_cast<std::size_t>(negative - differences.begin());
  std::size_t left = taken;
  double padding = top_sum(differences.first(larger), left, scratch.selection);
  left -= std::min(left, larger);
  left -= std::min(left, found.zeros);
  padding += top_sum(differences.subspan(larger), left, scratch.selection);
  return index + scale.sum_of_indices(padding, taken);
}

}  // namespace

double padded_index(const CountPaddingInputs& in, PaddingScratch& scratch) {
  const CountScale scale(in);
  return with_padding(in, scale, scan_identified(in, scale.disjoint), scratch);
}

double padded_index(const CountPaddingInputs& in, CountMargin& margin, std::uint64_t* far_bits,
                    PaddingScratch& scratch) {
  const CountScale scale(in);
  const CountScan scan = scan_counts(in,
                                     {.disjoint = scale.disjoint,
                                      .rise = scale.n * scale.n0 * margin.rise,
                                      .share = margin.share,
                                      .drop = scale.n * scale.n0 * in.baseline_radius},
                                     far_bits);
  const auto near = [&](const CountScan::Part& part) {
    return CountMargin::Near{part.number, scale.sum_of_indices(part.differences, part.number),
                             part.baseline_counts / scale.n0};
  };
  margin.far = scan.far;
  margin.far_counts = scan.far_counts;
  margin.far_baseline_counts = scan.far_baseline_counts;
  margin.above = near(scan.near_above);
  margin.below = near(scan.near_below);
  const CountScan::Part identified{
      .number = scan.far + scan.near_below.number + scan.identified_above.number +
                scan.identified_below.number,
      .differences = scan.far_counts * scale.n0 - scan.far_baseline_counts * scale.n +
                     scan.near_below.differences + scan.identified_above.differences +
                     scan.identified_below.differences};
  return with_padding(in, scale, identified, scratch);
}

}  // namespace updraft
