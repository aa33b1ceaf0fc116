#include "policies/sparse_explanation.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "policies/estimates.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Cells that the sweeps may go through, and how many sweeps there are at least and at most.
constexpr std::size_t kCells = 2'000'000, kLeastSweeps = 64, kMostSweeps = 256;

/// An action is said to move a unit if that is at least as likely.
constexpr double kIdentified = 0.9;

/// What sweeps drew.
struct Draws {
  MatrixXd uplifts;    ///< a column per sweep
  MatrixXd inclusion;  ///< a column per unit: the share of sweeps in which the action moves it
};

Draws draw(const SparseExplained& explained) {
  const auto actions = static_cast<std::size_t>(explained.state->effects.rows());
  const auto units = static_cast<std::size_t>(explained.state->effects.cols());
  const std::size_t kept =
      std::clamp<std::size_t>(kCells / (actions * units), kLeastSweeps, kMostSweeps);
  const std::size_t before = kept / 8;

  const SparseData& data = *explained.data;
  SparseEffects state = *explained.state;
  SparseSampler sampler(actions, units);
  SweepDraws draws(actions, units);
  const Stream stream(0, 0, Purpose::kExplanation);
  const auto degrees = static_cast<double>(data.noise->degrees);
  Draws result{MatrixXd(static_cast<Index>(actions), static_cast<Index>(kept)),
               MatrixXd::Zero(static_cast<Index>(actions), static_cast<Index>(units))};
  sampler.start(data, state);
  for (std::size_t sweep = 0; sweep < before + kept; ++sweep) {
    draws.use(stream, sweep, 0);
    const double factor =
        data.noise->inflation() * degrees / draws.chi_squared(2, data.noise->degrees);
    sampler.sweep(data, factor, draws, state);
    if (sweep < before) continue;
    result.uplifts.col(static_cast<Index>(sweep - before)) = state.uplifts();
    result.inclusion += (state.effects.array() != 0.0).cast<double>().matrix();
  }
  result.inclusion /= static_cast<double>(kept);
  return result;
}

/// Mean, standard deviation and the interval that holds 95 % of `values`.
struct Spread {
  double mean = 0.0;
  double sd = 0.0;
  Interval interval;
};

Spread spread_of(VectorXd values) {
  Spread spread;
  spread.mean = values.mean();
  const auto count = static_cast<double>(values.size());
  spread.sd = std::sqrt((values.array() - spread.mean).square().sum() / (count - 1.0));
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * (count - 1.0);
    const auto below = static_cast<Index>(place);
    const Index above = std::min<Index>(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
  };
  spread.interval = {at(0.025), at(0.975)};
  return spread;
}

VariableSet identified(const MatrixXd& inclusion, ActionId action, const Partition& units) {
  std::vector<VariableRange> ranges;
  for (const Partition::Segment& segment : units.segments()) {
    if (inclusion(action, segment.group) >= kIdentified) ranges.push_back(segment.range);
  }
  return VariableSet::from_ranges(ranges);
}

/// Actions that share the largest uplift of a sweep, as those that move nothing do, share it
/// equally.
VectorXd probabilities_best(const MatrixXd& uplifts) {
  VectorXd share = VectorXd::Zero(uplifts.rows());
  for (const auto uplift : uplifts.colwise()) {
    const VectorXd best = (uplift.array() == uplift.maxCoeff()).cast<double>();
    share += best / best.sum();
  }
  return share / static_cast<double>(uplifts.cols());
}

}  // namespace

Explanation explain_sparse(const SparseExplained& explained, Detail detail) {
  Explanation explanation;
  explanation.quantity = quantity_known(*explained.knowledge);
  explanation.interval_kind = IntervalKind::kPosterior;
  explanation.actions.resize(explained.pulls.size());
  for (std::size_t a = 0; a < explained.pulls.size(); ++a) {
    ActionExplanation& about = explanation.actions[a];
    about.pulls = explained.pulls[a];
    about.index = about.radius = std::numeric_limits<double>::infinity();
  }
  if (!explained.started) return explanation;

  const SparseData& data = *explained.data;
  explanation.reference_action = kReferenceAction;
  const Draws draws = draw(explained);
  const VectorXd best = probabilities_best(draws.uplifts);
  for (ActionId a = 0; a < explanation.actions.size(); ++a) {
    ActionExplanation& about = explanation.actions[a];
    const Spread uplift = spread_of(draws.uplifts.row(a));
    const Spread difference = spread_of(draws.uplifts.row(a) - draws.uplifts.row(kReferenceAction));
    about.index = explained.indices[a];
    about.radius = uplift.sd;
    about.reward = data.means->row(a).sum();
    about.difference = {.estimate = difference.mean,
                        .standard_error = difference.sd,
                        .interval = difference.interval};
    about.estimate = estimate_of(about.difference);
    if (data.baseline_known) {
      about.uplift = uplift.mean;
      about.standard_error = uplift.sd;
      about.interval = uplift.interval;
      about.estimate = {uplift.mean, uplift.interval};
    } else if (explanation.quantity == Quantity::kReward) {
      about.estimate = {about.reward, std::nullopt};
    }
    about.identified = identified(draws.inclusion, a, *explained.units);
    about.padding.emplace();
    const auto inclusion = draws.inclusion.row(a);
    about.inclusion.emplace(inclusion.begin(), inclusion.end());
    if (detail == Detail::kWhole) about.probability_best = best[a];
  }
  return explanation;
}

}  // namespace updraft
