#include "updraft/log_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "inference/gain_variance.h"
#include "inference/running_mean.h"
#include "updraft/error.h"

namespace updraft {
namespace {

/// Rounds of the control action: the bound of the gain is tightest at about ten times as many.
constexpr double kLogSettle = 100.0;
/// Rounds of the control action that its prediction follows.
constexpr double kLogMemory = 32.0;

/// The gain of a log over always taking the control action.
class LoggedGain {
 public:
  LoggedGain(ActionId control, double error) : control_(control), error_(error) {}

  void add(const LoggedRound& round) {
    ++rounds_;
    if (!round.probability) return refuse("the log has no probabilities");
    if (!round.distribution.empty() && !(round.distribution[control_] > 0.0)) {
      return refuse(fmt::format("in round {} the log could not have taken it", rounds_));
    }
    overlap_known_ = overlap_known_ && !round.distribution.empty();
    const double reward = std::accumulate(round.values.begin(), round.values.end(), 0.0);
    const bool held = round.action == control_;
    const double weight = held ? 1.0 / *round.probability : 0.0;
    weights_.add(weight);
    ++counts_[held ? 1 : 0];
    if (predicts_) {
      gains_.add((reward - predicted_) * (1.0 - weight));
      variance_.add(held, reward, 1.0 - weight);
    }
    if (held || counts_[1] == 0) follow(reward, held);
  }

  Gain gain() const {
    Gain out{.counted = gains_.count(), .held_out = counts_[1]};
    const std::uint64_t least = std::min(counts_[0], counts_[1]);
    const std::optional<double> floor = variance_.least(gains_.count());
    if (least < Gain::kLeastHeldOut || !floor) return out;
    out.estimate = gains_.estimate({.error = error_,
                                    .settle = kLogSettle,
                                    .degrees = static_cast<double>(least) - 1.0,
                                    .least = *floor});
    return out;
  }

  /// Empty if there is none.
  std::string refusal() const {
    if (!refusal_.empty() || overlap_known_ || rounds_ < 2) return refusal_;
    const auto mean = weights_.estimate({.error = 1e-4, .settle = kLogSettle, .degrees = 1e9});
    if ((mean.interval ? mean.interval->high : *mean.value) >= 1.0) return "";
    return "by the weights 1 / probability, the log could not have taken it in some rounds";
  }

 private:
  void refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
  }

  /// Other rewards set the level until the control action was taken.
  void follow(double reward, bool held) {
    const double own = static_cast<double>(held ? counts_[1] : counts_[0]);
    predicted_ += std::max(1.0 / own, 1.0 / kLogMemory) * (reward - predicted_);
    predicts_ = true;
  }

  ActionId control_;
  double error_;
  std::uint64_t rounds_ = 0;
  std::uint64_t counts_[2] = {0, 0};  // of rounds of others, and of the control action
  bool overlap_known_ = true;
  bool predicts_ = false;
  double predicted_ = 0.0;
  RunningMean gains_;
  GainVariance variance_;
  RunningMean weights_;
  std::string refusal_;
};

Knowledge knowledge_of(const LogEvidenceOptions& options) {
  const std::size_t actions = options.format.actions.size();
  const std::size_t variables = options.format.variables.size();
  if (!options.knowledge) return {actions, variables};
  if (options.knowledge->kind() != PolicyKind::kPlain || options.knowledge->actions() != actions ||
      options.knowledge->variables() != variables) {
    throw InvalidInput("knowledge", fmt::format("must be of the log's {} actions and {} variables",
                                                actions, variables));
  }
  return *options.knowledge;
}

}  // namespace

LogEvidence evidence_of(const LoggedRounds& rounds, const LogEvidenceOptions& options) {
  if (options.evidence.shares.any()) {
    throw InvalidInput("evidence.holdout", "must be 0: the probabilities of a log tell");
  }
  Evidence evidence(knowledge_of(options), options.evidence);
  std::optional<LoggedGain> gain;
  if (const auto control = options.evidence.shares.control) {
    gain.emplace(*control, options.evidence.error);
  }
  LogEvidence out;
  rounds([&](const LoggedRound& round) {
    ++out.rounds;
    if (gain) gain->add(round);
    evidence.observed(round.action, round.payoffs());
  });
  out.settlement = evidence.settlement();
  out.alarms = evidence.alarms();
  if (!gain) return out;
  out.gain_refusal = gain->refusal();
  if (out.gain_refusal.empty()) out.gain = gain->gain();
  return out;
}

LogEvidence evidence_of(const std::string& path, const LogEvidenceOptions& options) {
  LogEvidenceOptions named = options;
  if (options.format.actions.empty() || options.format.variables.empty()) {
    named.format = survey_log(path, options.format).format;
  }
  return evidence_of(rounds_of_log(path, named.format), named);
}

}  // namespace updraft
