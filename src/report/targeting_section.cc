#include "report/targeting_section.h"

#include <fmt/format.h>

#include <cmath>

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

/// A sentence for each policy that plays by the theorem: what that promises. Empty if there is
/// none, or where payoffs are not linear. [hsieh22, theorem on C2UpUCB]
std::string theorem_text(const ExperimentResult& result) {
  const TargetingSetting& setting = *result.experiment.targeting;
  std::string text;
  if (!result.population || setting.response != ResponseKind::kLinear) return text;
  for (std::size_t p = 0; p < result.experiment.policies.size(); ++p) {
    const PolicySpec& spec = result.best(p).spec;
    const auto delta = spec.number("delta");
    if (spec.name() != "c2_up_ucb" || !delta || spec.word("model") == "logistic") continue;
    const auto budget = static_cast<double>(setting.budget);
    const double bound = bound_c2_up_ucb({.features = result.population->features,
                                          .individuals = setting.individuals,
                                          .budget = setting.budget,
                                          .treatments = result.population->treatments,
                                          .ridge = spec.number("lambda").value_or(budget),
                                          .norm_bound = spec.number_or_default("bound"),
                                          .rounds = static_cast<double>(result.experiment.rounds),
                                          .delta = *delta});
    text += fmt::format(
        "\n{}: the theorem's bound on the regret is {}, if the noise has sd at most 1, features "
        "have length at most 1 and every theta has length at most {}.\n",
        plain(result.experiment.policies[p].label), rounded(bound),
        number_text(spec.number_or_default("bound")));
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
