#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

#include "report/finding.h"
#include "report/numbers.h"
#include "report/resample.h"
#include "report/setting_text.h"
#include "updraft/error.h"
#include "updraft/report.h"

// The claims are those that the paper's figures make [hsieh22, Section 7]. A claim is a list of
// statements about means, ratios and percentiles; docs/experiments.md says when one holds.

namespace updraft {
namespace {

constexpr double kFarLess = 0.6;      ///< claim 1: share of the regret of ucb and ts
constexpr double kLittle = 1.5;       ///< claims 2, 4, 5: ratio that still counts as about equal
constexpr double kMuchMore = 1.5;     ///< claim 3, on criteo
constexpr double kHigherTail = 1.25;  ///< claim 4: ratio of the 95th percentiles
constexpr double kLinear = 0.8;       ///< claim 5: growth from which regret counts as linear
constexpr double kFails = 2.0;        ///< claim 5: ratio from which a policy has failed
constexpr double kSure = 0.975;       ///< claim 5: share of resamples that settles which is larger
constexpr std::uint32_t kTailRuns =
    20;                         ///< claim 4: runs from which one lies beyond the percentile
constexpr double kAlike = 0.1;  ///< claim 8: share of what chance loses

/// A policy of the result with its chosen point.
struct Player {
  std::string label;
  const PolicyGrid* grid = nullptr;
  const GridPoint* best = nullptr;
};

/// Why a claim cannot be judged.
struct NotTested {
  std::string reason;
};

/// The first policy with this name whose spec passes `also`; NotTested where there is none.
Player find(const ExperimentResult& result, std::string_view name, const std::string& described,
            const std::function<bool(const PolicySpec&)>& also) {
  const std::vector<PolicyGrid>& policies = result.experiment.policies;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    if (policies[p].spec.name() == name && also(policies[p].spec)) {
      return {policies[p].label, &policies[p], &result.best(p)};
    }
  }
  throw NotTested{fmt::format("this run has no {}", described)};
}

/// The policy as the paper plays it: told the true L, and bUCB for the baseline.
Player find(const ExperimentResult& result, std::string_view name) {
  return find(result, name, std::string(name), [](const PolicySpec& spec) {
    return !spec.number("max_affected") && spec.word("baseline_bound").value_or("ucb") == "ucb";
  });
}

Player find_bound(const ExperimentResult& result, const std::string& bound) {
  return find(
      result, "up_ucb", fmt::format("up_ucb with baseline_bound = {}", bound),
      [&](const PolicySpec& spec) { return spec.word("baseline_bound").value_or("ucb") == bound; });
}

Player find_max_affected(const ExperimentResult& result, double most) {
  return find(result, "up_ucb_l_bl", fmt::format("up_ucb_l_bl with max_affected = {}", most),
              [&](const PolicySpec& spec) { return spec.number("max_affected") == most; });
}

std::string regret_of(const Player& player) {
  return fmt::format("{} ({})", player.label, with_error(player.best->final_regret));
}

std::string text_of(const Estimate& estimate) { return with_error(estimate.value, estimate.error); }

/// "A (10 ± 1) is 0.50 ± 0.05 times B (20 ± 2)".
std::string times_text(const Player& a, const Player& b) {
  return fmt::format("{} is {} times {}", regret_of(a), text_of(ratio(*a.best, *b.best)),
                     regret_of(b));
}

Finding known_sets_win(const ExperimentResult& result) {
  const std::array uplift = {find(result, "up_ucb_bl"), find(result, "up_ucb")};
  const std::array plain = {find(result, "ucb"), find(result, "ts")};
  Finding finding(result.experiment.runs);
  for (const Player& good : uplift) {
    for (const Player& bad : plain) {
      finding.add(finding.at_most_times(*good.best, *bad.best, kFarLess),
                  times_text(good, bad) + " (at most 0.6)");
    }
  }
  return finding;
}

Finding baseline_costs_little(const ExperimentResult& result) {
  const Player unknown = find(result, "up_ucb");
  const Player known = find(result, "up_ucb_bl");
  Finding finding(result.experiment.runs);
  finding.add(finding.at_most_times(*unknown.best, *known.best, kLittle),
              times_text(unknown, known) + " (at most 1.5)");
  return finding;
}

Finding unknown_sets_cost(const ExperimentResult& result) {
  const std::array unknown = {find(result, "up_ucb_l_bl"), find(result, "up_ucb_l")};
  const std::array known = {find(result, "up_ucb_bl"), find(result, "up_ucb")};
  const bool on_criteo = result.experiment.instance == "criteo";
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < unknown.size(); ++j) {
    const Estimate more = difference(*unknown[j].best, *known[j].best);
    finding.add(finding.above(more, 0.0),
                fmt::format("{} minus {} is {} (above 0)", regret_of(unknown[j]),
                            regret_of(known[j]), text_of(more)));
    if (!on_criteo) continue;
    finding.add(finding.at_least_times(*unknown[j].best, *known[j].best, kMuchMore),
                fmt::format("and {} times as much (at least 1.5)",
                            text_of(ratio(*unknown[j].best, *known[j].best))));
  }
  if (!on_criteo) finding.note("How much more on criteo is judged there");
  return finding;
}

void add_higher_tail(Finding& finding, const Player& lower, const Player& upper) {
  const double upper_tail = upper.best->final_regret.p95;
  const double lower_tail = lower.best->final_regret.p95;
  const std::size_t runs = lower.best->final_regrets.size();
  Answer higher = finding.at_least(tail_excess(*lower.best, *upper.best, kHigherTail), 0.0);
  if (!(lower_tail > 0.0)) higher = Answer::kNo;
  std::string more;
  if (upper_tail > 0.0) {
    more = fmt::format(", {} times", text_of(tail_ratio(*lower.best, *upper.best)));
  }
  if (runs < kTailRuns) {
    higher = Answer::kCannotTell;
    more += fmt::format(", of {} runs, too few for a percentile", runs);
  }
  finding.add(higher, fmt::format("95th percentile {} against {}{} (at least 1.25)",
                                  rounded(lower_tail), rounded(upper_tail), more));
}

Finding lower_bound_has_tail(const ExperimentResult& result) {
  const Player upper = find_bound(result, "ucb");
  const Player lower = find_bound(result, "lcb");
  Finding finding(result.experiment.runs);
  finding.add(both(finding.at_most_times(*lower.best, *upper.best, kLittle),
                   finding.at_least_times(*lower.best, *upper.best, 1.0 / kLittle)),
              times_text(lower, upper) + " (from 2/3 to 1.5)");
  add_higher_tail(finding, lower, upper);
  return finding;
}

std::string growth_text(const Estimate& growth) {
  return fmt::format("growth {:.2f} ± {:.2f}", growth.value, growth.error);
}

/// Whether every value of the grid of `small` fails beside the tuned `right`.
void add_always_fails(Finding& finding, const ExperimentResult& result, const Player& small,
                      const Player& right) {
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
                               growth_text(least_growth), text_of(least)));
}

void add_larger_alpha(Finding& finding, const ExperimentResult& result, const Player& one,
                      const Player& other) {
  const double share = share_with_larger_value(result, one.best->policy, other.best->policy);
  const Answer larger = share >= kSure         ? Answer::kYes
                        : share <= 1.0 - kSure ? Answer::kNo
                                               : Answer::kCannotTell;
  finding.add(larger, fmt::format("{} takes a larger alpha than {} ({} and {}; in {} of resamples)",
                                  one.label, other.label, number_text(*one.best->value),
                                  number_text(*other.best->value), percent(share)));
}

void add_sublinear(Finding& finding, const ExperimentResult& result, const Player& player) {
  const Estimate grows = growth(result, *player.best);
  finding.add(finding.at_most(grows, kLinear), fmt::format("{} is sublinear, {} (at most 0.8)",
                                                           regret_of(player), growth_text(grows)));
}

constexpr const char* kGrowthNote = "Growth is (R(T) - R(T/2)) / R(T/2), 1 for linear regret";

Finding wrong_bound(const ExperimentResult& result) {
  const Player five = find_max_affected(result, 5.0);
  const Player eight = find_max_affected(result, 8.0);
  const Player ten = find_max_affected(result, 10.0);
  const Player fifteen = find_max_affected(result, 15.0);
  for (const Player* player : {&five, &eight, &ten}) {
    if (player->grid->parameter != "alpha" || player->grid->values.size() < 2) {
      throw NotTested{fmt::format("alpha of {} was not tuned in this run", player->label)};
    }
  }
  Finding finding(result.experiment.runs);
  add_always_fails(finding, result, five, ten);
  add_larger_alpha(finding, result, eight, ten);
  finding.add(finding.at_most_times(*eight.best, *ten.best, kLittle),
              fmt::format("with which {} (at most 1.5)", times_text(eight, ten)));
  add_sublinear(finding, result, fifteen);
  const Estimate more = difference(*fifteen.best, *ten.best);
  finding.add(finding.above(more, 0.0),
              fmt::format("{} minus {} is {} (above 0)", fifteen.label, ten.label, text_of(more)));
  finding.note(kGrowthNote);
  return finding;
}

/// Sublinear and ahead of eps-greedy told the same, for both that subtract a baseline.
Finding campaigns_explore(const ExperimentResult& result) {
  if (result.experiment.campaign && result.experiment.campaign->recorded) {
    throw NotTested{"payoffs are records in part, and the claim is about those by the models"};
  }
  const std::array optimistic = {find(result, "c2_up_ucb_bl"), find(result, "c2_up_ucb")};
  const std::array random = {find(result, "eps_greedy_bl"), find(result, "eps_greedy")};
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    add_sublinear(finding, result, optimistic[j]);
    const Estimate less = difference(*random[j].best, *optimistic[j].best);
    finding.add(finding.above(less, 0.0), fmt::format("{} has {} more regret (above 0)",
                                                      regret_of(random[j]), text_of(less)));
  }
  // The paper's greedy knows the baseline.
  for (const Player& bad : {find(result, "greedy_bl"), find(result, "c2_ucb")}) {
    for (const Player& good : optimistic) {
      finding.add(finding.at_least_times(*bad.best, *good.best, kMuchMore),
                  times_text(bad, good) + " (at least 1.5)");
    }
  }
  finding.note(kGrowthNote);
  if (result.population && result.population->generated) {
    finding.note("Played on generated individuals, not on the paper's data");
  }
  return finding;
}

/// Mean over the runs of a measure of one policy minus that of another, run by run.
Estimate difference_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> less;
  for (std::size_t run = 0; run < a.size(); ++run) less.push_back(a[run] - b[run]);
  const Summary summary = summarize(std::move(less));
  return {summary.mean, summary.stderr_};
}

/// Throws NotTested unless payoffs are records in part and every policy has the measures of single
/// runs.
void check_recorded(const ExperimentResult& result) {
  if (!result.experiment.campaign || !result.experiment.campaign->recorded) {
    throw NotTested{"the claim is about campaigns whose payoffs are records in part"};
  }
  for (const GridPoint& point : result.points) {
    if (!point.campaign || point.campaign->final_uplift.empty() ||
        point.campaign->final_realised.empty() || point.campaign->uplift.empty() ||
        point.campaign->realised.empty()) {
      throw NotTested{"the results lack measures of single runs"};
    }
  }
}

std::string uplift_of(const Player& player) {
  const Summary& uplift = player.best->campaign->uplift.back();
  return fmt::format("{} ({:.4f} ± {:.4f})", player.label, uplift.mean, uplift.stderr_);
}

void add_larger_uplift(Finding& finding, const Player& good, const Player& bad) {
  const Estimate more =
      difference_of(good.best->campaign->final_uplift, bad.best->campaign->final_uplift);
  finding.add(finding.above(more, 0.0),
              fmt::format("{} minus {} is {:.4f} ± {:.4f} (above 0)", uplift_of(good),
                          uplift_of(bad), more.value, more.error));
}

/// By the mean uplift of those treated.
Finding recorded_campaigns_explore(const ExperimentResult& result) {
  check_recorded(result);
  const std::array optimistic = {find(result, "c2_up_ucb_bl"), find(result, "c2_up_ucb")};
  const std::array random = {find(result, "eps_greedy_bl"), find(result, "eps_greedy")};
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    add_larger_uplift(finding, optimistic[j], random[j]);
    for (const char* bad : {"greedy_bl", "c2_ucb", "random"}) {
      add_larger_uplift(finding, random[j], find(result, bad));
    }
  }
  return finding;
}

/// Payoffs about the same: apart by at most a tenth of what chance loses.
Finding recorded_campaigns_end_alike(const ExperimentResult& result) {
  check_recorded(result);
  const std::array optimistic = {find(result, "c2_up_ucb_bl"), find(result, "c2_up_ucb")};
  const std::array random = {find(result, "eps_greedy_bl"), find(result, "eps_greedy")};
  const double most = kAlike * find(result, "random").best->campaign->realised.back().mean;
  Finding finding(result.experiment.runs);
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    const Estimate apart = difference_of(optimistic[j].best->campaign->final_realised,
                                         random[j].best->campaign->final_realised);
    finding.add(both(finding.at_most(apart, most), finding.at_least(apart, -most)),
                fmt::format("the regret of payoffs of {} minus that of {} is {} (at most {} in "
                            "size, a tenth of that of chance)",
                            optimistic[j].label, random[j].label, text_of(apart), rounded(most)));
  }
  for (const char* name :
       {"greedy_bl", "eps_greedy_bl", "eps_greedy", "c2_up_ucb_bl", "c2_up_ucb", "c2_ucb"}) {
    const Player player = find(result, name);
    const Estimate grows = growth(result, *player.best);
    finding.add(
        finding.at_least(grows, kLinear),
        fmt::format("{} is linear, {} (at least 0.8)", regret_of(player), growth_text(grows)));
  }
  finding.note(kGrowthNote);
  return finding;
}

/// With the sets far less regret than by the total payoff, with L alone still less.
Finding contexts_gain(const ExperimentResult& result) {
  if (!result.experiment.contexts) throw NotTested{"this run has no contexts"};
  const auto with_bound = [&](const char* name) {
    return find(result, name, fmt::format("{} with max_affected", name),
                [](const PolicySpec& spec) { return spec.number("max_affected").has_value(); });
  };
  const Player total = find(result, "lin_ucb");
  Finding finding(result.experiment.runs);
  for (const char* name : {"lin_up_ucb_bl", "lin_up_ucb"}) {
    const Player good = find(result, name);
    finding.add(finding.at_most_times(*good.best, *total.best, kFarLess),
                times_text(good, total) + " (at most 0.6)");
  }
  for (const Player& good : {with_bound("lin_up_ucb_bl"), with_bound("lin_up_ucb")}) {
    const Estimate less = difference(*total.best, *good.best);
    finding.add(finding.above(less, 0.0), fmt::format("{} minus {} is {} (above 0)", total.label,
                                                      regret_of(good), text_of(less)));
  }
  return finding;
}

struct Claim {
  std::string_view statement;
  Finding (*judge)(const ExperimentResult&);
};

constexpr std::array<Claim, 9> kClaims = {{
    {"Uplift policies that know the affected sets have far less regret than UCB and Thompson "
     "sampling",
     known_sets_win},
    {"Not knowing the baseline costs little", baseline_costs_little},
    {"Not knowing the affected sets costs more, and much more on criteo", unknown_sets_cost},
    {"A lower bound on the baseline has about the same mean regret as an upper bound, but a much "
     "higher 95th percentile",
     lower_bound_has_tail},
    {"With L = 10 affected variables, a bound of 5 fails whatever alpha is, 8 can be rescued by a "
     "larger alpha, 15 is sublinear but has more regret",
     wrong_bound},
    {"In targeted campaigns whose payoffs follow the models, C2UpUCB, with the baseline known or "
     "not, is sublinear and beats epsilon-greedy; greedy and C2UCB do badly",
     campaigns_explore},
    {"In targeted campaigns whose payoffs are records in part, C2UpUCB treats people with larger "
     "uplifts than epsilon-greedy, with the baseline known or not, and both beat greedy, C2UCB and "
     "chance",
     recorded_campaigns_explore},
    {"In these campaigns C2UpUCB and epsilon-greedy come out about alike in payoffs, and the "
     "regret "
     "of all learners is linear",
     recorded_campaigns_end_alike},
    {"In contextual bandits with linear payoffs, policies that know the affected sets have far "
     "less "
     "regret than one that works with the total payoff; with only L known they still have less",
     contexts_gain},
}};

Verdict::Outcome outcome_of(Answer answer) {
  return answer == Answer::kYes  ? Verdict::Outcome::kSupported
         : answer == Answer::kNo ? Verdict::Outcome::kNotSupported
                                 : Verdict::Outcome::kInconclusive;
}

Verdict judge_claim(const ExperimentResult& result, int number) {
  if (number < 1 || number > static_cast<int>(kClaims.size())) {
    throw InvalidInput("claims", number, "must be from 1 to 9");
  }
  const Claim& claim = kClaims[static_cast<std::size_t>(number - 1)];
  Verdict verdict;
  verdict.claim = number;
  verdict.statement = claim.statement;
  try {
    if (result.experiment.runs < 2) throw NotTested{"one run has no standard error"};
    const Finding finding = claim.judge(result);
    verdict.outcome = outcome_of(finding.answer());
    verdict.evidence = finding.text();
    if (can_settle_claims(result.experiment)) return verdict;
    verdict.outcome = Verdict::Outcome::kInconclusive;
    verdict.evidence = "No verdict, since the run is short. It saw: " + verdict.evidence;
  } catch (const NotTested& refused) {
    verdict.outcome = Verdict::Outcome::kNotTested;
    verdict.evidence = fmt::format("Not tested: {}.", refused.reason);
  }
  return verdict;
}

}  // namespace

const char* outcome_name(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::kSupported:
      return "supported";
    case Verdict::Outcome::kNotSupported:
      return "not supported";
    case Verdict::Outcome::kInconclusive:
      return "inconclusive";
    case Verdict::Outcome::kNotTested:
      return "not tested";
  }
  return "";
}

std::vector<Verdict> judge(const ExperimentResult& result) {
  std::vector<Verdict> verdicts;
  for (const int claim : result.experiment.claims) verdicts.push_back(judge_claim(result, claim));
  return verdicts;
}

}  // namespace updraft
