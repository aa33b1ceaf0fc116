// Claims 6 to 8, on targeting.

#include <fmt/format.h>

#include <array>

#include "report/claims.h"
#include "report/numbers.h"

namespace updraft {
namespace {

constexpr double kAlike = 0.1;  ///< claim 8: share of what chance loses

/// Mean over the runs of a measure of one policy minus that of another, run by run.
Estimate difference_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> less;
  for (std::size_t run = 0; run < a.size(); ++run) less.push_back(a[run] - b[run]);
  const Summary summary = summarize(std::move(less));
  return {summary.mean, summary.stderr_};
}

/// Throws NotTested unless some payoffs are recorded and every policy has the measures of single
/// runs.
void check_recorded(const ExperimentResult& result) {
  if (!result.experiment.targeting || !result.experiment.targeting->recorded) {
    throw NotTested{"the claim is about targeting with some payoffs recorded"};
  }
  for (const GridPoint& point : result.points) {
    if (!point.targeting || point.targeting->final_uplift.empty() ||
        point.targeting->final_realised.empty() || point.targeting->uplift.empty() ||
        point.targeting->realised.empty()) {
      throw NotTested{"the results lack measures of single runs"};
    }
  }
}

std::string uplift_of(const ChosenPolicy& policy) {
  const Summary& uplift = policy.best->targeting->uplift.back();
  return fmt::format("{} ({:.4f} ± {:.4f})", policy.label, uplift.mean, uplift.stderr_);
}

void add_larger_uplift(Finding& finding, const ChosenPolicy& good, const ChosenPolicy& bad) {
  const Estimate more =
      difference_of(good.best->targeting->final_uplift, bad.best->targeting->final_uplift);
  finding.add(finding.above(more, 0.0),
              fmt::format("{} minus {} is {:.4f} ± {:.4f} (above 0)", uplift_of(good),
                          uplift_of(bad), more.value, more.error));
}

/// The policies that explore by an upper bound and at random: each with a known baseline, then with
/// one that they learn.
struct Explorers {
  std::array<ChosenPolicy, 2> optimistic;
  std::array<ChosenPolicy, 2> random;
};

Explorers explorers(const ExperimentResult& result) {
  return {{find_chosen(result, "c2_up_ucb_bl"), find_chosen(result, "c2_up_ucb")},
          {find_chosen(result, "eps_greedy_bl"), find_chosen(result, "eps_greedy")}};
}

}  // namespace

Finding targeting_explores(const ExperimentResult& result) {
  if (result.experiment.targeting && result.experiment.targeting->recorded) {
    throw NotTested{
        "some payoffs are recorded, and the claim is about payoffs that the models draw"};
  }
  const auto [optimistic, random] = explorers(result);
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    add_sublinear(finding, result, optimistic[j]);
    const Estimate less = difference(*random[j].best, *optimistic[j].best);
    finding.add(finding.above(less, 0.0), fmt::format("{} has {} more regret (above 0)",
                                                      regret_of(random[j]), estimate_text(less)));
  }
  // The paper's greedy knows the baseline.
  for (const ChosenPolicy& bad :
       {find_chosen(result, "greedy_bl"), find_chosen(result, "c2_ucb")}) {
    for (const ChosenPolicy& good : optimistic) {
      finding.add(finding.at_least_times(*bad.best, *good.best, kMuchMore),
                  times_text(bad, good) + " (at least 1.5)");
    }
  }
  finding.note(kGrowthNote);
  if (result.population && result.population->generated) {
    finding.note("Run on generated individuals, not on the paper's data");
  }
  return finding;
}

Finding recorded_targeting_explores(const ExperimentResult& result) {
  check_recorded(result);
  const auto [optimistic, random] = explorers(result);
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    add_larger_uplift(finding, optimistic[j], random[j]);
    for (const char* bad : {"greedy_bl", "c2_ucb", "random"}) {
      add_larger_uplift(finding, random[j], find_chosen(result, bad));
    }
  }
  return finding;
}

Finding recorded_targeting_ends_alike(const ExperimentResult& result) {
  check_recorded(result);
  const auto [optimistic, random] = explorers(result);
  const double most = kAlike * find_chosen(result, "random").best->targeting->realised.back().mean;
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    const Estimate apart = difference_of(optimistic[j].best->targeting->final_realised,
                                         random[j].best->targeting->final_realised);
    finding.add(
        both(finding.at_most(apart, most), finding.at_least(apart, -most)),
        fmt::format("the regret of payoffs of {} minus that of {} is {} (absolute value at most "
                    "{}, a tenth of that of a random choice)",
                    optimistic[j].label, random[j].label, estimate_text(apart), rounded(most)));
  }
  for (const char* name :
       {"greedy_bl", "eps_greedy_bl", "eps_greedy", "c2_up_ucb_bl", "c2_up_ucb", "c2_ucb"}) {
    const ChosenPolicy policy = find_chosen(result, name);
    const Estimate grows = growth(result, *policy.best);
    finding.add(
        finding.at_least(grows, kLinear),
        fmt::format("{} is linear, {} (at least 0.8)", regret_of(policy), growth_text(grows)));
  }
  finding.note(kGrowthNote);
  return finding;
}

}  // namespace updraft
