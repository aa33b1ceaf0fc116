#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace updraft {

/// The top of a ranking: the share `share` of the rows that has the largest scores. Some rows were
/// treated and some were not (the control). With n_t and n_c treated and control rows in the top,
/// s_t and s_c the sums of their outcomes, and N, N_t the numbers of all and of treated rows in the
/// data:
///   share  = (n_t + n_c) / N
///   qini   = (s_t - s_c n_t / n_c) / N_t
///   uplift = share (s_t / n_t - s_c / n_c)
/// Both are gains per individual of the whole data, so they do not grow with N. At share 1 both are
/// the difference of the mean outcomes.
struct UpliftCurvePoint {
  double share = 0.0;
  double qini = 0.0;
  double uplift = 0.0;
};

/// What a ranking is worth, in outcomes per individual.
struct UpliftMetrics {
  double average_uplift = 0.0;  ///< mean outcome of treated rows minus that of control rows
  double qini = 0.0;            ///< area between the curve `qini` and the straight line to its end
  double auuc = 0.0;            ///< area under the curve `uplift`; average_uplift / 2 if random
};

/// Rows of a randomised trial, in decreasing order of a score such as a predicted uplift.
///
/// The curve `qini` is the one of [radcliffe07]; `uplift` is the cumulative gain of [gutierrez17].
/// The curves are those of scikit-uplift (qini_curve / N_t, uplift_curve / N, both over share) and
/// causalml (get_qini / N_t, get_cumgain / N). What differs:
///   - Areas are by trapezoids, as in scikit-uplift; causalml takes means of the values.
///   - scikit-uplift's qini_auc_score and uplift_auc_score subtract the random line and divide by
///     the area of a perfect ranking, which is only defined for outcomes 0 and 1. Not done here.
///   - causalml takes its random line from shuffled rows; here it is straight [radcliffe07].
///   - Rows with equal scores are one group, over which the curves are straight (scikit-uplift; in
///     causalml they count in the order in which they stand). So a constant score has qini 0.
///   - While the top holds no treated or no control row there is no point, and the curves are
///     straight from the origin to the first point (causalml leaves such rows out; scikit-uplift
///     takes the mean of nothing as 0, so that its curves depend on the level of the outcomes).
/// [devriendt20] compares these variants and others, which rank treated and control rows apart.
///
/// Without weights, results do not depend, bit for bit, on the order of rows. With or without
/// weights, a strictly increasing map of the scores changes nothing. Cost: O(n log n) to construct,
/// O(n) for each evaluation; memory at most 20 n bytes, twice that during construction. Immutable:
/// safe to share between threads.
class UpliftRanking {
 public:
  /// `treated`: 0 or 1. Throws InvalidInput if lengths differ, a number is not finite, there are
  /// 2^32 rows or more, or there are no treated or no control rows.
  UpliftRanking(std::span<const double> scores, std::span<const std::uint8_t> treated,
                std::span<const double> outcomes);

  std::size_t size() const { return rows_.size(); }

  UpliftMetrics metrics() const;

  /// The same for data that hold row i (as numbered in the constructor) weights[i] times, as a
  /// resample does. Throws InvalidInput if the length is not size() or no treated or no control row
  /// is left.
  UpliftMetrics metrics(std::span<const std::uint32_t> weights) const;

  /// From (0, 0, 0) to (1, average_uplift, average_uplift): a point after each group of equal
  /// scores.
  std::vector<UpliftCurvePoint> curve() const;

 private:
  struct Row {
    double outcome;
    std::uint32_t number;   ///< in the constructor's order
    std::uint32_t treated;  ///< 0 or 1
  };

  /// A point of the curves before division by the numbers of all rows.
  struct Top {
    double rows;     ///< n_t + n_c
    double treated;  ///< n_t
    double gain;     ///< s_t - s_c n_t / n_c
  };

  /// Calls visit(Top) for each point but the origin, where row r counts weight(r) times.
  template <typename Weight, typename Visit>
  void walk(Weight weight, Visit visit) const;
  template <typename Weight>
  UpliftMetrics areas(Weight weight) const;

  std::vector<Row> rows_;            ///< by decreasing score
  std::vector<std::uint32_t> ends_;  ///< of the groups of equal scores
};

}  // namespace updraft
