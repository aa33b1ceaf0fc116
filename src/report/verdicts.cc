#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "report/compare.h"
#include "report/numbers.h"
#include "updraft/error.h"
#include "updraft/report.h"

// The claims are those that the paper's figures make [hsieh22, Section 7]. A claim
// that something is larger must hold with two standard errors to spare; a claim that something is
// about the same, or at most so large, is given two standard errors of room.

namespace updraft {
namespace {

constexpr double kFarLess = 0.6;      ///< claim 1: share of the regret of ucb and ts
constexpr double kLittle = 1.5;       ///< claims 2, 4, 5: ratio that still counts as about equal
constexpr double kMuchMore = 1.5;     ///< claim 3, on criteo
constexpr double kHigherTail = 1.25;  ///< claim 4: ratio of the 95th percentiles
constexpr double kLinear = 0.8;       ///< claim 5: growth from which regret counts as linear
constexpr double kFails = 2.0;        ///< claim 5: ratio from which a policy has failed
constexpr double kAlike = 0.1;        ///< claim 8: share of what chance loses

/// A policy of the result with its chosen point.
struct Player {
  std::string label;
  const PolicyGrid* grid = nullptr;
  const GridPoint* best = nullptr;
};

/// What a rule found. A claim is supported where all of its parts hold.
struct Finding {
  bool holds = true;
  std::string text;

  void add(bool part_holds, const std::string& part) {
    holds = holds && part_holds;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", part, part_holds ? "yes" : "no");
  }
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

Finding known_sets_win(const ExperimentResult& result) {
  const std::array uplift = {find(result, "up_ucb_bl"), find(result, "up_ucb")};
  const std::array plain = {find(result, "ucb"), find(result, "ts")};
  Finding finding;
  for (const Player& good : uplift) {
    const Summary& regret = good.best->final_regret;
    double share = 0.0;
    for (const Player& bad : plain) {
      const Summary& other = bad.best->final_regret;
      const double least = other.mean - 2.0 * other.stderr_;
      share =
          std::max(share, least > 0.0 ? (regret.mean + 2.0 * regret.stderr_) / least : HUGE_VAL);
    }
    finding.add(share <= kFarLess,
                fmt::format("{}, at most {} of both", regret_of(good),
                            std::isfinite(share) ? percent(share) : "any share"));
  }
  finding.text =
      fmt::format("{} and {}; rule: mean + 2 s.e. at most 60 % of their mean - 2 s.e.; {}",
                  regret_of(plain[0]), regret_of(plain[1]), finding.text);
  return finding;
}

Finding baseline_costs_little(const ExperimentResult& result) {
  const Player unknown = find(result, "up_ucb");
  const Player known = find(result, "up_ucb_bl");
  const Estimate cost = ratio(*unknown.best, *known.best);
  Finding finding;
  finding.add(cost.low() <= kLittle,
              fmt::format("{} is {} times {} (at most 1.5, with 2 s.e. of room)",
                          regret_of(unknown), text_of(cost), regret_of(known)));
  return finding;
}

Finding unknown_sets_cost(const ExperimentResult& result) {
  const std::array unknown = {find(result, "up_ucb_l_bl"), find(result, "up_ucb_l")};
  const std::array known = {find(result, "up_ucb_bl"), find(result, "up_ucb")};
  Finding finding;
  for (std::size_t j = 0; j < unknown.size(); ++j) {
    const Estimate more = difference(*unknown[j].best, *known[j].best);
    finding.add(more.low() > 0.0,
                fmt::format("{} minus {} is {} (above 0 by more than 2 s.e.)",
                            regret_of(unknown[j]), regret_of(known[j]), text_of(more)));
    if (result.experiment.instance != "criteo") continue;
    const Estimate times = ratio(*unknown[j].best, *known[j].best);
    finding.add(
        times.low() >= kMuchMore,
        fmt::format("and {} times as much (at least 1.5, with 2 s.e. to spare)", text_of(times)));
  }
  if (result.experiment.instance != "criteo") {
    finding.text += "; how much more on criteo is judged there";
  }
  return finding;
}

Finding lower_bound_has_tail(const ExperimentResult& result) {
  const Player upper = find_bound(result, "ucb");
  const Player lower = find_bound(result, "lcb");
  const Estimate mean = ratio(*lower.best, *upper.best);
  const double upper_tail = upper.best->final_regret.p95;
  const double lower_tail = lower.best->final_regret.p95;
  Finding finding;
  finding.add(mean.high() >= 1.0 / kLittle && mean.low() <= kLittle,
              fmt::format("the mean of {} is {} times that of {} (between 2/3 and 1.5, with 2 s.e. "
                          "of room)",
                          regret_of(lower), text_of(mean), regret_of(upper)));
  finding.add(
      lower_tail > 0.0 && lower_tail >= kHigherTail * upper_tail,
      fmt::format(
          "95th percentile {} against {}{} (at least 1.25 times; percentiles are given "
          "without error)",
          rounded(lower_tail), rounded(upper_tail),
          upper_tail > 0.0 ? fmt::format(", {} times", rounded(lower_tail / upper_tail)) : ""));
  return finding;
}

/// Whether every value of the grid of `small` fails beside the tuned `right`.
void add_always_fails(Finding& finding, const ExperimentResult& result, const Player& small,
                      const Player& right) {
  std::size_t values = 0;
  std::size_t failed = 0;
  double least_growth = HUGE_VAL;
  Estimate least{HUGE_VAL, 0.0};
  for (const GridPoint& point : result.points) {
    if (point.policy != small.best->policy) continue;
    const Estimate times = ratio(point, *right.best);
    const double grows = growth(result, point);
    ++values;
    failed += grows > kLinear || times.low() > kFails;
    least_growth = std::min(least_growth, grows);
    if (times.value < least.value) least = times;
  }
  finding.add(
      failed == values,
      fmt::format("{} fails with {} of {} values of {} (growth above 0.8, or regret above "
                  "twice that of {} with 2 s.e. to spare; least growth {:.2f}, least regret "
                  "{} times)",
                  small.label, failed, values, small.grid->parameter, regret_of(right),
                  least_growth, text_of(least)));
}

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
  Finding finding;
  add_always_fails(finding, result, five, ten);
  const Estimate rescued = ratio(*eight.best, *ten.best);
  const double eight_alpha = eight.best->value.value_or(0.0);
  const double ten_alpha = ten.best->value.value_or(0.0);
  finding.add(eight_alpha > ten_alpha,
              fmt::format("{} takes a larger alpha than {} ({} and {})", eight.label, ten.label,
                          number_text(eight_alpha), number_text(ten_alpha)));
  finding.add(rescued.low() <= kLittle,
              fmt::format("with which {} is {} times that of {} (at most 1.5, with 2 s.e. of room)",
                          regret_of(eight), text_of(rescued), ten.label));
  const double grows = growth(result, *fifteen.best);
  finding.add(grows < kLinear,
              fmt::format("{} is sublinear, growth {:.2f} (below 0.8)", fifteen.label, grows));
  const Estimate more = difference(*fifteen.best, *ten.best);
  finding.add(more.low() > 0.0, fmt::format("{} minus {} is {} (above 0 by more than 2 s.e.)",
                                            regret_of(fifteen), ten.label, text_of(more)));
  finding.text += ". Growth is (R(T) - R(T/2)) / R(T/2), 1 for linear regret";
  return finding;
}

/// Sublinear and ahead of eps-greedy told the same, for both that subtract a baseline.
Finding campaigns_explore(const ExperimentResult& result) {
  if (result.experiment.campaign && result.experiment.campaign->recorded) {
    throw NotTested{"payoffs are records in part, and the claim is about those by the models"};
  }
  const std::array optimistic = {find(result, "c2_up_ucb_bl"), find(result, "c2_up_ucb")};
  const std::array random = {find(result, "eps_greedy_bl"), find(result, "eps_greedy")};
  Finding finding;
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    const Player& player = optimistic[j];
    const double grows = growth(result, *player.best);
    finding.add(grows < kLinear, fmt::format("{} is sublinear, growth {:.2f} (below 0.8)",
                                             regret_of(player), grows));
    const Estimate less = difference(*random[j].best, *player.best);
    finding.add(less.low() > 0.0, fmt::format("{} has {} more regret (above 0 by more than 2 s.e.)",
                                              regret_of(random[j]), text_of(less)));
  }
  // The paper's greedy knows the baseline.
  for (const Player& bad : {find(result, "greedy_bl"), find(result, "c2_ucb")}) {
    Estimate least{HUGE_VAL, 0.0};
    for (const Player& good : optimistic) {
      const Estimate times = ratio(*bad.best, *good.best);
      if (times.low() < least.low()) least = times;
    }
    finding.add(least.low() >= kMuchMore,
                fmt::format("{} has {} times the regret of the worse of these, or more (at least "
                            "1.5, with 2 s.e. to spare)",
                            regret_of(bad), text_of(least)));
  }
  finding.text += ". Growth is (R(T) - R(T/2)) / R(T/2), 1 for linear regret";
  if (result.population && result.population->generated) {
    finding.text += ". Played on generated individuals, not on the paper's data";
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

void check_recorded(const ExperimentResult& result) {
  if (result.experiment.campaign && result.experiment.campaign->recorded) return;
  throw NotTested{"the claim is about campaigns whose payoffs are records in part"};
}

std::string uplift_of(const Player& player) {
  const Summary& uplift = player.best->campaign->uplift.back();
  return fmt::format("{} ({:.4f} ± {:.4f})", player.label, uplift.mean, uplift.stderr_);
}

void add_larger_uplift(Finding& finding, const Player& good, const Player& bad) {
  const Estimate more =
      difference_of(good.best->campaign->final_uplift, bad.best->campaign->final_uplift);
  finding.add(more.low() > 0.0,
              fmt::format("{} minus {} is {:.4f} ± {:.4f} (above 0 by more than 2 s.e.)",
                          uplift_of(good), uplift_of(bad), more.value, more.error));
}

/// By the mean uplift of those treated.
Finding recorded_campaigns_explore(const ExperimentResult& result) {
  check_recorded(result);
  const std::array optimistic = {find(result, "c2_up_ucb_bl"), find(result, "c2_up_ucb")};
  const std::array random = {find(result, "eps_greedy_bl"), find(result, "eps_greedy")};
  Finding finding;
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
  Finding finding;
  for (std::size_t j = 0; j < optimistic.size(); ++j) {
    const Estimate apart = difference_of(optimistic[j].best->campaign->final_realised,
                                         random[j].best->campaign->final_realised);
    finding.add(
        apart.low() <= most && apart.high() >= -most,
        fmt::format("the regret of payoffs of {} minus that of {} is {} (at most {} in size, "
                    "a tenth of that of chance, with 2 s.e. of room)",
                    optimistic[j].label, random[j].label, text_of(apart), rounded(most)));
  }
  for (const char* name :
       {"greedy_bl", "eps_greedy_bl", "eps_greedy", "c2_up_ucb_bl", "c2_up_ucb", "c2_ucb"}) {
    const Player player = find(result, name);
    const double grows = growth(result, *player.best);
    finding.add(grows >= kLinear, fmt::format("{} is linear, growth {:.2f} (at least 0.8)",
                                              regret_of(player), grows));
  }
  finding.text += ". Growth is (R(T) - R(T/2)) / R(T/2), 1 for linear regret";
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
  Finding finding;
  for (const char* name : {"lin_up_ucb_bl", "lin_up_ucb"}) {
    const Player good = find(result, name);
    const Estimate share = ratio(*good.best, *total.best);
    finding.add(share.high() <= kFarLess,
                fmt::format("{} is {} times {} (at most 0.6, with 2 s.e. to spare)",
                            regret_of(good), text_of(share), regret_of(total)));
  }
  for (const Player& good : {with_bound("lin_up_ucb_bl"), with_bound("lin_up_ucb")}) {
    const Estimate less = difference(*total.best, *good.best);
    finding.add(less.low() > 0.0, fmt::format("{} minus {} is {} (above 0 by more than 2 s.e.)",
                                              total.label, regret_of(good), text_of(less)));
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
    verdict.outcome =
        finding.holds ? Verdict::Outcome::kSupported : Verdict::Outcome::kNotSupported;
    verdict.evidence = finding.text + ".";
  } catch (const NotTested& refused) {
    verdict.outcome = Verdict::Outcome::kNotTested;
    verdict.evidence = fmt::format("Not tested: {}.", refused.reason);
  }
  return verdict;
}

}  // namespace

const char* outcome_name(Verdict::Outcome outcome) {
  return outcome == Verdict::Outcome::kSupported      ? "supported"
         : outcome == Verdict::Outcome::kNotSupported ? "not supported"
                                                      : "not tested";
}

std::vector<Verdict> judge(const ExperimentResult& result) {
  std::vector<Verdict> verdicts;
  for (const int claim : result.experiment.claims) verdicts.push_back(judge_claim(result, claim));
  return verdicts;
}

}  // namespace updraft
