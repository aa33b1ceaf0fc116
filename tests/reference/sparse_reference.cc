// The policies that are told nothing but perhaps segments: up_ts_sparse and up_ts_sparse_bl.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "random/chi_squared.h"
#include "reference/plain_algebra.h"
#include "reference/reference_parameters.h"
#include "reference/sparse_noise_fit.h"
#include "reference/ucb_reference.h"
#include "stats/count_unit.h"
#include "updraft/partition.h"

namespace updraft::testing {

namespace {

/// The units of docs/policies/up_ts_sparse.md, 'The units'.
Partition units_of(const PolicySpec& spec, const Knowledge& knowledge) {
  if (knowledge.segments() != nullptr) return *knowledge.segments();
  const std::size_t variables = knowledge.variables();
  const auto most = static_cast<std::size_t>(spec.number("units").value_or(128.0));
  const std::size_t units = std::min(variables, most);
  std::vector<GroupId> of_variable(variables);
  for (std::size_t u = 0; u < units; ++u) {
    for (std::size_t i = u * variables / units; i < (u + 1) * variables / units; ++i) {
      of_variable[i] = static_cast<GroupId>(u);
    }
  }
  return Partition::of_groups(of_variable);
}

/// What the Markov chain remembers.
struct Chain {
  Vector baseline;        // [unit]: b
  Matrix effects;         // [action][unit]: d
  Vector dense;           // [action]: D
  Real inclusion = 0.1L;  // pi
  Real variance = 1.0L;   // tau^2
  Real tendency = 0.0L;   // mu

  Real uplift(ActionId a) const {
    Real sum = dense[a];
    for (const Real effect : effects[a]) sum += effect;
    return sum;
  }
};

/// The draws of sweep `number`, as 'Draws' lays them out.
class SweepDraws {
 public:
  SweepDraws(const Stream& stream, std::uint32_t round, std::uint64_t number, std::size_t actions,
             std::size_t units)
      : stream_(stream), round_(round), number_(number), actions_(actions), units_(units) {
    const std::uint64_t pairs = actions * units;
    normals_ = even(pairs + actions + 2);
    effects_ = normals_ + even(units + actions + 2);
    first_ = number * (effects_ + even(pairs));
  }

  double indicator(GroupId g, ActionId a) const { return uniform(g * actions_ + a); }
  double dense_indicator(ActionId a) const { return uniform(actions_ * units_ + a); }
  double omega() const { return uniform(actions_ * units_ + actions_); }
  double tau() const { return uniform(actions_ * units_ + actions_ + 1); }
  double baseline(GroupId g) const { return normal(normals_ + g); }
  double dense(ActionId a) const { return normal(normals_ + units_ + a); }
  double dense_baseline() const { return normal(normals_ + units_ + actions_); }
  double tendency() const { return normal(normals_ + units_ + actions_ + 1); }
  double effect(GroupId g, ActionId a) const { return normal(effects_ + g * actions_ + a); }
  double chi_squared_number(std::uint64_t j, std::uint64_t degrees) const {
    return chi_squared(stream_, round_, (std::uint64_t{1} << 32) + 256 * number_ + 64 * j, degrees);
  }

 private:
  static std::uint64_t even(std::uint64_t width) { return width + width % 2; }
  double uniform(std::uint64_t place) const { return stream_.uniform(round_, first_ + place); }
  double normal(std::uint64_t place) const { return stream_.normal(round_, first_ + place); }

  Stream stream_;
  std::uint32_t round_;
  std::uint64_t number_;
  std::size_t actions_;
  std::size_t units_;
  std::uint64_t first_ = 0;
  std::uint64_t normals_ = 0;
  std::uint64_t effects_ = 0;
};

/// The place of a draw by weights exp(logs), from the first place on.
std::size_t draw_place(const Vector& logs, double u) {
  const Real largest = *std::max_element(logs.begin(), logs.end());
  Real total = 0.0L;
  for (const Real log : logs) total += std::exp(log - largest);
  Real passed = 0.0L;
  for (std::size_t j = 0; j < logs.size(); ++j) {
    passed += std::exp(logs[j] - largest);
    if (u * total < passed) return j;
  }
  return logs.size() - 1;
}

/// What each action shows of one quantity: y(a) has the variance v(a) around a baseline and, if a
/// moves the quantity, an effect that is normal with mean `centre` (M) and variance `slab` (T).
struct Quantity {
  Vector y;
  Vector v;
  std::vector<bool> moved;
  Real slab = 0.0L;
  Real centre = 0.0L;

  Real around_baseline(ActionId a) const { return moved[a] ? y[a] - centre : y[a]; }
  Real weight(ActionId a) const { return 1.0L / (moved[a] ? v[a] + slab : v[a]); }

  /// A draw of the effect of a, z being normal.
  Real effect(ActionId a, Real beta, Real z) const {
    if (!moved[a]) return 0.0L;
    const Real h = slab / (slab + v[a]);
    return centre + h * (y[a] - beta - centre) + std::sqrt(h * v[a]) * z;
  }
};

/// The sum of the weights and the weighted mean of all actions.
struct WeightedMean {
  Real weight = 0.0L;
  Real mean = 0.0L;
};

WeightedMean mean_of(const Quantity& quantity) {
  WeightedMean result;
  for (ActionId a = 0; a < quantity.y.size(); ++a) {
    result.weight += quantity.weight(a);
    result.mean += quantity.weight(a) * quantity.around_baseline(a);
  }
  result.mean /= result.weight;
  return result;
}

/// One sweep of 'A sweep', by the full matrices S and S^-1.
class Sweep {
 public:
  Sweep(const SparseNoiseFit& fit, const Matrix& means, const Vector& weights, bool known,
        const SweepDraws& draws, Chain& chain)
      : fit_(fit), means_(means), weights_(weights), known_(known), draws_(draws), chain_(chain) {
    const Real dof = static_cast<Real>(fit.degrees);
    k_ = fit.inflation * dof / draws.chi_squared_number(2, fit.degrees);
  }

  void run() {
    for (GroupId g = 0; g < chain_.baseline.size(); ++g) draw_unit(g);
    draw_dense();
    draw_prior();
  }

 private:
  std::size_t actions() const { return means_.size(); }

  void draw_dense() {
    Quantity total{.y = zeros(actions()), .v = zeros(actions()), .moved = {}};
    for (ActionId a = 0; a < actions(); ++a) {
      for (GroupId g = 0; g < chain_.baseline.size(); ++g) {
        total.y[a] += means_[a][g] - chain_.baseline[g] - chain_.effects[a][g];
      }
      total.v[a] = k_ * fit_.total_variance / weights_[a];
      total.moved.push_back(chain_.dense[a] != 0.0L);
    }
    total.slab = draw_omega(total);
    for (ActionId a = 0; a < actions(); ++a) {
      draw_indicator(total, a, dense_odds(total, a), draws_.dense_indicator(a));
    }
    const Real beta = draw_beta(total, draws_.dense_baseline());
    for (GroupId g = 0; g < chain_.baseline.size(); ++g) {
      chain_.baseline[g] += beta * fit_.shock[g];
    }
    for (ActionId a = 0; a < actions(); ++a) {
      chain_.dense[a] = total.effect(a, beta, draws_.dense(a));
    }
  }

  /// The values of omega^2.
  Vector omegas() const {
    const Real units = static_cast<Real>(fit_.scales.size());
    Real mean = 0.0L;
    for (const Real scale : fit_.scales) mean += scale / units;
    Vector result;
    for (Real factor = 1.0L; factor <= units * units && result.size() < 12; factor *= 4.0L) {
      result.push_back(factor * mean);
    }
    return result;
  }

  Real draw_omega(Quantity total) const {
    Vector logs;
    for (const Real omega : omegas()) {
      total.slab = omega;
      const WeightedMean of_all = mean_of(total);
      const Real c = known_ ? 0.0L : of_all.mean;
      Real log = known_ ? 0.0L : -std::log(of_all.weight) / 2.0L;
      for (ActionId a = 0; a < actions(); ++a) {
        const Real o = total.weight(a);
        log += std::log(o) / 2.0L - o * (total.y[a] - c) * (total.y[a] - c) / 2.0L;
      }
      logs.push_back(log);
    }
    return omegas()[draw_place(logs, draws_.omega())];
  }

  /// The prior odds that a has a dense part, given which other actions have one.
  Real dense_odds(const Quantity& total, ActionId a) const {
    Real rounds = 0.0L;
    for (const Real weight : weights_) rounds += weight;
    const Real q = std::min(1.0L, 100.0L / rounds) / 2.0L;
    Real with = 0.0L;
    Real without = 0.0L;
    for (ActionId b = 0; b < actions(); ++b) {
      if (b != a) (total.moved[b] ? with : without) += 1.0L;
    }
    return (q + with) / (10.0L + without);
  }

  /// Draws whether a moves the quantity, by the prior odds and the uniform number u.
  void draw_indicator(Quantity& quantity, ActionId a, Real prior_odds, double u) const {
    Real others = 0.0L;
    Real sum = 0.0L;
    for (ActionId b = 0; b < actions(); ++b) {
      if (b == a) continue;
      others += quantity.weight(b);
      sum += quantity.weight(b) * quantity.around_baseline(b);
    }
    if (!known_ && others <= 1e-12L * (others + quantity.weight(a))) return;
    const Real from = known_ ? quantity.y[a] : quantity.y[a] - sum / others;
    const Real off = (known_ ? 0.0L : 1.0L / others) + quantity.v[a];
    const Real on = off + quantity.slab;
    const Real beyond = from - quantity.centre;
    const Real x = (from * from / off - beyond * beyond / on) / 2.0L;
    const Real odds = prior_odds * std::sqrt(off / on) * std::exp(std::min(300.0L, x));
    quantity.moved[a] = u * (1.0L + odds) < odds;
  }

  /// By how much the baseline grows, z being normal.
  Real draw_beta(const Quantity& quantity, Real z) const {
    if (known_) return 0.0L;
    const WeightedMean of_all = mean_of(quantity);
    return of_all.mean + z / std::sqrt(of_all.weight);
  }

  void draw_unit(GroupId g) {
    const Real precision = std::max(fit_.precision[g][g], 1e-12L / fit_.variances[g]);
    Quantity unit{.y = zeros(actions()),
                  .v = zeros(actions()),
                  .moved = {},
                  .slab = chain_.variance * fit_.scales[g],
                  .centre = chain_.tendency * std::sqrt(fit_.scales[g])};
    for (ActionId a = 0; a < actions(); ++a) {
      Real product = 0.0L;
      for (GroupId j = 0; j < chain_.baseline.size(); ++j) {
        product += fit_.precision[g][j] * (means_[a][j] - chain_.baseline[j] -
                                           chain_.effects[a][j] - chain_.dense[a] * fit_.shock[j]);
      }
      unit.y[a] = chain_.effects[a][g] + product / precision;
      unit.v[a] = k_ / (weights_[a] * precision);
      unit.moved.push_back(chain_.effects[a][g] != 0.0L);
    }
    const Real odds = chain_.inclusion / (1.0L - chain_.inclusion);
    for (ActionId a = 0; a < actions(); ++a) {
      draw_indicator(unit, a, odds, draws_.indicator(g, a));
    }
    const Real beta = draw_beta(unit, draws_.baseline(g));
    chain_.baseline[g] += beta;
    for (ActionId a = 0; a < actions(); ++a) {
      chain_.effects[a][g] = unit.effect(a, beta, draws_.effect(g, a));
    }
  }

  void draw_prior() {
    std::uint64_t moved = 0;
    std::uint64_t pairs = 0;
    Real sum = 0.0L;
    Real squares = chain_.tendency * chain_.tendency;
    for (const Vector& of_action : chain_.effects) {
      for (GroupId g = 0; g < of_action.size(); ++g) {
        ++pairs;
        if (of_action[g] == 0.0L) continue;
        ++moved;
        const Real x = of_action[g] / std::sqrt(fit_.scales[g]);
        sum += x;
        squares += (x - chain_.tendency) * (x - chain_.tendency);
      }
    }
    const Real x = draws_.chi_squared_number(0, 1 + 2 * moved);
    const Real y = draws_.chi_squared_number(1, 9 + 2 * (pairs - moved));
    chain_.inclusion = std::clamp(x / (x + y), 1e-6L, 0.95L);
    if (chain_.baseline.size() == 1) chain_.inclusion = 1.0L - 1e-9L;
    const Real count = static_cast<Real>(moved + 1);
    Vector logs;
    for (int power = -5; power <= 6; ++power) {
      const Real variance = std::exp2(static_cast<Real>(power));
      logs.push_back(-count * std::log(variance) / 2.0L - squares / (2.0L * variance));
    }
    chain_.variance = std::exp2(static_cast<Real>(draw_place(logs, draws_.tau())) - 5.0L);
    chain_.tendency = (sum + std::sqrt(chain_.variance * count) * draws_.tendency()) / count;
  }

  const SparseNoiseFit& fit_;
  const Matrix& means_;
  const Vector& weights_;
  bool known_;
  const SweepDraws& draws_;
  Chain& chain_;
  Real k_ = 1.0L;
};

/// docs/policies/up_ts_sparse.md.
class UpTsSparse final : public ReferencePolicy {
 public:
  UpTsSparse(const PolicySpec& spec, const Knowledge& knowledge, bool known)
      : ReferencePolicy(knowledge.actions(), knowledge.variables()),
        units_(units_of(spec, knowledge)),
        known_(known),
        counts_(units_.groups()),
        rows_(units_.groups()),
        sums_(zeros(knowledge.actions(), units_.groups())) {
    if (!known) return;
    baseline_ = zeros(units_.groups());
    for (VariableId i = 0; i < knowledge.variables(); ++i) {
      baseline_[units_.group_of(i)] += given_baseline(knowledge)[i];
    }
  }

  std::vector<double> indices(const Stream& stream) const override {
    std::vector<double> result;
    if (!fit_) {  // for which all actions need feedback
      const std::vector<ActionId> choices = allowed();
      const bool others =
          std::all_of(choices.begin(), choices.end(), [this](ActionId a) { return pulls(a) > 0; });
      for (ActionId a = 0; a < actions(); ++a) {
        const bool first = pulls(a) == 0 || others;
        result.push_back(first ? std::numeric_limits<double>::infinity() : 0.0);
      }
      return result;
    }
    Chain chain = chain_;
    sweep(chain, stream, static_cast<std::uint32_t>(decisions()), 0);
    const Real sweeps = static_cast<Real>(chain_sweeps());
    for (ActionId a = 0; a < actions(); ++a) {
      const Real u = chain.uplift(a);
      const Real mean = (sweeps * mean_uplifts_[a] + u) / (sweeps + 1.0L);
      const Real share =
          std::min(1.0L, std::sqrt(2.0L * std::log(rounds()) / static_cast<Real>(pulls(a))));
      result.push_back(static_cast<double>(mean + share * (u - mean)));
    }
    return result;
  }

  std::optional<double> explained_index(ActionId) const override { return std::nullopt; }
  std::optional<double> explained_radius(ActionId) const override { return std::nullopt; }

  double magnitude(ActionId a) const override {
    double size = 0.0;
    for (GroupId g = 0; g < units_.groups(); ++g) {
      size += static_cast<double>(std::abs(unit_means()[a][g]));
      if (fit_) size += static_cast<double>(std::abs(chain_.baseline[g]));
    }
    return size;
  }

 private:
  Real rounds() const { return static_cast<Real>(observed_actions().size()); }

  std::size_t chain_sweeps() const {
    return std::clamp<std::size_t>(12000 / (actions() * units_.groups()), 1, 3);
  }

  Matrix unit_means() const {
    Matrix means = sums_;
    for (ActionId a = 0; a < actions(); ++a) {
      for (Real& mean : means[a]) mean /= static_cast<Real>(std::max<std::uint64_t>(1, pulls(a)));
    }
    return means;
  }

  void after_observe(ActionId a, std::span<const double> payoffs) override {
    std::vector<double> x(units_.groups());
    units_.sum_dense(payoffs, x);
    counts_.add(x);
    const Real n = static_cast<Real>(pulls(a));
    Vector row = zeros(x.size());
    std::uint64_t mark = 0;
    for (GroupId g = 0; g < x.size(); ++g) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(x[g] + 0.0);  // no -0
      mark = 0x9E3779B97F4A7C15u * (std::rotl(mark, 23) ^ ((bits + (1u << 27)) / (1u << 28)));
      if (n > 1.0L) row[g] = std::sqrt((n - 1.0L) / n) * (x[g] - sums_[a][g] / (n - 1.0L));
      sums_[a][g] += x[g];
    }
    seed_ += mark;
    if (n > 1.0L) rows_.add(row);
    for (ActionId b = 0; b < actions(); ++b) {
      if (pulls(b) == 0) return;
    }
    if (!fit_) start_chain();
    const auto t = static_cast<double>(observed_actions().size());
    if (!fit_ || t >= 1.02 * fitted_at_) {
      fit();
      fitted_at_ = t;
    }
    mean_uplifts_ = zeros(actions());
    const Stream stream(seed_, 0, Purpose::kChain);
    for (std::size_t i = 0; i < chain_sweeps(); ++i) {
      sweep(chain_, stream, static_cast<std::uint32_t>(observed_actions().size()), i);
      for (ActionId b = 0; b < actions(); ++b) {
        mean_uplifts_[b] += chain_.uplift(b) / static_cast<Real>(chain_sweeps());
      }
    }
  }

  void start_chain() {
    chain_.effects = zeros(actions(), units_.groups());
    chain_.dense = zeros(actions());
    chain_.baseline = baseline_;
    if (known_) return;
    for (GroupId g = 0; g < units_.groups(); ++g) {
      Vector of_unit;
      for (const Vector& mean : unit_means()) of_unit.push_back(mean[g]);
      std::sort(of_unit.begin(), of_unit.end());
      chain_.baseline.push_back(of_unit[actions() / 2]);
    }
  }

  void fit() {
    SparseNoiseData data{.means = unit_means(),
                         .pulls = {},
                         .rows = rows_.rows(),
                         .squares = rows_.squares(),
                         .degrees = 0,
                         .unit = std::nullopt};
    for (ActionId a = 0; a < actions(); ++a) data.pulls.push_back(pulls(a));
    const std::uint64_t within = observed_actions().size() - actions();
    data.degrees = within;
    if (within < 2 * actions()) {
      for (ActionId a = 0; a < actions(); ++a) {
        Vector row = zeros(units_.groups());
        for (GroupId g = 0; g < row.size(); ++g) {
          const Real dense = fit_ ? chain_.dense[a] * fit_->shock[g] : 0.0L;
          row[g] = std::sqrt(static_cast<Real>(pulls(a))) *
                   (data.means[a][g] - chain_.baseline[g] - chain_.effects[a][g] - dense);
          data.squares[g] += row[g] * row[g];
        }
        data.rows.push_back(row);
      }
      data.degrees += known_ ? actions() : actions() - 1;
    }
    data.degrees = std::max<std::uint64_t>(1, data.degrees);
    if (counts_.counts()) data.unit = counts_.unit() > 0.0 ? counts_.unit() : 1.0;
    fit_ = fit_sparse_noise(data);
  }

  void sweep(Chain& chain, const Stream& stream, std::uint32_t round, std::uint64_t number) const {
    Vector weights;
    for (ActionId a = 0; a < actions(); ++a) weights.push_back(static_cast<Real>(pulls(a)));
    const SweepDraws draws(stream, round, number, actions(), units_.groups());
    const Matrix means = unit_means();
    Sweep(*fit_, means, weights, known_, draws, chain).run();
  }

  Partition units_;
  bool known_;
  Vector baseline_;
  CountUnit counts_;
  KeptRows rows_;
  Matrix sums_;  // [action][unit]
  std::uint64_t seed_ = 0;
  std::optional<SparseNoiseFit> fit_;
  double fitted_at_ = 0.0;
  Chain chain_;
  Vector mean_uplifts_;
};

}  // namespace

ReferencePointer reference_up_ts_sparse(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpTsSparse>(spec, knowledge, false);
}

ReferencePointer reference_up_ts_sparse_bl(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpTsSparse>(spec, knowledge, true);
}

}  // namespace updraft::testing
