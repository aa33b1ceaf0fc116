#include "updraft/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/dense.h"
#include "policies/row_checks.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// Payoffs beyond this would overflow sums and squares of sums.
constexpr double kLargestPayoff = 1e100;

bool acceptable(double payoff) { return std::abs(payoff) <= kLargestPayoff; }

/// Names the first payoff that is not acceptable.
[[noreturn]] void refuse_payoffs(const Payoffs& payoffs) {
  constexpr std::string_view kRule = "must be finite and at most 1e100 in size";
  if (payoffs.kind() == Payoffs::Kind::kTotal) {
    throw InvalidInput("payoffs", payoffs.reward(), kRule);
  }
  const auto values = payoffs.values();
  const auto bad = std::find_if_not(values.begin(), values.end(), acceptable);
  if (bad == values.end())
    throw InvalidInput("payoffs", "their sums must be at most 1e100 in size");
  const std::size_t position = bad - values.begin();
  const std::size_t id =
      payoffs.kind() == Payoffs::Kind::kSparse ? payoffs.ids()[position] : position;
  throw InvalidInput(fmt::format("payoffs[{}]", id), *bad, kRule);
}

void check_length(std::size_t length, std::size_t expected, std::string_view of_what) {
  if (length == expected) return;
  throw InvalidInput("length of payoffs", std::to_string(length),
                     fmt::format("must be the number of {}, {}", of_what, expected));
}

[[noreturn]] void refuse_kind(std::string_view given, const Resolution& resolution) {
  throw InvalidInput("payoffs", given,
                     resolution.kind == Resolution::Kind::kTotal
                         ? "this policy takes the total, or single payoffs"
                     : resolution.kind == Resolution::Kind::kGroups
                         ? "this policy takes sums over its atoms, or single payoffs"
                         : "this policy takes single payoffs");
}

/// Targeting policies take no actions.
std::size_t counted_actions(const Knowledge& knowledge) {
  return knowledge.kind() == PolicyKind::kTargeting ? 0 : knowledge.actions();
}

void check_empty(const Round& round) {
  if (round.features.empty() && round.width == 0 && round.baseline.empty() &&
      round.affected.empty()) {
    return;
  }
  throw InvalidInput("round", "must be empty: rounds of a plain policy are all alike");
}

}  // namespace

Policy::Policy(PolicySpec spec, Knowledge knowledge, Resolution resolution)
    : without_feedback_(counted_actions(knowledge)),
      pulls_(without_feedback_, 0),
      offers_(without_feedback_, 0),
      resolution_(std::move(resolution)),
      knowledge_(std::move(knowledge)),
      spec_(std::move(spec)),
      revision_(spec_.maker() == nullptr ? policy_info(spec_.name()).revision : 0) {
  if (resolution_.kind == Resolution::Kind::kGroups) sums_.resize(resolution_.partition->groups());
}

bool Policy::all_have_feedback(AllowedActions allowed) const {
  if (without_feedback_ == 0 || allowed.all()) return without_feedback_ == 0;
  bool all = true;
  allowed.for_each(actions(), [&](ActionId action) { all = all && pulls_[action] > 0; });
  return all;
}

ActionId Policy::untried(AllowedActions allowed) const {
  std::optional<ActionId> found;
  allowed.for_each(actions(), [&](ActionId action) {
    if (pulls_[action] == 0 && (!found || offers_[action] < offers_[*found])) found = action;
  });
  return *found;
}

ActionId Policy::least_offered(AllowedActions allowed) const {
  return allowed.largest(actions(),
                         [&](ActionId action) { return -static_cast<double>(offers_[action]); });
}

void Policy::refuse_without_round() const {
  throw InvalidInput(
      "round", fmt::format("is missing: {} decides by the features of its rows", spec_.name()));
}

// Plain policies override these four; for the other kinds they refuse.
ActionId Policy::choose(const Stream&) { refuse_without_round(); }
ActionId Policy::choose_among(AllowedActions allowed, const Stream& stream) {
  if (allowed.all()) return choose(stream);
  throw InvalidInput(
      "round: allowed",
      fmt::format("must be absent: {} cannot choose among some actions only", spec_.name()));
}
void Policy::absorb(ActionId, const Payoffs&) { refuse_without_round(); }
Explanation Policy::explain(Detail) const { refuse_without_round(); }
double Policy::index(ActionId) const { refuse_without_round(); }

ActionId Policy::select(const Stream& stream) {
  const ActionId action = choose(stream);
  count(action);
  return action;
}

Decision Policy::decide(const Round& round, const Stream& stream) {
  Decision decision = preview(round, stream);
  count(decision.action);
  return decision;
}

Decision Policy::select(const Round& round, const Stream& stream) {
  check_ahead(round);
  Decision decision = numbered(choose_in(round, stream, Propensity::kSkipped));
  decision.probability = std::numeric_limits<double>::quiet_NaN();
  count(decision.action);
  return decision;
}

Decision Policy::preview(const Round& round, const Stream& stream) {
  check_ahead(round);
  return numbered(choose_in(round, stream, Propensity::kWanted));
}

Decision Policy::numbered(Decision decision) const {
  decision.number = decisions_;
  decision.revision = revision_;
  return decision;
}

void Policy::take(const Round& round, const Decision& decision) {
  check_taken(round, decision);
  count(decision.action);
}

void Policy::take(ActionId action) { take(Round{}, Decision{.action = action}); }

void Policy::learn(const Decision& decision, const Round& round, const Payoffs& payoffs) {
  learn_from(decision, round, payoffs);
}

ActionId Policy::choose_of(const Round& round, const Stream& stream) {
  check_empty(round);
  check_allowed(round);
  const auto counted = [](std::uint64_t decisions) { return decisions > 0; };
  if (std::none_of(round.ahead.begin(), round.ahead.end(), counted)) {
    return choose_among(AllowedActions(round.allowed), stream);
  }
  struct WithAhead {
    Policy& policy;
    ~WithAhead() { policy.ahead_ = {}; }
  };
  ahead_ = round.ahead;
  const WithAhead until_chosen{*this};
  return choose_among(AllowedActions(round.allowed), stream);
}

std::vector<Decision> Policy::decide_batch(std::size_t count, const Round& round,
                                           const Stream& stream) {
  return batch_of(count, round, stream, Propensity::kWanted);
}

std::vector<Decision> Policy::select_batch(std::size_t count, const Round& round,
                                           const Stream& stream) {
  return batch_of(count, round, stream, Propensity::kSkipped);
}

std::vector<Decision> Policy::batch_of(std::size_t count, const Round& round, const Stream& stream,
                                       Propensity propensity) {
  if (count < 1) throw InvalidInput("count", "0", "must be at least 1");
  if (kind() != PolicyKind::kPlain) {
    throw InvalidInput("count", std::to_string(count),
                       fmt::format("cannot be used: {} decides by the features of a round, and "
                                   "batches are for plain policies",
                                   spec_.name()));
  }
  check_ahead(round);
  const std::uint64_t decisions_before = decisions_;
  const std::vector<std::uint64_t> offers_before = offers_;
  std::vector<std::uint64_t> ahead(round.ahead.begin(), round.ahead.end());
  ahead.resize(actions(), 0);
  Round next = round;
  next.ahead = ahead;
  std::vector<Decision> batch;
  try {
    batch.reserve(count);
    while (batch.size() < count) {
      batch.push_back(propensity == Propensity::kWanted ? decide(next, stream)
                                                        : select(next, stream));
      ++ahead[batch.back().action];
    }
  } catch (...) {
    decisions_ = decisions_before;
    offers_ = offers_before;
    throw;
  }
  return batch;
}

Decision Policy::choose_in(const Round& round, const Stream& stream, Propensity propensity) {
  Decision decision{.action = choose_of(round, stream)};
  if (propensity == Propensity::kWanted) {
    decision.probability = probabilities_given(decision.action, stream,
                                               AllowedActions(round.allowed))[decision.action];
  }
  return decision;
}

std::vector<double> Policy::probabilities(const Round& round, const Stream& stream) {
  check_ahead(round);
  const ActionId action = choose_of(round, stream);
  return probabilities_given(action, stream, AllowedActions(round.allowed));
}

void Policy::check_taken(const Round& round, const Decision& decision) const {
  check_empty(round);
  check_allowed(round);
  check_no_treatments(decision);
  check_action(decision.action);
}

void Policy::learn_from(const Decision& decision, const Round& round, const Payoffs& payoffs) {
  check_empty(round);
  check_allowed(round);
  check_no_treatments(decision);
  observe(decision.action, payoffs);
}

Explanation Policy::explain_round(const Round& round) const {
  check_empty(round);
  check_allowed(round);
  return explain();
}

void Policy::count(ActionId action) {
  if (!offers_.empty()) ++offers_[action];
  ++decisions_;
}

void Policy::count_pull(ActionId action) {
  if (pulls_[action]++ == 0) --without_feedback_;
  ++observations_;
}

void Policy::check_action(ActionId action) const {
  if (action < actions()) return;
  throw InvalidInput("action", std::to_string(action),
                     fmt::format("must be below the number of actions, {}", actions()));
}

void Policy::check_allowed(const Round& round) const {
  for (std::size_t j = 0; j < round.allowed.size(); ++j) {
    const ActionId action = round.allowed[j];
    const std::string field = fmt::format("allowed[{}]", j);
    if (action >= actions()) {
      throw InvalidInput(field, std::to_string(action),
                         fmt::format("must be below the number of actions, {}", actions()));
    }
    if (j > 0 && action <= round.allowed[j - 1]) {
      throw InvalidInput(field, std::to_string(action), "must be larger than the one before it");
    }
  }
}

void Policy::check_ahead(const Round& round) const {
  if (round.ahead.empty()) return;
  if (kind() != PolicyKind::kPlain) {
    throw InvalidInput("round: ahead", "must be empty: batches are for plain policies");
  }
  if (round.ahead.size() == actions()) return;
  throw InvalidInput("length of ahead", std::to_string(round.ahead.size()),
                     fmt::format("must be the number of actions, {}", actions()));
}

std::vector<double> Policy::probabilities_given(ActionId action, const Stream&, AllowedActions) {
  std::vector<double> probabilities(actions(), 0.0);
  probabilities[action] = 1.0;
  return probabilities;
}

void Policy::observe(ActionId action, const Payoffs& payoffs) {
  check_action(action);
  const Payoffs reduced = reduce(payoffs);
  count_pull(action);
  absorb(action, reduced);
}

/// Checks the payoffs and brings them to resolution(). NaN and infinity survive summation, so
/// only the sums are looked at where sums are what is needed.
Payoffs Policy::reduce(const Payoffs& given) {
  const Resolution::Kind kind = resolution_.kind;
  Payoffs payoffs = given;
  switch (given.kind()) {
    case Payoffs::Kind::kTotal:
      if (kind != Resolution::Kind::kTotal) refuse_kind("a total", resolution_);
      if (!acceptable(given.reward())) refuse_payoffs(given);
      return given;
    case Payoffs::Kind::kGroupSums:
      if (kind != Resolution::Kind::kGroups) refuse_kind("sums over groups", resolution_);
      check_length(given.values().size(), sums_.size(), "atoms");
      if (!all_within(given.values(), kLargestPayoff)) refuse_payoffs(given);
      return given;
    case Payoffs::Kind::kDense:
      if (variables() == 0) refuse_without_round();
      check_length(given.values().size(), variables(), "variables");
      break;
    case Payoffs::Kind::kSparse:
      if (variables() == 0) refuse_without_round();
      payoffs = in_order(given);
      break;
  }

  const std::span<const double> values = payoffs.values();
  if (kind == Resolution::Kind::kGroups) {
    if (payoffs.kind() == Payoffs::Kind::kDense) {
      resolution_.partition->sum_dense(values, sums_);
    } else {
      resolution_.partition->sum_sparse(payoffs.ids(), values, sums_);
    }
    if (!all_within(sums_, kLargestPayoff)) refuse_payoffs(given);
    return Payoffs::group_sums(sums_);
  }
  if (kind == Resolution::Kind::kTotal) {
    const double reward = sum_of(values);
    if (!acceptable(reward)) refuse_payoffs(given);
    return Payoffs::total(reward);
  }
  if (!all_within(values, kLargestPayoff)) refuse_payoffs(given);
  return payoffs;
}

/// Sparse payoffs with their ids increasing; checks that they are distinct and in range.
Payoffs Policy::in_order(const Payoffs& sparse) {
  const auto ids = sparse.ids();
  const auto values = sparse.values();
  if (ids.size() != values.size()) {
    throw InvalidInput("length of payoffs", std::to_string(values.size()),
                       fmt::format("must be the number of variable ids, {}", ids.size()));
  }
  const bool increasing = strictly_increasing(ids);
  if (increasing && (ids.empty() || ids.back() < variables())) return sparse;
  for (const VariableId id : ids) {
    if (id >= variables()) {
      throw InvalidInput("payoffs: variable", std::to_string(id),
                         fmt::format("must be below the number of variables, {}", variables()));
    }
  }
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  sorted_ids_.resize(ids.size());
  sorted_values_.resize(ids.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    sorted_ids_[j] = ids[order[j]];
    sorted_values_[j] = values[order[j]];
  }
  const auto repeated = std::adjacent_find(sorted_ids_.begin(), sorted_ids_.end());
  if (repeated != sorted_ids_.end()) {
    throw InvalidInput("payoffs: variable", std::to_string(*repeated),
                       "is repeated; ids must be distinct");
  }
  return Payoffs::sparse(sorted_ids_, sorted_values_);
}

void Policy::save_state(StateWriter& writer) const {
  writer.u64(decisions_);
  writer.u64(observations_);
  write_rows(writer);
  if (!pulls_.empty()) {
    writer.u64s(pulls_);
    writer.u64s(offers_);
  }
  write_statistics(writer);
}

void Policy::restore_state(StateReader& reader, std::uint64_t version) {
  decisions_ = reader.u64();
  observations_ = reader.u64();
  read_rows(reader, version);
  if (!pulls_.empty()) read_pulls(reader);
  read_statistics(reader);
}

void Policy::read_pulls(StateReader& reader) {
  reader.u64s(pulls_, "policy state: pulls");
  reader.u64s(offers_, "policy state: offers");
  without_feedback_ = static_cast<std::size_t>(std::count(pulls_.begin(), pulls_.end(), 0u));
  if (std::accumulate(pulls_.begin(), pulls_.end(), std::uint64_t{0}) != observations_) {
    throw InvalidInput("policy state: pulls", "must add up to the number of observations");
  }
  if (std::accumulate(offers_.begin(), offers_.end(), std::uint64_t{0}) != decisions_) {
    throw InvalidInput("policy state: offers", "must add up to the number of decisions");
  }
}

}  // namespace updraft
