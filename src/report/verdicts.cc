#include <fmt/format.h>

#include <array>

#include "report/claims.h"
#include "report/limit_claims.h"
#include "report/setting_text.h"
#include "updraft/error.h"
#include "updraft/report.h"

namespace updraft {
namespace {

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
    {"With L = 10 affected variables, a bound of 5 fails for every alpha, a bound of 8 can be "
     "rescued by a larger alpha, and a bound of 15 is sublinear but has more regret",
     wrong_bound},
    {"In targeting, if all payoffs follow the models, C2UpUCB, with the baseline known or "
     "not, is sublinear and beats epsilon-greedy; greedy and C2UCB do badly",
     targeting_explores},
    {"In targeting, if some payoffs are recorded, C2UpUCB treats people with larger "
     "uplifts than epsilon-greedy, with the baseline known or not, and both beat greedy, C2UCB and "
     "chance",
     recorded_targeting_explores},
    {"In targeting, if some payoffs are recorded, C2UpUCB and epsilon-greedy get about the same "
     "payoffs, and the regret of "
     "all learners is linear",
     recorded_targeting_ends_alike},
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

/// `find`: what the result says of the statement.
template <typename Find>
Verdict verdict_on(const ExperimentResult& result, const std::string& statement, Find find) {
  Verdict verdict;
  verdict.statement = statement;
  try {
    if (result.experiment.runs < 2) throw NotTested{"one run has no standard error"};
    const Finding finding = find();
    verdict.outcome = outcome_of(finding.answer());
    verdict.evidence = finding.text();
    if (can_settle_claims(result.experiment)) return verdict;
    verdict.outcome = Verdict::Outcome::kInconclusive;
    verdict.evidence = "No verdict, because the run is short. Evidence: " + verdict.evidence;
  } catch (const NotTested& refused) {
    verdict.outcome = Verdict::Outcome::kNotTested;
    verdict.evidence = fmt::format("Not tested: {}.", refused.reason);
  }
  return verdict;
}

Verdict judge_claim(const ExperimentResult& result, int number) {
  if (number < 1 || number > static_cast<int>(kClaims.size())) {
    throw InvalidInput("claims", number, "must be from 1 to 9");
  }
  const Claim& claim = kClaims[static_cast<std::size_t>(number - 1)];
  Verdict verdict =
      verdict_on(result, std::string(claim.statement), [&] { return claim.judge(result); });
  verdict.claim = number;
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
  for (const RegretLimit& limit : result.experiment.limits) {
    verdicts.push_back(
        verdict_on(result, limit_text(limit), [&] { return judge_limit(result, limit); }));
  }
  return verdicts;
}

}  // namespace updraft
