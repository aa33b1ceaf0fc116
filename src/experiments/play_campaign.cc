#include "experiments/play_campaign.h"

#include "experiments/campaign_rounds.h"
#include "experiments/oracle.h"
#include "updraft/simulate.h"

namespace updraft {
namespace {

/// Asks about all who are held out as if they came in one pool.
std::vector<IndividualExplanation> estimates_of_held_out(const CampaignPopulation& population,
                                                         const Policy& policy, TrueUplifts& truth) {
  std::vector<double> baseline;
  std::vector<double> uplifts;
  for (std::size_t i = population.drawn(); i < population.size(); ++i) {
    baseline.push_back(population.mean(i, 0));
    for (Treatment z = 1; z <= population.treatments; ++z) {
      uplifts.push_back(population.mean(i, z) - population.mean(i, 0));
    }
  }
  truth.values = uplifts;
  return policy
      .explain(
          {.features = std::span(population.rows).subspan(population.drawn() * population.features),
           .width = population.features,
           .baseline = baseline})
      .individuals;
}

}  // namespace

CampaignOutcome play_campaign(const CampaignArena& arena, const PolicySpec& spec, std::uint32_t run,
                              TaskControl& control) {
  const CampaignPopulation& population = *arena.population;
  const Knowledge knowledge(
      TargetingShape{population.features, population.treatments, arena.budget});
  TrueUplifts truth;
  const auto policy = make_simulated_policy(spec, knowledge, truth);
  const auto best = make_oracle(PolicySpec::parse("oracle"), knowledge, truth);
  const Stream stream(arena.seed, run, Purpose::kPolicy);
  CampaignRounds rounds(population, arena.pool, arena.seed, run);
  std::vector<double> payoffs(arena.pool);
  CampaignOutcome outcome;
  double regret = 0.0;
  double realised = 0.0;
  double uplift = 0.0;
  double treated = 0.0;
  for (std::uint32_t round = 0; round < arena.curve_rounds.back(); ++round) {
    rounds.draw(round);
    truth.values = rounds.uplifts();
    const Round pool = rounds.pool();
    const Decision decision = policy->decide(pool, stream);
    const std::vector<Treatment>& chosen = decision.treatments;
    const std::vector<Treatment> ideal = best->decide(pool, stream).treatments;
    for (std::size_t i = 0; i < arena.pool; ++i) {
      payoffs[i] = rounds.payoff(i, chosen[i]);
      if (chosen[i] != ideal[i]) {
        realised += rounds.payoff(i, ideal[i]) - payoffs[i];
        regret += rounds.uplift(i, ideal[i]) - rounds.uplift(i, chosen[i]);
      }
      if (chosen[i] == 0) continue;
      treated += 1.0;
      uplift += rounds.uplift(i, chosen[i]);
    }
    policy->learn(decision, pool, Payoffs::dense(payoffs));
    if (round + 1 == arena.curve_rounds[outcome.regret.size()]) {
      outcome.regret.push_back(regret);
      outcome.realised.push_back(realised);
      outcome.uplift.push_back(treated > 0.0 ? uplift / treated : 0.0);
    }
    control.advance(1);
    if (control.cancelled()) throw Cancelled();
  }
  if (population.held_out > 0) {
    outcome.held_out = estimates_of_held_out(population, *policy, truth);
  }
  return outcome;
}

}  // namespace updraft
