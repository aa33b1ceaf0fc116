#include "policies/noise_learning_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/symmetric.h"
#include "policies/estimates.h"
#include "random/chi_squared.h"
#include "stats/shrink_effects.h"
#include "stats/student.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Posterior draws behind a probability of being best: its standard error is below 0.008.
constexpr std::uint32_t kDraws = 4096;
constexpr std::uint32_t kBlock = 64;

// Forgetting = auto.

/// A round counts as at most so many standard deviations from the mean: one wild round is no
/// change.
constexpr double kClip = 3.0;
/// Divides the tests of an action and of all rounds; docs/changing-world.md has the measured share
/// of false alarms.
constexpr double kFalseAlarms = 0.02;
/// Squared errors within which two numbers agree, and beyond which they differ.
constexpr double kSurelyErrors = 9.0;

IntervalEstimate posterior_estimate(Quantity quantity, const ActionExplanation& about) {
  switch (quantity) {
    case Quantity::kUplift:
      return {about.uplift, about.interval};
    case Quantity::kDifference:
      return estimate_of(about.difference);
    case Quantity::kReward:
      return {about.reward, std::nullopt};
  }
  return {};
}

}  // namespace

double posterior_scale(const Stream& stream, std::uint64_t decision, std::uint64_t degrees) {
  const std::uint64_t first = (std::uint64_t{1} << 32) + 64 * (decision >> 32);
  const double square = chi_squared(stream, static_cast<std::uint32_t>(decision), first, degrees);
  return std::sqrt(static_cast<double>(degrees) / square);
}

NoiseLearningPolicy::NoiseLearningPolicy(const PolicySpec& spec, const Knowledge& knowledge)
    : Policy(spec, knowledge, Resolution::groups(knowledge.affected()->atoms())),
      refit_(spec.number_or_default("refit")),
      diagonal_(spec.word_or_default("covariance") == "diagonal"),
      moments_(actions(), resolution().partition->groups()),
      counts_(moments_.atoms()),
      model_(actions(), moments_.atoms()) {
  if (policy_info(spec.name()).has_parameter("forgetting") &&
      spec.word_or_default("forgetting") == "auto") {
    recent_.emplace(actions(), atoms());
  }
  const auto groups = static_cast<Index>(atoms());
  if (knowledge.baseline() != nullptr) {
    baseline_ = VectorXd::Zero(groups);
    resolution().partition->sum_dense(*knowledge.baseline(), {baseline_->data(), atoms()});
  } else if (!model_.factored()) {
    posterior_.emplace(*this->knowledge().affected());
  }
  if (model_.factored()) factored_.emplace(*this->knowledge().affected());
  const auto count = static_cast<Index>(actions());
  weights_ = MatrixXd::Zero(groups, count);
  scaled_weights_ = MatrixXd::Zero(groups, count);
  own_sd_ = VectorXd::Zero(count);
  centred_ = VectorXd::Zero(count);
}

std::optional<ActionId> NoiseLearningPolicy::forced(AllowedActions allowed) const {
  if (all_have_feedback()) return std::nullopt;
  return all_have_feedback(allowed) ? least_offered(allowed) : untried(allowed);
}

void NoiseLearningPolicy::absorb(ActionId action, const Payoffs& payoffs) {
  if (recent_) {
    recent_->add(action, observations(), payoffs.values(), beyond(action, payoffs.values()));
  }
  moments_.add(action, pulls(action), payoffs.values());
  counts_.add(payoffs.values());
  learnt_ = false;
  if (!all_have_feedback()) return;
  const auto due = (1.0 + refit_) * static_cast<double>(model_.rounds);
  if (model_.rounds == 0 || static_cast<double>(observations()) >= due) {
    fit();
  } else {
    if (posterior_) posterior_->add(action, payoffs.values());
    centre(action);
  }
  if (recent_) look_for_change(action);
}

Contrast NoiseLearningPolicy::contrast_of(ActionId action) const {
  return {.weights = weights_.col(action),
          .sd = own_sd_[action],
          .degrees = model_.own_degrees[action],
          .jump = counts_.counts() ? kClip * own_sd_[action] : 0.0};
}

double NoiseLearningPolicy::beyond(ActionId action, std::span<const double> sums) const {
  if (model_.rounds == 0 || rounds_of(action) < RecentRounds::kLeast) return 0.0;
  const Eigen::Map<const VectorXd> x(sums.data(), static_cast<Index>(sums.size()));
  const double residual = weights_.col(action).dot(x - mean_of(action));
  const double most = kClip * own_sd_[action];
  return residual - std::clamp(residual, -most, most);
}

void NoiseLearningPolicy::look_for_change(ActionId action) {
  const Contrast contrast = contrast_of(action);
  if (!(contrast.sd > 0.0)) return;
  const double tests = static_cast<double>(actions()) * static_cast<double>(pulls(action));
  const auto split = recent_->find(action, contrast, std::log(tests / kFalseAlarms));
  if (!split) return;
  const bool of_baseline = others_agree(action, contrast, *split);
  const double now = estimates()[action];
  const double centre = contrast.weights.dot(mean_of(action));
  const auto shown = [&](const VectorXd& mean) {
    if (!of_baseline) return now + contrast.weights.dot(mean) - centre;  // an uplift
    double moved = 0.0;
    for (const GroupId g : knowledge().affected()->atoms_of(action)) moved += mean[g];
    return moved;
  };
  changes_.push_back({.action = action,
                      .of_baseline = of_baseline,
                      .before = shown(split->old_mean),
                      .after = shown(split->new_mean),
                      .round = split->first,
                      .found = observations()});
  if (changes_.size() > Explanation::kMostChanges) changes_.erase(changes_.begin());
  recent_->forget(action, *split, of_baseline);
  if (of_baseline) return;
  const double error =
      contrast.sd * contrast.sd *
      (1.0 / static_cast<double>(split->old_rounds) + 1.0 / static_cast<double>(split->new_rounds));
  squared_changes_ += std::max(0.0, split->difference * split->difference - error);
  moments_.separate(action, pulls(action), knowledge().affected()->atoms_of(action), *split);
  fit();
}

bool NoiseLearningPolicy::others_agree(ActionId action, const Contrast& contrast,
                                       const Split& split) const {
  const AffectedSets& sets = *knowledge().affected();
  double weight = 0.0;
  double sum = 0.0;
  for (ActionId other = 0; other < actions(); ++other) {
    const auto own = sets.atoms_of(action);
    const bool apart = std::none_of(own.begin(), own.end(), [&](GroupId atom) {
      const auto affecting = sets.affecting(atom);
      return std::find(affecting.begin(), affecting.end(), other) != affecting.end();
    });
    const auto parts = apart ? recent_->split_at(other, split.first) : std::nullopt;
    if (!parts) continue;
    const double variance = contrast.sd * contrast.sd *
                            (1.0 / static_cast<double>(parts->old_rounds) +
                             1.0 / static_cast<double>(parts->new_rounds));
    weight += 1.0 / variance;
    sum += contrast.weights.dot(parts->new_mean - parts->old_mean) / variance;
  }
  if (!(weight > 0.0)) return false;
  const double own =
      contrast.sd * contrast.sd *
      (1.0 / static_cast<double>(split.old_rounds) + 1.0 / static_cast<double>(split.new_rounds));
  const double others = sum / weight;
  return others * split.difference > 0.0 && others * others * weight > kSurelyErrors &&
         (others - split.difference) * (others - split.difference) <
             kSurelyErrors * (own + 1.0 / weight);
}

VectorXd NoiseLearningPolicy::mean_of(ActionId action) const {
  if (recent_ && recent_->recent(action)) return recent_->mean(action);
  return moments_.means().col(action);
}

double NoiseLearningPolicy::rounds_of(ActionId action) const {
  return static_cast<double>(recent_ && recent_->recent(action) ? recent_->rounds(action)
                                                                : pulls(action));
}

void NoiseLearningPolicy::fit() {
  model_ = fit_noise(moments_, pulls(),
                     {.sets = knowledge().affected().get(),
                      .counts = &counts_,
                      .baseline = baseline_ ? &*baseline_ : nullptr,
                      .diagonal = diagonal_});
  derive();
  if (posterior_) posterior_->start(moments_, pulls());
}

void NoiseLearningPolicy::derive() {
  learnt_ = false;
  if (factored_) {
    factored_->use(model_);
  } else {
    noise_.emplace(model_);
    if (posterior_) posterior_->use(model_, *noise_);
  }
  for (ActionId action = 0; action < actions(); ++action) {
    const auto own_sd = model_.own_sd.col(action);
    const ControlVariates control =
        factored_ ? factored_->control_variates(action, own_sd)
                  : noise_->control_variates(knowledge().affected()->atoms_of(action), own_sd);
    weights_.col(action) = control.weights;
    own_sd_[action] = std::sqrt(control.variance);
    centre(action);
  }
  scaled_weights_ = model_.scale.asDiagonal() * weights_;
}

void NoiseLearningPolicy::centre(ActionId action) {
  if (recent_ && recent_->recent(action)) {
    centred_[action] = weights_.col(action).dot(recent_->mean(action) - model_.centre);
    return;
  }
  centred_[action] = weights_.col(action).dot(moments_.means().col(action) - model_.centre);
}

FactoredNoise& NoiseLearningPolicy::learnt() const {
  if (!learnt_) factored_->learn_baseline(moments_, pulls());
  learnt_ = true;
  return *factored_;
}

const VectorXd& NoiseLearningPolicy::shift() const {
  return factored_ ? learnt().shift() : posterior_->shift();
}

MatrixXd NoiseLearningPolicy::whitened_weights() const {
  return factored_ ? learnt().whitened(weights_) : posterior_->whitened(weights_);
}

double NoiseLearningPolicy::own_error(ActionId action) const {
  if (squared_changes_ == 0.0) {
    return own_sd_[action] / std::sqrt(static_cast<double>(pulls(action)));
  }
  const auto rounds = static_cast<double>(observations());
  const double drift = squared_changes_ / (static_cast<double>(actions()) * rounds);
  const double age = rounds - static_cast<double>(recent_->last(action));
  return std::sqrt(own_sd_[action] * own_sd_[action] / rounds_of(action) + drift * age);
}

const VectorXd& NoiseLearningPolicy::estimates_at(const VectorXd& deviation) {
  shifted_ = centred_;
  shifted_.noalias() -= scaled_weights_.transpose() * (posterior_->shift() + deviation);
  return shifted_;
}

VectorXd NoiseLearningPolicy::estimates() const {
  if (baseline_known()) return centred_;
  return centred_ - scaled_weights_.transpose() * shift();
}

VectorXd NoiseLearningPolicy::own_errors() const {
  VectorXd errors(centred_.size());
  for (ActionId action = 0; action < actions(); ++action) errors[action] = own_error(action);
  return errors;
}

VectorXd NoiseLearningPolicy::standard_errors() const {
  VectorXd errors = own_errors().cwiseAbs2();
  if (!baseline_known()) {
    errors += model_.inflation() * whitened_weights().colwise().squaredNorm().transpose();
  }
  return errors.cwiseSqrt();
}

/// With fewer actions than atoms by a root of the covariance of the actions.
MatrixXd NoiseLearningPolicy::baseline_errors(const MatrixXd& normals) const {
  if (normals.rows() == 0) return MatrixXd(0, static_cast<Index>(actions()));
  const MatrixXd whitened = std::sqrt(model_.inflation()) * whitened_weights();
  if (!factored_ && actions() >= atoms()) return normals * whitened;
  return normals * semidefinite_root(whitened.transpose() * whitened).transpose();
}

VectorXd NoiseLearningPolicy::difference_errors(ActionId reference) const {
  const auto r = static_cast<Index>(reference);
  VectorXd errors = own_errors().cwiseAbs2();
  errors.array() += errors[r];
  if (!baseline_known()) {
    const MatrixXd whitened = whitened_weights();
    errors += model_.inflation() *
              (whitened.colwise() - whitened.col(r)).colwise().squaredNorm().transpose();
  }
  errors[r] = 0.0;
  return errors.cwiseSqrt();
}

bool NoiseLearningPolicy::uplift_identified(ActionId action) const {
  if (baseline_known()) return true;
  const AffectedSets& sets = *knowledge().affected();
  const auto atoms = sets.atoms_of(action);
  return std::all_of(atoms.begin(), atoms.end(),
                     [&](GroupId atom) { return sets.affecting(atom).size() < actions(); });
}

/// By draws: uplifts are estimates + kappa * (root of their covariance) z, as wide as the
/// intervals, both after stats/shrink_effects.h.
std::vector<double> NoiseLearningPolicy::probabilities_best() const {
  VectorXd estimate = estimates();
  MatrixXd covariance = MatrixXd::Zero(estimate.size(), estimate.size());
  if (!baseline_known()) {
    const MatrixXd whitened = whitened_weights();
    covariance = model_.inflation() * whitened.transpose() * whitened;
  }
  covariance.diagonal() += own_errors().cwiseAbs2();
  covariance *= model_.inflation();
  shrink_effects(estimate, covariance);
  const MatrixXd root = semidefinite_root(std::move(covariance));

  const Stream stream(0, 0, Purpose::kExplanation);
  std::vector<double> share(actions(), 0.0);
  const auto count = static_cast<Index>(actions());
  MatrixXd normals(kBlock, static_cast<Index>(Stream::whole_pairs(actions())));
  for (std::uint32_t first = 0; first < kDraws; first += kBlock) {
    stream.normal_columns(first, kBlock, actions(),
                          {normals.data(), static_cast<std::size_t>(normals.size())});
    const MatrixXd deviation = normals.leftCols(count) * root.transpose();
    for (std::uint32_t draw = 0; draw < kBlock; ++draw) {
      const double kappa = posterior_scale(stream, first + draw, model_.degrees);
      Index best = 0;
      (estimate + kappa * deviation.row(draw).transpose()).maxCoeff(&best);
      share[static_cast<std::size_t>(best)] += 1.0 / kDraws;
    }
  }
  return share;
}

/// Of Welch and Satterthwaite, for the sum of the actions' own variances and the baseline's, at
/// most those of the model: several parts may come from the same estimate, which their formula
/// takes for different ones. Rounded down; what is a whole number but for rounding stays one.
std::uint64_t NoiseLearningPolicy::interval_degrees(std::span<const ActionId> compared,
                                                    double error) const {
  const double all = error * error;
  if (!(all > 0.0)) return model_.degrees;
  double baseline = 1.0;
  double inverse = 0.0;
  for (const ActionId action : compared) {
    const double own = std::min(baseline, own_error(action) * own_error(action) / all);
    inverse += own * own / model_.own_degrees[action];
    baseline -= own;
  }
  inverse += baseline * baseline / static_cast<double>(model_.degrees);
  const double joint = std::max(1.0, std::floor((1.0 + 1e-12) / inverse));
  return std::min(model_.degrees, static_cast<std::uint64_t>(joint));
}

double NoiseLearningPolicy::index(ActionId action) const {
  if (!all_have_feedback()) return std::numeric_limits<double>::infinity();
  const std::optional<VectorXd> radius = radii();
  return estimates()[action] + (radius ? (*radius)[action] : 0.0);
}

bool NoiseLearningPolicy::noise_known() const {
  return std::any_of(pulls().begin(), pulls().end(), [](std::uint64_t n) { return n > 1; });
}

Explanation NoiseLearningPolicy::explain(Detail detail) const {
  Explanation explanation;
  explanation.quantity = quantity_known(knowledge());
  explanation.interval_kind = IntervalKind::kConfidence95;
  explanation.noise_known = noise_known();
  explanation.actions.resize(actions());
  for (ActionId action = 0; action < actions(); ++action) {
    ActionExplanation& about = explanation.actions[action];
    about.pulls = pulls(action);
    about.index = std::numeric_limits<double>::infinity();
    about.radius = std::numeric_limits<double>::infinity();
  }
  if (!all_have_feedback()) return explanation;
  explanation.reference_action = kReferenceAction;
  explanation.shrinkage = model_.shrinkage;
  explanation.degrees_of_freedom = model_.degrees;
  const VectorXd estimate = estimates();
  explanation.changes = changes_;
  std::vector<bool> later(actions(), false);  // changed
  for (auto change = explanation.changes.rbegin(); change != explanation.changes.rend(); ++change) {
    if (change->of_baseline) continue;
    if (!later[change->action]) change->after = estimate[change->action];
    later[change->action] = true;
  }
  const VectorXd error = standard_errors();
  const VectorXd difference_error = difference_errors(kReferenceAction);
  const std::optional<VectorXd> radius = radii();
  const bool known = explanation.noise_known;
  // Inflated once more than what select() draws from: the residuals that give the noise are those
  // that the weights were fitted to. tests/policies/coverage_test.cc shows that this is right.
  const auto interval = [&](double centre, double sd, std::uint64_t degrees) {
    const double reach = known ? student_95(degrees) * std::sqrt(model_.inflation()) * sd
                               : std::numeric_limits<double>::infinity();
    return Interval{centre - reach, centre + reach};
  };
  for (ActionId action = 0; action < actions(); ++action) {
    ActionExplanation& about = explanation.actions[action];
    about.radius = radius ? (*radius)[action] : error[action];
    about.index = estimate[action] + (radius ? about.radius : 0.0);
    about.reward = mean_of(action).sum();
    if (uplift_identified(action)) about.uplift = estimate[action];
    if (about.uplift && known) {
      about.standard_error = error[action];
      about.interval =
          interval(estimate[action], error[action], interval_degrees({&action, 1}, error[action]));
    }
    const double difference = estimate[action] - estimate[kReferenceAction];
    const ActionId compared[] = {action, kReferenceAction};
    about.difference = {
        .estimate = difference,
        .standard_error = known ? std::optional(difference_error[action]) : std::nullopt,
        .interval = interval(difference, difference_error[action],
                             interval_degrees(compared, difference_error[action]))};
    const auto weights = weights_.col(action);
    about.weights.emplace(weights.begin(), weights.end());
    about.estimate = posterior_estimate(explanation.quantity, about);
    if (!known) about.estimate.interval.reset();
  }
  if (detail == Detail::kCheap || !known) return explanation;
  const std::vector<double> best = probabilities_best();
  for (ActionId action = 0; action < actions(); ++action) {
    explanation.actions[action].probability_best = best[action];
  }
  return explanation;
}

void NoiseLearningPolicy::write_statistics(StateWriter& writer) const {
  moments_.write(writer);
  counts_.write(writer);
  model_.write(writer);
  if (posterior_) posterior_->write(writer);
  if (!recent_) return;
  recent_->write(writer);
  moments_.write_separations(writer);
  writer.f64(squared_changes_);
  writer.u64(changes_.size());
  for (const FoundChange& change : changes_) {
    writer.u64(change.action);
    writer.u64(change.of_baseline ? 1 : 0);
    writer.f64(change.before);
    writer.f64(change.after);
    writer.u64(change.round);
    writer.u64(change.found);
  }
}

void NoiseLearningPolicy::read_statistics(StateReader& reader) {
  moments_.read(reader);
  counts_.read(reader);
  model_.read(reader);
  if (model_.rounds > observations() || (model_.rounds == 0) == all_have_feedback()) {
    throw InvalidInput("policy state: rounds of the noise model", std::to_string(model_.rounds),
                       "does not fit the number of observations");
  }
  if (posterior_) posterior_->read(reader);
  if (recent_) read_changes(reader);
  if (model_.rounds > 0) derive();
}

void NoiseLearningPolicy::read_changes(StateReader& reader) {
  recent_->read(reader);
  moments_.read_separations(reader);
  squared_changes_ = reader.f64();
  if (!(squared_changes_ >= 0.0)) {
    throw InvalidInput("policy state: squared changes", squared_changes_, "must be >= 0");
  }
  changes_.resize(reader.u64_at_most(Explanation::kMostChanges, "policy state: changes"));
  for (FoundChange& change : changes_) {
    change.action =
        static_cast<ActionId>(reader.u64_at_most(actions() - 1, "policy state: changed action"));
    change.of_baseline = reader.u64_at_most(1, "policy state: change of the baseline") == 1;
    change.before = reader.f64();
    change.after = reader.f64();
    change.round = reader.u64();
    change.found = reader.u64();
  }
}

}  // namespace updraft
