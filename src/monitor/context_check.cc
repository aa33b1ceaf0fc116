#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "monitor/assumption_check.h"

namespace updraft {
namespace {

constexpr std::uint64_t kLeastContextRounds = 30;
constexpr double kWide = 2.0;            // times the largest standard deviation that delta allows
constexpr double kStandardErrors = 5.0;  // that a mean must be beyond the bound

/// The variance of single payoffs within actions; 0 as long as no action has two.
double variance_within(std::span<const Tally> tallies) {
  double spread = 0.0;
  double degrees = 0.0;
  for (const Tally& tally : tallies) {
    if (tally.count < 2) continue;
    spread += tally.spread();
    degrees += static_cast<double>(tally.count - 1);
  }
  return degrees == 0.0 ? 0.0 : spread / degrees;
}

/// The noise has a standard deviation of at most 1, and expected payoffs lie within the bound.
void add_wide(double variance, double bound, const WarningWords& words,
              std::vector<AssumptionWarning>& out) {
  const double most = 1.0 + bound * bound;
  if (!(variance > kWide * kWide * most)) return;
  const double sd = std::sqrt(variance);
  out.push_back({AssumptionWarning::Kind::kScale, std::nullopt,
                 fmt::format("Payoffs under the same action have a standard deviation of {:.3g}; "
                             "delta is right for noise of at most 1 and expected payoffs within "
                             "{:.3g}, which together have at most {:.3g}.",
                             sd, bound, std::sqrt(most)),
                 fmt::format("Make a new {} and divide all payoffs by {:.2g}, or give beta "
                             "in place of delta.",
                             words.learner, sd)});
}

/// By |<theta, x>| <= |theta| |x|, an expected payoff is no larger than the bound.
void add_beyond(std::span<const Tally> tallies, double bound, const WarningWords& words,
                std::vector<AssumptionWarning>& out) {
  for (ActionId action = 0; action < tallies.size(); ++action) {
    const Tally& tally = tallies[action];
    if (tally.count < kLeastContextRounds) continue;
    const auto count = static_cast<double>(tally.count);
    const double error = std::sqrt(tally.spread() / (count - 1.0) / count);
    if (!(std::abs(tally.mean()) - kStandardErrors * error > bound)) continue;
    out.push_back(
        {AssumptionWarning::Kind::kScale, action,
         fmt::format("{} has a mean payoff of {:.4g}; delta is right if coefficients are "
                     "at most bound = {:.3g} long, and then no expected payoff is larger.",
                     action_text(words, action), tally.mean(), bound),
         fmt::format("Make a new {} with a larger bound, or divide all payoffs by one number.",
                     words.learner)});
    return;
  }
}

}  // namespace

std::vector<AssumptionWarning> check_context_scale(const PolicySpec& spec, std::uint64_t rounds,
                                                   std::span<const Tally> payoffs,
                                                   const WarningWords& words) {
  std::vector<AssumptionWarning> out;
  if (!spec.number("delta") || rounds < kLeastContextRounds) return out;
  const double bound = spec.number_or_default("bound");
  add_wide(variance_within(payoffs), bound, words, out);
  add_beyond(payoffs, bound, words, out);
  return out;
}

}  // namespace updraft
