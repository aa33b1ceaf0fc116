#include <fmt/format.h>

#include <algorithm>

#include "policies/row_checks.h"
#include "policies/width_schedule.h"
#include "updraft/campaign_policy.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr RowWords kWords{"pool", "individual"};

/// What any pool must be, large enough for the budget or not.
void check_any(const Pool& pool, const CampaignShape& shape) {
  check_rows(kWords, {pool.features, pool.width, pool.baseline, shape.features});
}

std::uint64_t treated_in(std::span<const Treatment> treatments) {
  return treatments.size() -
         static_cast<std::uint64_t>(std::count(treatments.begin(), treatments.end(), 0u));
}

}  // namespace

CampaignPolicy::CampaignPolicy(PolicySpec spec, CampaignShape shape)
    : spec_(std::move(spec)), shape_(shape) {
  check_at_least_one("features", shape.features);
  check_at_least_one("treatments", shape.treatments);
  check_at_least_one("budget", shape.budget);
}

void CampaignPolicy::check_pool(const Pool&) const {}
void CampaignPolicy::check_payoff(std::size_t, double) const {}

void CampaignPolicy::check_size(const Pool& pool) const {
  check_any(pool, shape_);
  if (pool.size() >= shape_.budget) return;
  throw InvalidInput("pool", fmt::format("{} individuals", pool.size()),
                     fmt::format("must have at least as many as the budget, {}", shape_.budget));
}

void CampaignPolicy::check_treatments(const Pool& pool,
                                      std::span<const Treatment> treatments) const {
  check_count(kWords, "treatments", treatments.size(), pool.size());
  for (std::size_t i = 0; i < treatments.size(); ++i) {
    if (treatments[i] <= shape_.treatments) continue;
    throw InvalidInput(
        fmt::format("treatments[{}]", i), std::to_string(treatments[i]),
        fmt::format("must be at most the number of treatments, {}", shape_.treatments));
  }
}

std::vector<Treatment> CampaignPolicy::select(const Pool& pool, const Stream& stream) {
  std::vector<Treatment> chosen = preview(pool, stream);
  ++decisions_;
  return chosen;
}

std::vector<Treatment> CampaignPolicy::preview(const Pool& pool, const Stream& stream) {
  check_size(pool);
  check_pool(pool);
  return choose(pool, stream);
}

void CampaignPolicy::take(const Pool& pool, std::span<const Treatment> treatments) {
  check_size(pool);
  check_treatments(pool, treatments);
  if (const std::uint64_t treated = treated_in(treatments); treated > shape_.budget) {
    throw InvalidInput("treatments", fmt::format("{} individuals", treated),
                       fmt::format("must be at most the budget, {}", shape_.budget));
  }
  ++decisions_;
}

void CampaignPolicy::observe(const Pool& pool, std::span<const Treatment> treatments,
                             std::span<const double> payoffs) {
  check_any(pool, shape_);
  check_treatments(pool, treatments);
  check_count(kWords, "payoffs", payoffs.size(), pool.size());
  check_numbers("payoffs", payoffs);
  for (std::size_t i = 0; i < payoffs.size(); ++i) check_payoff(i, payoffs[i]);
  learn(pool, treatments, payoffs);
  ++observations_;
  rows_ += treatments.size();
  treated_rows_ += treated_in(treatments);
}

std::vector<IndividualExplanation> CampaignPolicy::explain(const Pool& pool) const {
  check_any(pool, shape_);
  check_pool(pool);
  return describe(pool);
}

void CampaignPolicy::save_state(StateWriter& writer) const {
  writer.u64(decisions_);
  writer.u64(observations_);
  writer.u64(rows_);
  writer.u64(treated_rows_);
  write_statistics(writer);
}

void CampaignPolicy::restore_state(StateReader& reader, std::uint64_t version) {
  if (version < 2) check_needs_no_rows(spec_);
  decisions_ = reader.u64();
  observations_ = reader.u64();
  rows_ = version < 2 ? 0 : reader.u64();
  treated_rows_ = version < 2 ? 0 : reader.u64_at_most(rows_, "policy state: treated rows");
  read_statistics(reader);
}

}  // namespace updraft
