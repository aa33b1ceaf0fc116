#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "service/misfit.h"

namespace updraft {
namespace {

constexpr std::uint64_t kLeastRounds = 30;
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
void add_wide(double variance, double bound, std::vector<Misfit>& out) {
  const double most = 1.0 + bound * bound;
  if (!(variance > kWide * kWide * most)) return;
  const double sd = std::sqrt(variance);
  out.push_back({Misfit::Kind::kScale, std::nullopt,
                 fmt::format("Payoffs under the same action have a standard deviation of {:.3g}; "
                             "delta is right for noise of at most 1 and expected payoffs within "
                             "{:.3g}, which together have at most {:.3g}.",
                             sd, bound, std::sqrt(most)),
                 fmt::format("Make a new campaign and divide all payoffs by {:.2g}, or give beta "
                             "in place of delta.",
                             sd)});
}

/// By |<theta, x>| <= |theta| |x|, an expected payoff is no larger than the bound.
void add_beyond(const LiveCampaign& campaign, double bound, std::vector<Misfit>& out) {
  const auto tallies = campaign.watch().tallies();
  for (ActionId action = 0; action < tallies.size(); ++action) {
    const Tally& tally = tallies[action];
    if (tally.count < kLeastRounds) continue;
    const auto count = static_cast<double>(tally.count);
    const double error = std::sqrt(tally.spread() / (count - 1.0) / count);
    if (!(std::abs(tally.mean()) - kStandardErrors * error > bound)) continue;
    out.push_back(
        {Misfit::Kind::kScale, action,
         fmt::format("{} has a mean payoff of {:.4g}; delta is right if coefficients are "
                     "at most bound = {:.3g} long, and then no expected payoff is larger.",
                     action_text(campaign.definition(), action), tally.mean(), bound),
         "Make a new campaign with a larger bound, or divide all payoffs by one number."});
    return;
  }
}

}  // namespace

std::vector<Misfit> context_misfits(const LiveCampaign& campaign) {
  std::vector<Misfit> out;
  const PolicySpec& spec = campaign.definition().spec;
  if (!spec.number("delta") || campaign.any_policy().observations() < kLeastRounds) return out;
  const double bound = spec.number_or_default("bound");
  add_wide(variance_within(campaign.watch().tallies()), bound, out);
  add_beyond(campaign, bound, out);
  return out;
}

}  // namespace updraft
