#include "stats/sparse_effects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "random/chi_squared.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;

/// The prior of the share of effects is Beta(kShareOn / 2, kShareOff / 2), kept within bounds. A
/// single unit leaves nothing to be sparse about: every action moves it, as good as certainly.
constexpr std::uint64_t kShareOn = 1, kShareOff = 9;
constexpr double kLeastShare = 1e-6, kMostShare = 0.95, kShareOfOneUnit = 1.0 - 1e-9;

/// The scale of effects is one of 2^-5 to 2^6, all equally likely before any payoff.
constexpr int kLeastScale = -5, kMostScale = 6;
constexpr std::size_t kScales = kMostScale - kLeastScale + 1;

/// The variances of the dense part are the mean of effect_variance times 1, 4, 16, ... up to the
/// square of the number of units, at most so many.
constexpr std::size_t kDenseVariances = 12;

/// Sums of weights below this share of all weights are rounding.
constexpr double kNoWeight = 1e-12;

/// Exponents beyond this are certain.
constexpr double kCertain = 300.0;

/// One of the places with probabilities in proportion to exp(logs), which are overwritten.
std::size_t draw_place(std::span<double> logs, double uniform) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double all = 0.0;
  for (double& each : logs) all += each = std::exp(each - largest);
  double left = uniform * all;
  std::size_t place = 0;
  while (place + 1 < logs.size() && left > logs[place]) left -= logs[place++];
  return place;
}

}  // namespace

SparseEffects::SparseEffects(std::size_t actions, std::size_t units)
    : baseline(Eigen::VectorXd::Zero(static_cast<Index>(units))),
      effects(Eigen::MatrixXd::Zero(static_cast<Index>(actions), static_cast<Index>(units))),
      dense(Eigen::VectorXd::Zero(static_cast<Index>(actions))) {}

void SparseEffects::write(StateWriter& writer) const {
  writer.f64s({baseline.data(), static_cast<std::size_t>(baseline.size())});
  writer.f64s({effects.data(), static_cast<std::size_t>(effects.size())});
  writer.f64s({dense.data(), static_cast<std::size_t>(dense.size())});
  writer.f64(share);
  writer.f64(scale);
  writer.f64(tendency);
  writer.f64(dense_variance);
}

void SparseEffects::read(StateReader& reader) {
  reader.f64s({baseline.data(), static_cast<std::size_t>(baseline.size())},
              "policy state: baseline");
  reader.f64s({effects.data(), static_cast<std::size_t>(effects.size())}, "policy state: effects");
  reader.f64s({dense.data(), static_cast<std::size_t>(dense.size())},
              "policy state: dense effects");
  share = reader.f64();
  scale = reader.f64();
  tendency = reader.f64();
  dense_variance = reader.f64();
  const double most = effects.cols() == 1 ? kShareOfOneUnit : kMostShare;
  if (!(share >= kLeastShare && share <= most)) {
    throw InvalidInput("policy state: share of effects", share,
                       "must be in [1e-6, 0.95], or up to 1 - 1e-9 with a single unit");
  }
  if (!(scale >= std::ldexp(1.0, kLeastScale) && scale <= std::ldexp(1.0, kMostScale))) {
    throw InvalidInput("policy state: scale of effects", scale, "must be in [2^-5, 64]");
  }
  if (!(dense_variance >= 0.0)) {
    throw InvalidInput("policy state: variance of dense effects", dense_variance, "must be >= 0");
  }
}

SweepDraws::SweepDraws(std::size_t actions, std::size_t units)
    : units_(units),
      cells_(actions * units),
      uniforms_(cells_ + actions + 2),
      normals_(units + actions + 2) {}

void SweepDraws::use(const Stream& stream, std::uint64_t round, std::uint64_t sweep) {
  stream_ = stream;
  round_ = static_cast<std::uint32_t>(round);
  const std::uint64_t uniforms = Stream::whole_pairs(uniforms_.size());
  const std::uint64_t normals = Stream::whole_pairs(normals_.size());
  const std::uint64_t width = uniforms + normals + Stream::whole_pairs(cells_);
  const std::uint64_t first = sweep * width;
  effects_ = first + uniforms + normals;
  // Behind all sweeps; each has four, and each takes hardly ever more than 16 draws.
  first_chi_squared_ = (std::uint64_t{1} << 32) + 256 * sweep;
  stream_.uniforms(round_, first, uniforms_);
  stream_.normals(round_, first + uniforms, normals_);
}

double SweepDraws::chi_squared(std::uint64_t j, std::uint64_t degrees) const {
  return updraft::chi_squared(stream_, round_, first_chi_squared_ + 64 * j, degrees);
}

SparseSampler::SparseSampler(std::size_t actions, std::size_t units)
    : residuals_(static_cast<Index>(actions), static_cast<Index>(units)),
      seen_(static_cast<Index>(actions)),
      variance_(static_cast<Index>(actions)),
      weight_(static_cast<Index>(actions)),
      change_(static_cast<Index>(actions)),
      included_(actions) {}

void SparseSampler::start(const SparseData& data, const SparseEffects& state) {
  const FactorNoise& noise = *data.noise;
  residuals_ = *data.means - state.effects;
  for (Index g = 0; g < residuals_.cols(); ++g) {
    residuals_.col(g).array() -= state.baseline[g];
    residuals_.col(g) -= noise.spread[g] * state.dense;
  }
  controlled_.resize(residuals_.rows(), noise.controls.rows());
  controlled_.noalias() = residuals_ * noise.controls.transpose();
}

/// With w = S 1 / 1'S 1 the estimate of the dense part is what the effects leave of the total, and
/// its variance that of the total. A shift of all actions is one of the baseline.
void SparseSampler::draw_dense(const SparseData& data, double factor, const SweepDraws& draws,
                               SparseEffects& state) {
  const FactorNoise& noise = *data.noise;
  const auto actions = static_cast<std::size_t>(residuals_.rows());
  seen_ = residuals_.rowwise().sum().array() + state.dense.array();
  variance_ = factor * noise.total_variance / data.pulls.array();
  note_included(state.dense);
  state.dense_variance = draw_dense_variance(data, draws);

  const Slab slab{0.0, state.dense_variance};
  const double prior_on = kDenseOn * std::min(1.0, kDenseRounds / data.pulls.sum());
  draw_indicators(
      data.baseline_known, slab,
      [&](std::size_t a) {
        const double others = on_ - included_[a];
        return (prior_on + others) / (kDenseOff + static_cast<double>(actions - 1) - others);
      },
      [&](std::size_t a) { return draws.dense_uniform(a); });
  double shift = 0.0;
  if (!data.baseline_known) {
    shift = weighted_ / weights_ + draws.dense_normal(actions) / std::sqrt(weights_);
  }
  draw_effects(
      slab, shift, [&](std::size_t a) { return draws.dense_normal(a); }, state.dense);
  state.baseline += shift * noise.spread;
  residuals_.noalias() -= change_.matrix() * noise.spread.transpose();
  controlled_.noalias() -= change_.matrix() * noise.controlled.transpose();
}

/// Given which actions have a dense part.
double SparseSampler::draw_dense_variance(const SparseData& data, const SweepDraws& draws) {
  const double least = data.noise->effect_variance.mean();
  const auto units = static_cast<double>(residuals_.cols());
  std::array<double, kDenseVariances> logs{};
  std::size_t values = 0;
  for (double times = 1.0; times <= units * units && values < kDenseVariances; times *= 4.0) {
    double& log = logs[values++];
    if (on_ == 0.0) continue;
    for (Index a = 0; a < seen_.size(); ++a) {
      weight_[a] = 1.0 / (variance_[a] + times * least * included_[static_cast<std::size_t>(a)]);
    }
    const double precision = weight_.sum();
    const double centre = data.baseline_known ? 0.0 : (weight_ * seen_).sum() / precision;
    log = 0.5 * weight_.log().sum() - 0.5 * (weight_ * (seen_ - centre).square()).sum();
    if (!data.baseline_known) log -= 0.5 * std::log(precision);
  }
  const std::size_t place =
      draw_place(std::span(logs).first(values), draws.dense_variance_uniform());
  return std::ldexp(least, 2 * static_cast<int>(place));
}

void SparseSampler::note_included(const Eigen::Ref<const Eigen::VectorXd>& effect) {
  on_ = 0.0;
  for (Index a = 0; a < effect.size(); ++a) {
    const bool included = effect[a] != 0.0;
    included_[static_cast<std::size_t>(a)] = included;
    on_ += included;
  }
}

/// One action after the other, given those of the others, from what seen_ and variance_ tell.
template <typename Odds, typename Uniform>
void SparseSampler::draw_indicators(bool baseline_known, const Slab& slab, Odds prior_odds,
                                    Uniform uniform) {
  const auto actions = static_cast<std::size_t>(seen_.size());
  weights_ = weighted_ = 0.0;
  for (std::size_t a = 0; a < actions; ++a) {
    const auto at = static_cast<Index>(a);
    weight_[at] = 1.0 / (included_[a] ? variance_[at] + slab.variance : variance_[at]);
    weights_ += weight_[at];
    weighted_ += weight_[at] * (seen_[at] - (included_[a] ? slab.mean : 0.0));
  }
  for (std::size_t a = 0; a < actions; ++a) {
    const auto at = static_cast<Index>(a);
    char& included = included_[a];
    const double weighted = weight_[at] * (seen_[at] - (included ? slab.mean : 0.0));
    double centre = 0.0, centre_variance = 0.0;
    if (!baseline_known) {
      const double others = weights_ - weight_[at];
      if (!(others > kNoWeight * weights_)) continue;  // nothing else tells the baseline
      centre = (weighted_ - weighted) / others;
      centre_variance = 1.0 / others;
    }
    const double off = centre_variance + variance_[at];
    const double on = off + slab.variance;
    const double distance = seen_[at] - centre;
    const double exponent =
        0.5 * (distance * distance / off - (distance - slab.mean) * (distance - slab.mean) / on);
    const double odds =
        prior_odds(a) * std::sqrt(off / on) * std::exp(std::min(exponent, kCertain));
    const char moved = uniform(a) * (1.0 + odds) < odds;
    if (moved == included) continue;
    on_ += moved - included;
    included = moved;
    const double weight = 1.0 / (moved ? variance_[at] + slab.variance : variance_[at]);
    weights_ += weight - weight_[at];
    weighted_ += weight * (seen_[at] - (moved ? slab.mean : 0.0)) - weighted;
    weight_[at] = weight;
  }
}

/// The effects given the indicators and a shift of the baseline. change_: effects and shift
/// together, over what they were.
template <typename Normal>
void SparseSampler::draw_effects(const Slab& slab, double shift, Normal normal,
                                 Eigen::Ref<Eigen::VectorXd> effect) {
  for (Index a = 0; a < effect.size(); ++a) {
    double drawn = 0.0;
    if (included_[static_cast<std::size_t>(a)] != 0) {
      const double shrink = slab.variance / (slab.variance + variance_[a]);
      drawn = slab.mean + shrink * (seen_[a] - shift - slab.mean) +
              std::sqrt(shrink * variance_[a]) * normal(static_cast<std::size_t>(a));
    }
    change_[a] = shift + drawn - effect[a];
    effect[a] = drawn;
  }
}

void SparseSampler::draw_unit(const SparseData& data, double factor, const SweepDraws& draws,
                              Index unit, SparseEffects& state) {
  const FactorNoise& noise = *data.noise;
  auto residual = residuals_.col(unit);
  auto effect = state.effects.col(unit);
  const double precision = noise.precision[unit];
  const Slab slab{state.tendency * std::sqrt(noise.effect_variance[unit]),
                  state.scale * noise.effect_variance[unit]};

  change_ = residual.array() / noise.own[unit];
  for (Index k = 0; k < controlled_.cols(); ++k) {
    change_ -= noise.controls(k, unit) * controlled_.col(k).array();
  }
  seen_ = effect.array() + change_ / precision;
  variance_ = factor / (precision * data.pulls.array());
  note_included(effect);
  const auto first = static_cast<std::size_t>(unit * seen_.size());
  const double prior_odds = state.share / (1.0 - state.share);
  draw_indicators(
      data.baseline_known, slab, [&](std::size_t) { return prior_odds; },
      [&](std::size_t a) { return draws.uniform(first + a); });
  double shift = 0.0;
  if (!data.baseline_known) {
    shift = weighted_ / weights_ +
            draws.baseline_normal(static_cast<std::size_t>(unit)) / std::sqrt(weights_);
  }
  draw_effects(
      slab, shift, [&](std::size_t a) { return draws.effect_normal(first + a); }, effect);
  state.baseline[unit] += shift;
  residual.array() -= change_;
  for (Index k = 0; k < controlled_.cols(); ++k) {
    controlled_.col(k).array() -= noise.controls(k, unit) * change_;
  }
}

/// The prior of the tendency, normal with mean 0 and variance scale, counts as one more effect.
void SparseSampler::draw_prior(const SparseData& data, const SweepDraws& draws,
                               SparseEffects& state) const {
  std::uint64_t on = 0;
  double sum = 0.0, squares = state.tendency * state.tendency;
  for (Index g = 0; g < state.effects.cols(); ++g) {
    const double sd = std::sqrt(data.noise->effect_variance[g]);
    for (Index a = 0; a < state.effects.rows(); ++a) {
      if (state.effects(a, g) == 0.0) continue;
      const double effect = state.effects(a, g) / sd;
      on += 1;
      sum += effect;
      squares += (effect - state.tendency) * (effect - state.tendency);
    }
  }
  const std::uint64_t off = static_cast<std::uint64_t>(state.effects.size()) - on;
  const double x = draws.chi_squared(0, kShareOn + 2 * on);
  const double y = draws.chi_squared(1, kShareOff + 2 * off);
  state.share = std::clamp(x / (x + y), kLeastShare, kMostShare);
  if (state.effects.cols() == 1) state.share = kShareOfOneUnit;
  const double effects = static_cast<double>(on) + 1.0;
  std::array<double, kScales> logs{};
  for (std::size_t j = 0; j < kScales; ++j) {
    const int power = kLeastScale + static_cast<int>(j);
    logs[j] = -0.5 * effects * power * std::log(2.0) - 0.5 * squares * std::ldexp(1.0, -power);
  }
  state.scale =
      std::ldexp(1.0, kLeastScale + static_cast<int>(draw_place(logs, draws.scale_uniform())));
  state.tendency = (sum + std::sqrt(effects * state.scale) * draws.tendency_normal()) / effects;
}

void SparseSampler::sweep(const SparseData& data, double variance_factor, const SweepDraws& draws,
                          SparseEffects& state) {
  for (Index g = 0; g < residuals_.cols(); ++g) {
    draw_unit(data, variance_factor, draws, g, state);
  }
  draw_dense(data, variance_factor, draws, state);
  draw_prior(data, draws, state);
}

}  // namespace updraft
