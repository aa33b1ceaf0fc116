#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "policies/all_policies.h"
#include "policies/sparse_explanation.h"
#include "stats/count_unit.h"
#include "stats/factor_noise.h"
#include "stats/sparse_effects.h"
#include "stats/unit_moments.h"
#include "updraft/error.h"
#include "updraft/policy.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of freedom of the residuals of the means: they tell of the noise as long as there are few rounds
/// within actions, fewer than this times K.
constexpr std::uint64_t kFewRounds = 2;

/// With more pulls than kSettled log(t) an action's draw is moved towards the mean of draws.
constexpr double kSettled = 2.0;

/// Cells, that is actions times units, that the sweeps after an observation may go through, and
/// those behind a probability.
constexpr std::size_t kChainCells = 12'000, kShareCells = 16'000;
constexpr std::size_t kMostChainSweeps = 3, kMostShares = 16;

/// The units of a policy: segments if they are known, single variables if these are few, else as
/// many runs of neighbouring variables as may be made.
std::shared_ptr<const Partition> units_of(const PolicySpec& spec, const Knowledge& knowledge) {
  if (knowledge.segments() != nullptr) return knowledge.segments();
  const std::size_t variables = knowledge.variables();
  const auto most = static_cast<std::size_t>(spec.number_or_default("units"));
  const std::size_t units = std::min(variables, most);
  std::vector<Partition::Segment> runs;
  for (std::size_t u = 0; u < units; ++u) {
    runs.push_back({{static_cast<VariableId>(u * variables / units),
                     static_cast<VariableId>((u + 1) * variables / units)},
                    static_cast<GroupId>(u)});
  }
  return std::make_shared<const Partition>(std::move(runs));
}

/// A number that stands for the payoffs of a round. Sums are rounded to 24 significant bits: dense
/// and sparse payoffs are added in different orders, so the last bits of their sums may differ.
std::uint64_t mark_of(std::span<const double> sums) {
  std::uint64_t mark = 0;
  for (const double sum : sums) {
    const std::uint64_t rounded = (std::bit_cast<std::uint64_t>(sum + 0.0) + (1u << 27)) >> 28;
    mark = 0x9E3779B97F4A7C15u * (std::rotl(mark, 23) ^ rounded);
  }
  return mark;
}

/// Thompson sampling told nothing: which units an action moves is learnt, and so are baseline and
/// noise. docs/policies/up_ts_sparse.md has the model (stats/sparse_effects.h) and all formulas.
///
/// A Markov chain follows the posterior. It moves with every observation, by draws that depend on
/// the payoffs alone, and so is part of the state; a decision adds one sweep of its own draws,
/// which changes no state. So decisions between two observations are independent draws.
///   u(a): the uplift in that sweep; m(a): its mean with those of the chain's last sweeps
///   index(a) = m(a) + min(1, sqrt(kSettled log t / n(a))) (u(a) - m(a))
/// Takes the action with the largest index, the lowest id among equals. All actions are taken once
/// first.
/// The probability of a decision is its share in several sweeps from the same state, of which any
/// is equally likely to decide.
/// Cost with K actions and G units: observe K G (factors + some 10) times 1 to 3 sweeps, select one
/// sweep. Memory: (3 K + 60) G numbers.
class UpTsSparse final : public Policy {
 public:
  UpTsSparse(const PolicySpec& spec, const Knowledge& knowledge)
      : Policy(spec, knowledge, Resolution::groups(units_of(spec, knowledge))),
        moments_(actions(), units()),
        counts_(units()),
        noise_(units()),
        state_(actions(), units()),
        chain_mean_(VectorXd::Zero(static_cast<Index>(actions()))),
        sampler_(actions(), units()),
        draws_(actions(), units()),
        scratch_(actions(), units()) {
    if (knowledge.baseline() != nullptr) {
      resolution().partition->sum_dense(*knowledge.baseline(), {state_.baseline.data(), units()});
    }
    data_.means = &moments_.means();
    data_.noise = &noise_;
    data_.baseline_known = knowledge.baseline() != nullptr;
    data_.pulls = VectorXd::Ones(static_cast<Index>(actions()));
  }

  double index(ActionId action) const override {
    if (!all_have_feedback()) return std::numeric_limits<double>::infinity();
    return chain_mean_[action];
  }

  Explanation explain(Detail detail) const override {
    return explain_sparse({.knowledge = &knowledge(),
                           .units = resolution().partition.get(),
                           .pulls = pulls(),
                           .indices = {chain_mean_.data(), actions()},
                           .data = &data_,
                           .state = &state_,
                           .started = all_have_feedback()},
                          detail);
  }

 private:
  std::size_t units() const { return resolution().partition->groups(); }
  std::size_t cells() const { return actions() * units(); }
  std::size_t chain_sweeps() const {
    return std::clamp<std::size_t>(kChainCells / cells(), 1, kMostChainSweeps);
  }
  std::size_t shares() const {
    return std::clamp<std::size_t>(kShareCells / cells(), 2, kMostShares);
  }

  double variance_factor(const SweepDraws& draws) const {
    const auto degrees = static_cast<double>(noise_.degrees);
    return noise_.inflation() * degrees / draws.chi_squared(2, noise_.degrees);
  }

  void note_pulls() {
    for (ActionId a = 0; a < actions(); ++a) data_.pulls[a] = static_cast<double>(pulls(a));
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    moments_.add(action, pulls(action), payoffs.values());
    counts_.add(payoffs.values());
    seed_ += mark_of(payoffs.values());
    if (!all_have_feedback()) return;
    if (noise_.rounds == 0) start_chain();
    if (static_cast<double>(observations()) >= 1.02 * static_cast<double>(noise_.rounds)) fit();
    note_pulls();
    advance_chain();
  }

  /// At the middle payoff of the actions, unit by unit, without effects.
  void start_chain() {
    if (data_.baseline_known) return;
    std::vector<double> means(actions());
    for (Index g = 0; g < state_.baseline.size(); ++g) {
      const auto of_unit = moments_.means().col(g);
      means.assign(of_unit.begin(), of_unit.end());
      const auto middle = means.begin() + static_cast<std::ptrdiff_t>(actions() / 2);
      std::nth_element(means.begin(), middle, means.end());
      state_.baseline[g] = *middle;
    }
  }

  void fit() {
    FactorSettings settings;
    settings.pulls = pulls();
    settings.counts = &counts_;
    if (observations() - actions() < kFewRounds * actions()) {
      settings.residuals = residuals();
      settings.residual_degrees = actions() - (data_.baseline_known ? 0 : 1);
    }
    noise_ = fit_factor_noise(moments_, settings);
  }

  /// sqrt(n(a)) (mean(a) - what the state makes of it): a row per unit, a column per action.
  MatrixXd residuals() const {
    MatrixXd residuals = (moments_.means() - state_.effects).transpose();
    residuals.colwise() -= state_.baseline;
    residuals -= noise_.spread * state_.dense.transpose();
    for (ActionId a = 0; a < actions(); ++a) {
      residuals.col(a) *= std::sqrt(static_cast<double>(pulls(a)));
    }
    return residuals;
  }

  void advance_chain() {
    const Stream stream(seed_, 0, Purpose::kChain);
    chain_mean_.setZero();
    sampler_.start(data_, state_);
    const std::size_t sweeps = chain_sweeps();
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
      draws_.use(stream, observations(), sweep);
      sampler_.sweep(data_, variance_factor(draws_), draws_, state_);
      chain_mean_ += state_.uplifts() / static_cast<double>(sweeps);
    }
  }

  /// By one sweep, the `which`-th of this decision's, from the chain's state.
  ActionId decide_by(const Stream& stream, std::size_t which, AllowedActions allowed) {
    draws_.use(stream, decisions(), which + (decisions() >> 32) * kMostShares);
    scratch_ = state_;
    sampler_.start(data_, scratch_);
    sampler_.sweep(data_, variance_factor(draws_), draws_, scratch_);
    const VectorXd drawn = scratch_.uplifts();
    const auto sweeps = static_cast<double>(chain_sweeps());
    const double settled = kSettled * std::log(static_cast<double>(observations()));
    return allowed.largest(actions(), [&](ActionId a) {
      const double mean = (sweeps * chain_mean_[a] + drawn[a]) / (sweeps + 1.0);
      const double reach = std::min(1.0, std::sqrt(settled / static_cast<double>(pulls(a))));
      return mean + reach * (drawn[a] - mean);
    });
  }

  ActionId choose(const Stream& stream) override { return choose_among({}, stream); }

  ActionId choose_among(AllowedActions allowed, const Stream& stream) override {
    if (!all_have_feedback(allowed)) return untried(allowed);
    return all_have_feedback() ? decide_by(stream, 0, allowed) : least_offered(allowed);
  }

  std::vector<double> probabilities_given(ActionId action, const Stream& stream,
                                          AllowedActions allowed) override {
    if (!all_have_feedback()) return Policy::probabilities_given(action, stream);
    std::vector<double> shares(actions(), 0.0);
    const double share = 1.0 / static_cast<double>(this->shares());
    shares[action] += share;
    for (std::size_t other = 1; other < this->shares(); ++other) {
      shares[decide_by(stream, other, allowed)] += share;
    }
    return shares;
  }

  void write_statistics(StateWriter& writer) const override {
    moments_.write(writer);
    counts_.write(writer);
    noise_.write(writer);
    state_.write(writer);
    writer.f64s({chain_mean_.data(), actions()});
    writer.u64(seed_);
  }

  void read_statistics(StateReader& reader) override {
    moments_.read(reader);
    counts_.read(reader);
    noise_.read(reader);
    if (noise_.rounds > observations() || (noise_.rounds == 0) == all_have_feedback()) {
      throw InvalidInput("policy state: rounds of the noise model", std::to_string(noise_.rounds),
                         "does not fit the number of observations");
    }
    state_.read(reader);
    reader.f64s({chain_mean_.data(), actions()}, "policy state: mean draws");
    seed_ = reader.u64();
    if (all_have_feedback()) note_pulls();
  }

  UnitMoments moments_;
  CountUnit counts_;
  FactorNoise noise_;
  SparseEffects state_;     // of the chain
  VectorXd chain_mean_;     // of the uplifts in the last sweeps
  std::uint64_t seed_ = 0;  // of the chain's draws: sum of the rounds' marks
  SparseData data_;
  SparseSampler sampler_;
  SweepDraws draws_;
  SparseEffects scratch_;
};

}  // namespace

std::unique_ptr<Policy> make_up_ts_sparse(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<UpTsSparse>(spec, knowledge);
}

}  // namespace updraft
