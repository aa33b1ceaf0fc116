#include "report/targeting_section.h"

#include <fmt/format.h>

#include <cmath>

#include "policies/width_schedule.h"
#include "report/compare.h"
#include "report/markdown.h"
#include "report/numbers.h"
#include "updraft/error.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

std::string with_interval(const RankingScore& score) {
  if (std::isnan(score.mean)) return "-";
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", score.mean, score.interval.low,
                     score.interval.high);
}

std::string measures_table(const ExperimentResult& result) {
  std::string table =
      header({"policy", "regret of payoffs ± s.e.", "mean uplift of the treated ± s.e.",
              "slope of the regret", "Qini (90 % interval)", "AUUC (90 % interval)"},
             "|---|---:|---:|---:|---:|---:|");
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    const GridPoint& best = result.best(p);
    const TargetingMeasures& measures = *best.targeting;
    const Summary uplift = measures.uplift.back();
    const auto slope = log_slope(result, best);
    table += row({plain(result.experiment.policies[p].label), with_error(measures.realised.back()),
                  fmt::format("{:.4f} ± {:.4f}", uplift.mean, uplift.stderr_),
                  slope ? fmt::format("{:.2f}", *slope) : "-", with_interval(measures.qini),
                  with_interval(measures.auuc)});
  }
  return table;
}

/// What the policy's theorem promises; empty if it has none, or is not played by it.
std::string theorem_sentence(const ExperimentResult& result, std::size_t policy) {
  const TargetingSetting& setting = *result.experiment.targeting;
  const PolicySpec& spec = result.best(policy).spec;
  const auto delta = spec.number("delta");
  for (const TargetingBoundInfo& theorem : targeting_bounds()) {
    if (theorem.name != spec.name() || !delta || spec.word("model") == "logistic") continue;
    const double norm_bound = spec.number_or_default("bound");
    const double bound = theorem.evaluate({.features = result.population->features,
                                           .individuals = setting.individuals,
                                           .budget = setting.budget,
                                           .treatments = result.population->treatments,
                                           .ridge = ridge_of(spec, setting.budget),
                                           .norm_bound = norm_bound,
                                           .rounds = static_cast<double>(result.experiment.rounds),
                                           .delta = *delta});
    return fmt::format(
        "\n{}: the theorem's bound on the regret is {}, if the noise has sd at most 1, features "
        "have length at most 1 and every theta has length at most {}.\n",
        plain(result.experiment.policies[policy].label), rounded(bound), number_text(norm_bound));
  }
  return {};
}

/// A sentence for each policy that plays by its theorem, if payoffs are linear. [hsieh22, theorem
/// on C2UpUCB]
std::string theorem_text(const ExperimentResult& result) {
  std::string text;
  const bool linear = result.experiment.targeting->response == ResponseKind::kLinear;
  if (!result.population || !linear) return text;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    text += theorem_sentence(result, p);
  }
  return text;
}

}  // namespace

std::string targeting_section(const ExperimentResult& result) {
  const PopulationSummary population = result.population.value_or(PopulationSummary());
  const bool normal = result.experiment.targeting->response == ResponseKind::kLinear;
  return fmt::format(
      "## Treated individuals and ranking\n\nRegret of payoffs: how much more the best choice of "
      "individuals would have paid with the same random numbers{}. Slope: that of log regret "
      "against log rounds over the second half; linear regret has slope 1. Qini and AUUC judge how "
      "the "
      "policy ranks the {} held-out individuals after the last round, judged by their recorded "
      "treatments and outcomes, per individual: means over the runs, with intervals from 200 "
      "resamples of the held-out individuals. A random ranking has a Qini of 0 and an AUUC of half "
      "the mean uplift.{}\n\n{}{}\n",
      normal ? "; normal noise does not depend on the treatment and does not change the regret"
             : "",
      grouped(static_cast<double>(population.held_out), 0),
      population.treatments > 1 ? " With several treatments, only those held-out individuals count "
                                  "who had no treatment or the one with the policy's largest "
                                  "index: rows differ between policies, and so do their uplifts."
                                : "",
      measures_table(result), theorem_text(result));
}

}  // namespace updraft
