#include "updraft/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "logs/importance_means.h"
#include "logs/replay.h"
#include "logs/uplift_means.h"
#include "stats/student.h"
#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

/// A mean weight that is so many standard errors below 1 is no chance.
constexpr double kWeightErrors = 4.0;
/// Estimates from fewer effective rounds have no error that one could state.
constexpr double kLeastEffective = 2.0;

double reward_of(const LoggedRound& round) {
  return std::accumulate(round.values.begin(), round.values.end(), 0.0);
}

/// An estimate while its errors are summed.
struct Errors {
  double variance = 0.0;       ///< of the value
  double gain_variance = 0.0;  ///< of the gain

  void add(double error, double logged_error) {
    variance += error * error;
    gain_variance += (error - logged_error) * (error - logged_error);
  }
};

/// `stretch`: of the variances; `degrees`: of freedom.
ValueEstimate estimate_of(double value, double logged, const Errors& errors, double stretch,
                          double degrees) {
  const double quantile = student_95(static_cast<std::uint64_t>(std::max(1.0, degrees)));
  const double error = std::sqrt(stretch * errors.variance);
  const double reach = quantile * error;
  const double gain_reach = quantile * std::sqrt(stretch * errors.gain_variance);
  const double gain = value - logged;
  return {.value = value,
          .standard_error = error,
          .interval = {value - reach, value + reach},
          .gain = gain,
          .gain_interval = {gain - gain_reach, gain + gain_reach}};
}

std::string why_refused(const ImportanceMeans& means) {
  if (means.taken() == 0) return "the log never takes its actions if it has the choice";
  if (!(means.effective_rounds() >= kLeastEffective)) {
    return fmt::format("the log has {:.2g} effective rounds of it; at least {} are needed",
                       means.effective_rounds(), kLeastEffective);
  }
  const double missing = means.overlap_known() ? 0.0 : 1.0 - means.mean_weight();
  if (missing > kWeightErrors * means.mean_weight_error()) {
    return fmt::format(
        "overlap is missing: by the probabilities, the log could have taken its actions in {:.0f} "
        "% of the rounds only, and does not say in which; log the probabilities of all actions",
        100.0 * means.mean_weight());
  }
  return {};
}

/// The knowledge about the actions that the log takes, in order, with `places` as their ids.
std::optional<Knowledge> knowledge_of_taken(const Knowledge& all, const std::vector<bool>& taken,
                                            std::vector<ActionId>& places) {
  if (!all.affected()) return std::nullopt;
  std::vector<VariableSet> sets;
  places.assign(all.actions(), 0);
  for (ActionId a = 0; a < all.actions(); ++a) {
    if (!taken[a]) continue;
    places[a] = static_cast<ActionId>(sets.size());
    sets.push_back(all.affected()->of(a));
  }
  Knowledge known(sets.size(), all.variables());
  known.set_affected(std::move(sets));
  if (all.baseline() != nullptr) known.set_baseline(*all.baseline());
  return known;
}

class Evaluator {
 public:
  Evaluator(const LoggedRounds& rounds, const EvaluationOptions& options)
      : rounds_(rounds),
        options_(options),
        knowledge_(options.knowledge ? *options.knowledge
                                     : Knowledge(options.format.actions.size(),
                                                 options.format.variables.size())) {
    check();
    count();
    name_policies();
    prepare_uplift();
  }

  Evaluation run() {
    const double logged = result_.logged.value;
    rounds_([&](const LoggedRound& round) { add(round); });
    if (uplift_) uplift_->fit();
    std::vector<ImportanceMeans::Three> values;
    for (const ImportanceMeans& means : means_) values.push_back(means.values());
    std::vector<std::array<Errors, 4>> errors(means_.size());
    std::vector<std::vector<double>> own_variance(means_.size(),
                                                  std::vector<double>(rewards_.size(), 0.0));
    Errors logged_errors;
    rounds_([&](const LoggedRound& round) {
      const double reward = reward_of(round);
      const double off = logged_error(round.action, reward);
      logged_errors.add(off, off);
      for (std::size_t p = 0; p < means_.size(); ++p) {
        const auto [ips, snips, dr] = means_[p].errors(round, reward, values[p]);
        errors[p][0].add(ips, off);
        errors[p][1].add(snips, off);
        errors[p][2].add(dr, off);
      }
      if (uplift_) add_uplift_errors(round, off, errors, own_variance);
    });
    result_.logged = estimate_of(logged, logged, logged_errors, 1.0, degrees_of_log());
    for (std::size_t p = 0; p < means_.size(); ++p) {
      fill(p, values[p], errors[p], own_variance[p]);
    }
    for (std::size_t p = 0; p < replays_.size(); ++p) {
      fill_replay(replays_[p], result_.policies[means_.size() + p]);
    }
    return std::move(result_);
  }

 private:
  void check() const {
    const std::size_t actions = options_.format.actions.size();
    if (knowledge_.kind() != PolicyKind::kPlain || knowledge_.actions() != actions ||
        knowledge_.variables() != options_.format.variables.size()) {
      throw InvalidInput("knowledge", fmt::format("must be of the log's {} actions and {} "
                                                  "variables",
                                                  actions, options_.format.variables.size()));
    }
    for (const FixedPolicy& fixed : options_.fixed) {
      double sum = 0.0;
      for (const double share : fixed.probabilities) sum += share >= 0.0 ? share : NAN;
      if (fixed.probabilities.size() != actions || !(std::abs(sum - 1.0) <= 1e-9)) {
        throw InvalidInput(fixed.name, fmt::format("must have a probability for each of the {} "
                                                   "actions, which add up to 1",
                                                   actions));
      }
    }
  }

  /// First pass: what the log takes, and the mean rewards.
  void count() {
    const std::size_t actions = options_.format.actions.size();
    pulls_.assign(actions, 0.0);
    rewards_.assign(actions, 0.0);
    rounds_([&](const LoggedRound& round) {
      if (!round.probability) {
        throw InvalidInput("probability",
                           "must be given for every decision of a log that is evaluated");
      }
      ++result_.rounds;
      pulls_[round.action] += 1.0;
      least_ = std::min(least_, *round.probability);
      const double reward = reward_of(round);
      rewards_[round.action] += reward;
      result_.logged.value += reward;
    });
    if (result_.rounds < 2) throw InvalidInput("log", "must have at least 2 decisions");
    result_.logged.value /= static_cast<double>(result_.rounds);
    for (std::size_t a = 0; a < actions; ++a) rewards_[a] /= std::max(1.0, pulls_[a]);
  }

  void name_policies() {
    const std::size_t actions = rewards_.size();
    means_.reserve(actions + options_.fixed.size());
    for (std::size_t a = 0; a < actions; ++a) {
      std::vector<double> always(actions, 0.0);
      always[a] = 1.0;
      means_.emplace_back(std::move(always), rewards_);
      result_.policies.push_back({.policy = "always " + options_.format.actions[a]});
    }
    for (const FixedPolicy& fixed : options_.fixed) {
      means_.emplace_back(fixed.probabilities, rewards_);
      result_.policies.push_back({.policy = fixed.name});
    }
    for (const PolicySpec& spec : options_.learning) {
      const Pick pick = pick_policy(spec, knowledge_);
      replays_.emplace_back(pick.spec, knowledge_, least_, options_.seed);
      result_.policies.push_back({.policy = pick.spec.text(), .picked_because = pick.reason});
    }
  }

  void prepare_uplift() {
    std::vector<bool> taken;
    for (const double pulls : pulls_) taken.push_back(pulls > 0.0);
    if (const auto known = knowledge_of_taken(knowledge_, taken, places_)) {
      uplift_.emplace(*known);
      taken_ = std::move(taken);
    }
  }

  /// The distribution over the actions that the log takes.
  std::span<const double> shares_of_taken(const LoggedRound& round) {
    shares_.clear();
    for (std::size_t a = 0; a < round.distribution.size(); ++a) {
      if (taken_[a]) shares_.push_back(round.distribution[a]);
    }
    return shares_;
  }

  void add(const LoggedRound& round) {
    const double reward = reward_of(round);
    for (ImportanceMeans& means : means_) means.add(round, reward);
    for (Replay& replay : replays_) replay.add(round, reward);
    if (!uplift_) return;
    uplift_->add(places_[round.action], *round.probability, shares_of_taken(round),
                 round.payoffs());
  }

  void add_uplift_errors(const LoggedRound& round, double off,
                         std::vector<std::array<Errors, 4>>& errors,
                         std::vector<std::vector<double>>& own_variance) {
    const ActionId place = places_[round.action];
    const double own = uplift_->own_error(place, *round.probability, round.payoffs());
    const Eigen::VectorXd& shared = uplift_->shared_errors(place, shares_of_taken(round));
    for (std::size_t p = 0; p < means_.size(); ++p) {
      const std::vector<double>& policy = means_[p].policy();
      double error = policy[round.action] * own;
      own_variance[p][round.action] += error * error;
      for (std::size_t a = 0; a < policy.size(); ++a) {
        if (policy[a] > 0.0 && taken_[a]) error += policy[a] * shared[places_[a]];
      }
      errors[p][3].add(error, off);
    }
  }

  /// What a round adds to the error of the log's mean. The payoffs of an action that was taken once
  /// do not tell their noise; then the distance to the mean of all, which is larger, stands for it.
  double logged_error(ActionId action, double reward) const {
    const double pulls = pulls_[action];
    const double off = pulls > 1.0 ? (reward - rewards_[action]) * std::sqrt(pulls / (pulls - 1.0))
                                   : reward - result_.logged.value;
    return off / static_cast<double>(result_.rounds);
  }

  double degrees_of_log() const {
    return static_cast<double>(result_.rounds) - static_cast<double>(pulls_.size());
  }

  /// Of Welch and Satterthwaite: what is of an action alone has the degrees of its rounds.
  double uplift_degrees(double variance, const std::vector<double>& own) const {
    double inverse = 0.0;
    for (std::size_t a = 0; a < own.size(); ++a) {
      if (!(own[a] > 0.0)) continue;
      const double share = std::min(1.0, own[a] / variance);
      inverse += share * share / std::max(1.0, uplift_->effective(places_[a]) - 1.0);
    }
    return std::min(degrees_of_log(), 1.0 / std::max(inverse, 1e-9));
  }

  void fill(std::size_t p, const ImportanceMeans::Three& values,
            const std::array<Errors, 4>& errors, const std::vector<double>& own_variance) {
    PolicyValue& out = result_.policies[p];
    const ImportanceMeans& means = means_[p];
    out.rounds = means.rounds();
    out.effective_rounds = means.taken() > 0 ? means.effective_rounds() : 0.0;
    out.refusal = why_refused(means);
    if (!out.refusal.empty()) return;
    const double degrees = out.effective_rounds - 1.0;
    const double stretch = out.effective_rounds / degrees;
    const double logged = result_.logged.value;
    out.estimates[0] = estimate_of(values.ips, logged, errors[0], stretch, degrees);
    out.estimates[1] = estimate_of(values.snips, logged, errors[1], stretch, degrees);
    out.estimates[2] = estimate_of(values.dr, logged, errors[2], stretch, degrees);
    if (!uplift_) return;
    double value = 0.0;
    for (std::size_t a = 0; a < means.policy().size(); ++a) {
      if (means.policy()[a] > 0.0) value += means.policy()[a] * uplift_->values()[places_[a]];
    }
    out.estimates[3] = estimate_of(value, logged, errors[3], 1.0,
                                   uplift_degrees(errors[3].variance, own_variance));
  }

  void fill_replay(const Replay& replay, PolicyValue& out) const {
    out.rounds = replay.rounds();
    out.effective_rounds = static_cast<double>(replay.rounds());
    for (std::size_t a = 0; a < rewards_.size(); ++a) {  // it would wait for an action in vain
      const PolicyValue& always = result_.policies[a];
      if (always.refusal.empty()) continue;
      out.refusal = fmt::format("{} is refused: {}", always.policy, always.refusal);
      return;
    }
    if (replay.rounds() < 2) {
      out.refusal = fmt::format("the policy and the log agree in {} rounds; at least 2 are needed",
                                replay.rounds());
      return;
    }
    const double variance = replay.variance() / out.effective_rounds;
    const double logged = result_.logged.standard_error * result_.logged.standard_error;
    out.estimates[4] = estimate_of(replay.mean(), result_.logged.value,
                                   {.variance = variance, .gain_variance = variance + logged}, 1.0,
                                   out.effective_rounds - 1.0);
  }

  const LoggedRounds& rounds_;
  const EvaluationOptions& options_;
  Knowledge knowledge_;
  Evaluation result_;
  std::vector<double> pulls_;
  std::vector<double> rewards_;  // mean per action
  double least_ = 1.0;           // probability of an action taken
  std::vector<ImportanceMeans> means_;
  std::vector<Replay> replays_;
  std::optional<UpliftMeans> uplift_;
  std::vector<bool> taken_;
  std::vector<ActionId> places_;  // of the actions taken, among themselves
  std::vector<double> shares_;    // scratch
};

}  // namespace

std::string_view estimator_name(Estimator estimator) {
  constexpr std::string_view kNames[] = {"ips", "snips", "dr", "uplift_dr", "replay"};
  return kNames[static_cast<std::size_t>(estimator)];
}

Evaluation evaluate(const LoggedRounds& rounds, const EvaluationOptions& options) {
  return Evaluator(rounds, options).run();
}

LoggedRounds rounds_of_log(std::string path, LogFormat format) {
  return [path = std::move(path), format = std::move(format)](const auto& visit) {
    LogReader reader(path, format);
    LoggedRound round;
    while (reader.next(round)) visit(round);
  };
}

Evaluation evaluate(const std::string& path, const EvaluationOptions& options) {
  EvaluationOptions named = options;
  if (options.format.actions.empty() || options.format.variables.empty()) {
    named.format = survey_log(path, options.format).format;
  }
  return evaluate(rounds_of_log(path, named.format), named);
}

}  // namespace updraft
