#include <fmt/format.h>

#include <cmath>

#include "core/dense.h"
#include "updraft/campaign_policy.h"
#include "updraft/error.h"
#include "updraft/state.h"

namespace updraft {
namespace {

/// Beyond this, squares would overflow.
constexpr double kLargest = 1e100;

void check_at_least_one(std::string_view field, std::size_t value) {
  if (value < 1) throw InvalidInput(field, "0", "must be at least 1");
}

void check_numbers(std::string_view field, std::span<const double> values) {
  if (all_within(values, kLargest)) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i]) <= kLargest) continue;
    throw InvalidInput(fmt::format("{}[{}]", field, i), values[i],
                       "must be finite and at most 1e100 in size");
  }
}

void check_length(std::string_view field, std::size_t length, std::size_t individuals) {
  if (length == individuals) return;
  throw InvalidInput(fmt::format("length of {}", field), std::to_string(length),
                     fmt::format("must be the number of individuals, {}", individuals));
}

/// What any pool must be, large enough for the budget or not.
void check_rows(const Pool& pool, const CampaignShape& shape) {
  if (pool.width != shape.features) {
    throw InvalidInput("pool: features", std::to_string(pool.width),
                       fmt::format("must be as the policy was made for, {}", shape.features));
  }
  if (pool.features.empty()) throw InvalidInput("pool", "0 individuals", "must have at least 1");
  if (pool.features.size() % pool.width != 0) {
    throw InvalidInput("length of pool: features", std::to_string(pool.features.size()),
                       fmt::format("must be a multiple of the features of one, {}", pool.width));
  }
  check_numbers("pool: features", pool.features);
  if (!pool.baseline.empty()) {
    check_length("pool: baseline", pool.baseline.size(), pool.size());
    check_numbers("pool: baseline", pool.baseline);
  }
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

std::vector<Treatment> CampaignPolicy::select(const Pool& pool, const Stream& stream) {
  check_rows(pool, shape_);
  if (pool.size() < shape_.budget) {
    throw InvalidInput("pool", fmt::format("{} individuals", pool.size()),
                       fmt::format("must have at least as many as the budget, {}", shape_.budget));
  }
  check_pool(pool);
  std::vector<Treatment> chosen = choose(pool, stream);
  ++decisions_;
  return chosen;
}

void CampaignPolicy::observe(const Pool& pool, std::span<const Treatment> treatments,
                             std::span<const double> payoffs) {
  check_rows(pool, shape_);
  check_length("treatments", treatments.size(), pool.size());
  check_length("payoffs", payoffs.size(), pool.size());
  check_numbers("payoffs", payoffs);
  for (std::size_t i = 0; i < treatments.size(); ++i) {
    if (treatments[i] > shape_.treatments) {
      throw InvalidInput(
          fmt::format("treatments[{}]", i), std::to_string(treatments[i]),
          fmt::format("must be at most the number of treatments, {}", shape_.treatments));
    }
    check_payoff(i, payoffs[i]);
  }
  learn(pool, treatments, payoffs);
  ++observations_;
}

std::vector<IndividualExplanation> CampaignPolicy::explain(const Pool& pool) const {
  check_rows(pool, shape_);
  check_pool(pool);
  return describe(pool);
}

void CampaignPolicy::save_state(StateWriter& writer) const {
  writer.u64(decisions_);
  writer.u64(observations_);
  write_statistics(writer);
}

void CampaignPolicy::restore_state(StateReader& reader) {
  decisions_ = reader.u64();
  observations_ = reader.u64();
  read_statistics(reader);
}

}  // namespace updraft
