#include "report/limit_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "report/claims.h"
#include "report/numbers.h"
#include "updraft/error.h"

namespace updraft {
namespace {

ChosenPolicy find_labelled(const ExperimentResult& result, const std::string& label) {
  const std::vector<PolicyGrid>& grids = result.experiment.policies;
  for (std::size_t p = 0; p < grids.size(); ++p) {
    if (grids[p].label == label) return {label, &grids[p], &result.best(p)};
  }
  throw NotTested{fmt::format("{} was not played", label)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

/// In medians; infinite if the median is 0 and the value is not.
double in_medians(double value, double median) {
  if (median > 0.0) return value / median;
  return value > 0.0 ? std::numeric_limits<double>::infinity() : 1.0;
}

/// A number of these runs, without an error.
void add_measured(Finding& finding, double measured, double limit, std::string_view what) {
  finding.add(measured <= limit ? Answer::kYes : Answer::kNo,
              fmt::format("{} {} medians", what, rounded(measured)));
}

}  // namespace

std::string limit_text(const RegretLimit& limit) {
  std::vector<std::string> parts;
  if (limit.times) {
    parts.push_back(
        fmt::format("at most {} times the regret of {}", number_text(*limit.times), limit.of));
  }
  if (limit.regret) {
    parts.push_back(fmt::format("a regret of at most {}", number_text(*limit.regret)));
  }
  if (limit.mean_of_median) {
    parts.push_back(
        fmt::format("a mean of at most {} times the median", number_text(*limit.mean_of_median)));
  }
  if (limit.largest_of_median) {
    parts.push_back(
        fmt::format("no run above {} times the median", number_text(*limit.largest_of_median)));
  }
  return fmt::format("{} has {}", limit.policy, fmt::join(parts, ", "));
}

Finding judge_limit(const ExperimentResult& result, const RegretLimit& limit) {
  const ChosenPolicy policy = find_labelled(result, limit.policy);
  Finding finding(result.experiment.runs);
  if (limit.times) {
    const ChosenPolicy other = find_labelled(result, limit.of);
    finding.add(finding.at_most_times(*policy.best, *other.best, *limit.times),
                times_text(policy, other));
  }
  if (limit.regret) {
    const Summary& regret = policy.best->final_regret;
    finding.add(finding.at_most({regret.mean, regret.stderr_}, *limit.regret), regret_of(policy));
  }
  const std::vector<double>& runs = policy.best->final_regrets;
  const double middle = median(runs);
  if (limit.mean_of_median) {
    add_measured(finding, in_medians(policy.best->final_regret.mean, middle), *limit.mean_of_median,
                 "the mean is");
  }
  if (limit.largest_of_median) {
    add_measured(finding, in_medians(*std::max_element(runs.begin(), runs.end()), middle),
                 *limit.largest_of_median, "the largest run is");
  }
  return finding;
}

}  // namespace updraft
