// Claims 1 to 5, on instances, and 9, on bandits with contexts.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "report/claims.h"
#include "report/numbers.h"
#include "report/resample.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr double kLittle = 1.5;       ///< claims 2, 4, 5: ratio that still counts as about equal
constexpr double kHigherTail = 1.25;  ///< claim 4: ratio of the 95th percentiles
constexpr double kFails = 2.0;        ///< claim 5: ratio from which a policy has failed
constexpr double kSure = 0.975;       ///< claim 5: share of resamples that settles which is larger
/// Claim 4: runs from which one lies beyond the percentile.
constexpr std::uint32_t kTailRuns = 20;

ChosenPolicy find_bound(const ExperimentResult& result, const std::string& bound) {
  return find_chosen(
      result, "up_ucb", fmt::format("up_ucb with baseline_bound = {}", bound),
      [&](const PolicySpec& spec) { return spec.word_or_default("baseline_bound") == bound; });
}

ChosenPolicy find_max_affected(const ExperimentResult& result, double most) {
  return find_chosen(result, "up_ucb_l_bl", fmt::format("up_ucb_l_bl with max_affected = {}", most),
                     [&](const PolicySpec& spec) { return spec.number("max_affected") == most; });
}

void add_higher_tail(Finding& finding, const ChosenPolicy& lower, const ChosenPolicy& upper) {
  const double upper_tail = upper.best->final_regret.p95;
  const double lower_tail = lower.best->final_regret.p95;
  const std::size_t runs = lower.best->final_regrets.size();
  Answer higher = finding.at_least(tail_excess(*lower.best, *upper.best, kHigherTail), 0.0);
  if (!(lower_tail > 0.0)) higher = Answer::kNo;
  std::string more;
  if (upper_tail > 0.0) {
    more = fmt::format(", {} times", estimate_text(tail_ratio(*lower.best, *upper.best)));
  }
  if (runs < kTailRuns) {
    higher = Answer::kCannotTell;
    more += fmt::format(", from {} runs, which are too few for a percentile", runs);
  }
  finding.add(higher, fmt::format("95th percentile {} against {}{} (at least 1.25)",
                                  rounded(lower_tail), rounded(upper_tail), more));
}

/// Whether every value of the grid of `small` fails beside the tuned `right`.
void add_always_fails(Finding& finding, const ExperimentResult& result, const ChosenPolicy& small,
                      const ChosenPolicy& right) {
  std::size_t values = 0;
  std::size_t failed = 0;
  Answer all = Answer::kYes;
  Estimate least_growth{HUGE_VAL, 0.0};
  Estimate least{HUGE_VAL, 0.0};
  for (const GridPoint& point : result.points) {
    if (point.policy != small.best->policy) continue;
    const Estimate grows = growth(result, point);
    const Estimate times = ratio(point, *right.best);
    const Answer fails = either(finding.above(grows, kLinear),
                                opposite(finding.at_most_times(point, *right.best, kFails)));
    all = both(all, fails);
    ++values;
    failed += fails == Answer::kYes;
    if (grows.value < least_growth.value) least_growth = grows;
    if (times.value < least.value) least = times;
  }
  finding.add(all, fmt::format("{} fails with {} of {} values of {} (growth above 0.8, or regret "
                               "above twice that of {}; least {}, least regret {} times)",
                               small.label, failed, values, small.grid->parameter, regret_of(right),
                               growth_text(least_growth), estimate_text(least)));
}

void add_larger_alpha(Finding& finding, const ExperimentResult& result, const ChosenPolicy& one,
                      const ChosenPolicy& other) {
  const double share = share_with_larger_value(result, one.best->policy, other.best->policy);
  const Answer larger = share >= kSure         ? Answer::kYes
                        : share <= 1.0 - kSure ? Answer::kNo
                                               : Answer::kCannotTell;
  finding.add(larger, fmt::format("{} takes a larger alpha than {} ({} and {}; in {} of resamples)",
                                  one.label, other.label, number_text(*one.best->value),
                                  number_text(*other.best->value), percent(share)));
}

}  // namespace

Finding known_sets_win(const ExperimentResult& result) {
  const std::array uplift = {find_chosen(result, "up_ucb_bl"), find_chosen(result, "up_ucb")};
  const std::array plain = {find_chosen(result, "ucb"), find_chosen(result, "ts")};
  Finding finding(result.experiment.runs);
  for (const ChosenPolicy& good : uplift) {
    for (const ChosenPolicy& bad : plain) {
      finding.add(finding.at_most_times(*good.best, *bad.best, kFarLess),
                  times_text(good, bad) + " (at most 0.6)");
    }
  }
  return finding;
}

Finding baseline_costs_little(const ExperimentResult& result) {
  const ChosenPolicy unknown = find_chosen(result, "up_ucb");
  const ChosenPolicy known = find_chosen(result, "up_ucb_bl");
  Finding finding(result.experiment.runs);
  finding.add(finding.at_most_times(*unknown.best, *known.best, kLittle),
              times_text(unknown, known) + " (at most 1.5)");
  return finding;
}

Finding unknown_sets_cost(const ExperimentResult& result) {
  const std::array unknown = {find_chosen(result, "up_ucb_l_bl"), find_chosen(result, "up_ucb_l")};
  const std::array known = {find_chosen(result, "up_ucb_bl"), find_chosen(result, "up_ucb")};
  const bool on_criteo = result.experiment.instance == "criteo";
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < unknown.size(); ++j) {
    const Estimate more = difference(*unknown[j].best, *known[j].best);
    finding.add(finding.above(more, 0.0),
                fmt::format("{} minus {} is {} (above 0)", regret_of(unknown[j]),
                            regret_of(known[j]), estimate_text(more)));
    if (!on_criteo) continue;
    finding.add(finding.at_least_times(*unknown[j].best, *known[j].best, kMuchMore),
                fmt::format("and {} times as much (at least 1.5)",
                            estimate_text(ratio(*unknown[j].best, *known[j].best))));
  }
  if (!on_criteo) finding.note("How much more on criteo is judged there");
  return finding;
}

Finding lower_bound_has_tail(const ExperimentResult& result) {
  const ChosenPolicy upper = find_bound(result, "ucb");
  const ChosenPolicy lower = find_bound(result, "lcb");
  Finding finding(result.experiment.runs);
  finding.add(both(finding.at_most_times(*lower.best, *upper.best, kLittle),
                   finding.at_least_times(*lower.best, *upper.best, 1.0 / kLittle)),
              times_text(lower, upper) + " (from 2/3 to 1.5)");
  add_higher_tail(finding, lower, upper);
  return finding;
}

Finding wrong_bound(const ExperimentResult& result) {
  const ChosenPolicy five = find_max_affected(result, 5.0);
  const ChosenPolicy eight = find_max_affected(result, 8.0);
  const ChosenPolicy ten = find_max_affected(result, 10.0);
  const ChosenPolicy fifteen = find_max_affected(result, 15.0);
  for (const ChosenPolicy* policy : {&five, &eight, &ten}) {
    if (policy->grid->parameter != "alpha" || policy->grid->values.size() < 2) {
      throw NotTested{fmt::format("alpha of {} was not tuned in this run", policy->label)};
    }
  }
  Finding finding(result.experiment.runs);
  add_always_fails(finding, result, five, ten);
  add_larger_alpha(finding, result, eight, ten);
  finding.add(finding.at_most_times(*eight.best, *ten.best, kLittle),
              fmt::format("with which {} (at most 1.5)", times_text(eight, ten)));
  add_sublinear(finding, result, fifteen);
  const Estimate more = difference(*fifteen.best, *ten.best);
  finding.add(finding.above(more, 0.0), fmt::format("{} minus {} is {} (above 0)", fifteen.label,
                                                    ten.label, estimate_text(more)));
  finding.note(kGrowthNote);
  return finding;
}

Finding contexts_gain(const ExperimentResult& result) {
  if (!result.experiment.contexts) throw NotTested{"this run has no contexts"};
  const auto with_bound = [&](const char* name) {
    return find_chosen(
        result, name, fmt::format("{} with max_affected", name),
        [](const PolicySpec& spec) { return spec.number("max_affected").has_value(); });
  };
  const ChosenPolicy total = find_chosen(result, "lin_ucb");
  Finding finding(result.experiment.runs);
  for (const char* name : {"lin_up_ucb_bl", "lin_up_ucb"}) {
    const ChosenPolicy good = find_chosen(result, name);
    finding.add(finding.at_most_times(*good.best, *total.best, kFarLess),
                times_text(good, total) + " (at most 0.6)");
  }
  for (const ChosenPolicy& good : {with_bound("lin_up_ucb_bl"), with_bound("lin_up_ucb")}) {
    const Estimate less = difference(*total.best, *good.best);
    finding.add(finding.above(less, 0.0), fmt::format("{} minus {} is {} (above 0)", total.label,
                                                      regret_of(good), estimate_text(less)));
  }
  return finding;
}

}  // namespace updraft
