#include "report/claims.h"

#include <fmt/format.h>

#include "report/numbers.h"

namespace updraft {

ChosenPolicy find_chosen(const ExperimentResult& result, std::string_view name,
                         const std::string& described,
                         const std::function<bool(const PolicySpec&)>& also) {
  const std::vector<PolicyGrid>& policies = result.experiment.policies;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (policies[p].spec.name() == name && also(policies[p].spec)) {
      return {policies[p].label, &policies[p], &result.best(p)};
    }
  }
  throw NotTested{fmt::format("this run has no {}", described)};
}

ChosenPolicy find_chosen(const ExperimentResult& result, std::string_view name) {
  return find_chosen(result, name, std::string(name), [](const PolicySpec& spec) {
    return !spec.number("max_affected") && spec.word("baseline_bound") != "lcb";
  });
}

std::string regret_of(const ChosenPolicy& policy) {
  return fmt::format("{} ({})", policy.label, with_error(policy.best->final_regret));
}

std::string estimate_text(const Estimate& estimate) {
  return with_error(estimate.value, estimate.error);
}

std::string times_text(const ChosenPolicy& a, const ChosenPolicy& b) {
  return fmt::format("{} is {} times {}", regret_of(a), estimate_text(ratio(*a.best, *b.best)),
                     regret_of(b));
}

std::string growth_text(const Estimate& growth) {
  return fmt::format("growth {:.2f} ± {:.2f}", growth.value, growth.error);
}

void add_sublinear(Finding& finding, const ExperimentResult& result, const ChosenPolicy& policy) {
  const Estimate grows = growth(result, *policy.best);
  finding.add(finding.at_most(grows, kLinear), fmt::format("{} is sublinear, {} (at most 0.8)",
                                                           regret_of(policy), growth_text(grows)));
}

}  // namespace updraft
