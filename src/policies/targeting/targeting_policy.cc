#include "policies/targeting/targeting_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/row_checks.h"
#include "policies/width_schedule.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr RowWords kWords{"pool", "individual"};

std::uint64_t treated_in(std::span<const Treatment> treatments) {
  return treatments.size() -
         static_cast<std::uint64_t>(std::count(treatments.begin(), treatments.end(), 0u));
}

}  // namespace

void TargetingPolicy::check_any(const Round& pool) const {
  check_rows(kWords, pool, knowledge().features());
  if (!pool.affected.empty()) {
    throw InvalidInput("pool: affected", "must be absent: a treatment affects who gets it");
  }
  if (!pool.allowed.empty()) {
    throw InvalidInput("pool: allowed", "must be absent: targeting gives treatments, not actions");
  }
}

void TargetingPolicy::check_size(const Round& pool) const {
  check_any(pool);
  if (pool.size() >= budget()) return;
  throw InvalidInput("pool", fmt::format("{} individuals", pool.size()),
                     fmt::format("must have at least as many as the budget, {}", budget()));
}

void TargetingPolicy::check_treatments(const Round& pool, std::span<const Treatment> given) const {
  check_count(kWords, "treatments", given.size(), pool.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] <= treatments()) continue;
    throw InvalidInput(fmt::format("treatments[{}]", i), std::to_string(given[i]),
                       fmt::format("must be at most the number of treatments, {}", treatments()));
  }
}

Decision TargetingPolicy::choose_in(const Round& pool, const Stream& stream,
                                    Propensity propensity) {
  check_size(pool);
  check_pool(pool);
  return choose_treatments(pool, stream, propensity);
}

void TargetingPolicy::check_taken(const Round& pool, const Decision& decision) const {
  check_size(pool);
  check_treatments(pool, decision.treatments);
  if (const std::uint64_t treated = treated_in(decision.treatments); treated > budget()) {
    throw InvalidInput("treatments", fmt::format("{} individuals", treated),
                       fmt::format("must be at most the budget, {}", budget()));
  }
}

void TargetingPolicy::learn_from(const Decision& decision, const Round& pool,
                                 const Payoffs& payoffs) {
  check_any(pool);
  check_treatments(pool, decision.treatments);
  std::vector<double> buffer;
  const std::span<const double> paid = row_payoffs(kWords, payoffs, pool.size(), buffer);
  for (std::size_t i = 0; i < paid.size(); ++i) check_payoff(i, paid[i]);
  add(pool, decision.treatments, paid);
  count_learned();
  rows_ += paid.size();
  treated_rows_ += treated_in(decision.treatments);
}

Explanation TargetingPolicy::explain_round(const Round& pool) const {
  check_any(pool);
  check_pool(pool);
  Explanation explanation;
  explanation.individuals = describe(pool);
  return explanation;
}

void TargetingPolicy::write_rows(StateWriter& writer) const {
  writer.u64(rows_);
  writer.u64(treated_rows_);
}

void TargetingPolicy::read_rows(StateReader& reader, std::uint64_t version) {
  if (version < 2) return check_needs_no_rows(spec());
  rows_ = reader.u64();
  treated_rows_ = reader.u64_at_most(rows_, "policy state: treated rows");
}

}  // namespace updraft
