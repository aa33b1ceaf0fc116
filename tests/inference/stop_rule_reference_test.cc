// The stop rule against docs/stopping.md, by plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "inference/made_bandit.h"
#include "reference/noise_fit.h"
#include "reference/random_case.h"
#include "updraft/evidence.h"

namespace updraft {
namespace {

using testing::AtomRound;
using testing::Matrix;
using testing::NoiseFit;
using testing::Real;
using testing::Vector;
using testing::zeros;

struct Compared {
  Real difference = 0.0L;
  Real reach = 0.0L;
};

bool contains(std::span<const GroupId> atoms, std::size_t atom) {
  return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
}

/// 1 for the atoms that a or b affects, and for the others -beta, beta = S_CC^-1 S_CU 1. Standard
/// deviations of U are the means of those under a and b.
Vector contrast(const NoiseFit& fit, const AffectedSets& sets, ActionId a, ActionId b) {
  const std::size_t atoms = fit.sd.size();
  std::vector<std::size_t> u, c;
  for (std::size_t g = 0; g < atoms; ++g) {
    const bool moved = contains(sets.atoms_of(a), g) || contains(sets.atoms_of(b), g);
    (moved ? u : c).push_back(g);
  }
  Vector weights = zeros(atoms);
  for (const std::size_t g : u) weights[g] = 1.0L;
  Matrix among = zeros(c.size(), c.size());
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < c.size(); ++j) among[i][j] = fit.correlation[c[i]][c[j]];
  }
  const Matrix solved = testing::inverse(among);
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (fit.sd[c[i]] == 0.0L) continue;
    for (std::size_t j = 0; j < c.size(); ++j) {
      for (const std::size_t g : u) {
        const Real sd = 0.5L * (fit.sd_under[a][g] + fit.sd_under[b][g]);
        weights[c[i]] -= solved[i][j] * fit.correlation[c[j]][g] * sd / fit.sd[c[i]];
      }
    }
  }
  return weights;
}

Real variance_under(const NoiseFit& fit, const Vector& weights, ActionId action) {
  Real sum = 0.0L;
  for (std::size_t g = 0; g < weights.size(); ++g) {
    for (std::size_t h = 0; h < weights.size(); ++h) {
      sum += weights[g] * fit.sd_under[action][g] * fit.correlation[g][h] *
             fit.sd_under[action][h] * weights[h];
    }
  }
  return std::max(0.0L, sum) * fit.inflation;
}

/// `factor`: of the rounds of every action, with the estimates that they have now.
Compared compare(const std::vector<AtomRound>& rounds, const AffectedSets& sets,
                 const NoiseFit& fit, ActionId a, ActionId b, Real error, Real factor = 1.0L) {
  constexpr Real kSettle = 10.0L;
  const Vector weights = contrast(fit, sets, a, b);
  const Real variance = std::max(variance_under(fit, weights, a), variance_under(fit, weights, b));
  Compared out;
  Real log = std::log(static_cast<Real>(sets.actions() - 1) / error);
  Real sum = 0.0L;
  Real spread = 0.0L;
  for (const ActionId end : {a, b}) {
    Real n = 0.0L;
    for (const AtomRound& round : rounds) n += round.action == end ? factor : 0.0L;
    const Real u = variance * (n + kSettle) / (n * n);
    log += std::log(1.0L + n / kSettle) / 2.0L;
    sum += u;
    spread += u * u / (factor * fit.own_dof[end]);
    const Vector mean = mean_of(rounds, end);
    for (std::size_t g = 0; g < mean.size(); ++g) {
      out.difference += (end == a ? 1.0L : -1.0L) * weights[g] * mean[g];
    }
  }
  const Real all = factor * static_cast<Real>(fit.dof);
  const Real degrees = spread > 0.0L ? std::min(all, sum * sum / spread) : all;
  out.reach = std::sqrt(sum) * std::sqrt(degrees * (std::exp(2.0L * log / degrees) - 1.0L));
  return out;
}

/// Whether the leader would beat all others with so many rounds more.
bool would_settle(const std::vector<AtomRound>& rounds, const AffectedSets& sets,
                  const NoiseFit& fit, const Settlement& now, Real error, Real more) {
  const auto count = static_cast<Real>(rounds.size());
  for (const Rival& rival : now.rivals) {
    const Compared then =
        compare(rounds, sets, fit, *now.leader, rival.action, error, (count + more) / count);
    if (!(then.difference > then.reach)) return false;
  }
  return true;
}

/// Up to 50 rounds the noise model is fitted in each.
TEST(StopRule, AgreesWithThePlainFormulas) {
  constexpr std::uint32_t kRounds = 48;
  constexpr double kError = 0.1;
  std::size_t compared = 0;
  std::size_t beaten = 0;
  std::size_t foretold = 0;
  for (std::uint32_t number = 0; number < 60; ++number) {
    const testing::RandomCase world = testing::random_case("up_ts", number);
    const std::size_t actions = world.knowledge.actions();
    if (actions < 2 || actions * Evidence::kLeastCompared > kRounds) continue;
    Evidence evidence(world.knowledge.only(Need::kAffected), {.error = kError});
    const AffectedSets& sets = *world.knowledge.affected();
    std::vector<AtomRound> rounds;
    double scale = 1.0;
    for (std::uint32_t t = 0; t < kRounds; ++t) {
      // The first half in turn, then the last action in every second round.
      const auto action =
          static_cast<ActionId>(t % 2 == 0 && t >= kRounds / 2 ? actions - 1 : t % actions);
      const std::vector<double> paid = world.payoffs(t, action);
      evidence.observed(action, Payoffs::dense(paid));
      AtomRound round{action, zeros(sets.atoms()->groups())};
      for (VariableId i = 0; i < paid.size(); ++i) {
        round.sums[sets.atoms()->group_of(i)] += paid[i];
        scale = std::max(scale, std::abs(paid[i]));
      }
      rounds.push_back(std::move(round));
    }
    scale *= static_cast<double>(world.knowledge.variables());
    const Settlement now = evidence.settlement();
    ASSERT_TRUE(now.leader.has_value());
    const NoiseFit fit = fit_noise(rounds, sets, {});
    for (const Rival& rival : now.rivals) {
      if (!rival.difference.interval) continue;
      const Compared plain = compare(rounds, sets, fit, *now.leader, rival.action, kError);
      const std::string what =
          "case " + std::to_string(number) + ", action " + std::to_string(rival.action);
      const Interval& interval = *rival.difference.interval;
      EXPECT_NEAR(*rival.difference.value, static_cast<double>(plain.difference), 1e-9 * scale)
          << what;
      EXPECT_NEAR(0.5 * (interval.high - interval.low), static_cast<double>(plain.reach),
                  1e-7 * scale)
          << what;
      if (std::abs(plain.difference - plain.reach) > 1e-7L * scale) {
        EXPECT_EQ(rival.beaten, plain.difference > plain.reach) << what;
      }
      ++compared;
      beaten += rival.beaten ? 1 : 0;
    }
    if (now.more_rounds) {
      const auto more = static_cast<Real>(*now.more_rounds);
      EXPECT_TRUE(would_settle(rounds, sets, fit, now, kError, more + 1.0L)) << number;
      EXPECT_FALSE(more > 3.0L && would_settle(rounds, sets, fit, now, kError, more - 3.0L))
          << number;
      ++foretold;
    }
  }
  EXPECT_GT(compared, 60u);
  EXPECT_GT(beaten, 3u);
  EXPECT_LT(beaten, compared);
  EXPECT_GT(foretold, 10u);
}

/// After 50 rounds the noise model is not fitted in each, but it is before the run settles.
TEST(StopRule, SettlesByANoiseModelOfAllRounds) {
  const testing::MadeBandit bandit{.effects = {0.0, 0.6, 0.0}};
  const Knowledge knowledge = testing::MadeBandit::knowledge();
  const AffectedSets& sets = *knowledge.affected();
  for (std::uint32_t run = 0; run < 4; ++run) {
    Evidence evidence(knowledge, {});
    std::vector<AtomRound> rounds;
    while (!evidence.settled() && rounds.size() < 2000) {
      const auto t = static_cast<std::uint32_t>(rounds.size());
      const ActionId action = t % testing::MadeBandit::kActions;
      const std::vector<double> paid = bandit.pay(run, t, action);
      evidence.observed(action, Payoffs::dense(paid));
      AtomRound round{action, zeros(sets.atoms()->groups())};
      for (VariableId i = 0; i < paid.size(); ++i) round.sums[sets.atoms()->group_of(i)] += paid[i];
      rounds.push_back(std::move(round));
    }
    ASSERT_TRUE(evidence.settled().has_value());
    ASSERT_GT(rounds.size(), 100u);
    const NoiseFit fit = fit_noise(rounds, sets, {});
    for (const Rival& rival : evidence.settlement().rivals) {
      const Compared plain = compare(rounds, sets, fit, *evidence.settled(), rival.action, 0.05L);
      EXPECT_NEAR(rival.difference.interval->low,
                  static_cast<double>(plain.difference - plain.reach), 1e-9)
          << run;
      EXPECT_GT(plain.difference, plain.reach) << run;
    }
  }
}

}  // namespace
}  // namespace updraft
