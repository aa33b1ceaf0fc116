#include "logs/log_records.h"

#include <cmath>
#include <numeric>

namespace updraft {
namespace {

/// Probabilities in a log may be rounded.
constexpr double kRounding = 1e-6;
/// Policy::observe() takes no larger ones.
constexpr double kMostPayoff = 1e100;

}  // namespace

std::size_t id_in(const LogRecords& records, LogNames& names, std::string_view field,
                  std::string_view name) {
  std::string rule;
  if (const auto id = names.id(name, rule)) return *id;
  throw records.refusal(field, name, rule);
}

std::string_view probability_rule(double value) {
  if (value > 0.0 && value <= 1.0) return {};
  return "must be > 0 and at most 1: the probability of the action that was taken";
}

std::string_view payoff_rule(double value) {
  if (std::abs(value) <= kMostPayoff) return {};
  return "must be a number of absolute value at most 1e100";
}

void check_distribution(const LogRecords& records, const LogFormat& format, LoggedRound& round) {
  const std::string& field = format.columns.probability;
  const std::vector<double>& shares = round.distribution;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!(std::abs(sum - 1.0) <= kRounding)) {
    throw records.refusal(field, number_text(sum),
                          "the probabilities of all actions must add up to 1");
  }
  const double taken = shares[round.action];
  if (!(taken > 0.0)) throw records.refusal(field, number_text(taken), probability_rule(taken));
  if (round.probability && !(std::abs(*round.probability - taken) <= kRounding)) {
    throw records.refusal(field, number_text(*round.probability),
                          "must be that of the action taken among the probabilities of all "
                          "actions, " +
                              number_text(taken));
  }
  round.probability = taken;
}

}  // namespace updraft
