#include "monitor/payoff_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace updraft {

double Tally::spread() const {
  return count == 0 ? 0.0 : std::max(0.0, squares - sum * sum / static_cast<double>(count));
}

void Tally::write(StateWriter& writer) const {
  writer.u64(count);
  writer.f64(sum);
  writer.f64(squares);
}

void Tally::read(StateReader& reader) {
  count = reader.u64();
  sum = reader.f64();
  squares = reader.f64();
}

PayoffStatistics::PayoffStatistics(std::size_t actions, std::size_t variables,
                                   std::shared_ptr<const AffectedSets> affected)
    : variables_(variables),
      affected_(std::move(affected)),
      per_variable_(actions <= kMostCells / variables),
      rewards_(actions) {}

void PayoffStatistics::make_sums() {
  if (!per_variable_ || sums_) return;
  std::vector<double> squares(variables_, 0.0);
  std::vector<double> others(variables_, 0.0);
  sums_.emplace(actions(), variables_);
  affected_squares_ = std::move(squares);
  other_squares_ = std::move(others);
}

void PayoffStatistics::add(ActionId action, const Payoffs& payoffs) {
  make_sums();
  const std::span<const double> values = payoffs.values();
  const bool sparse = payoffs.kind() == Payoffs::Kind::kSparse;
  const bool some_absent = sparse && values.size() < variables_;
  if (rounds_ == 0) least_ = largest_ = some_absent ? 0.0 : values.front();
  if (some_absent) {
    least_ = std::min(least_, 0.0);
    largest_ = std::max(largest_, 0.0);
  }
  double reward = 0.0;
  for (const double value : values) {
    reward += value;
    least_ = std::min(least_, value);
    largest_ = std::max(largest_, value);
  }
  if (sums_) {
    sums_->add(action, payoffs, [](VariableId, std::uint16_t, std::uint16_t) {});
    add_squares(action, payoffs);
  }
  ++rounds_;
  rewards_[action].add(reward);
}

void PayoffStatistics::add_squares(ActionId action, const Payoffs& payoffs) {
  const std::span<const double> values = payoffs.values();
  const bool sparse = payoffs.kind() == Payoffs::Kind::kSparse;
  const std::span<const VariableRange> ranges =
      affected_ == nullptr ? std::span<const VariableRange>() : affected_->of(action).ranges();
  auto range = ranges.begin();
  for (std::size_t j = 0; j < values.size(); ++j) {
    const VariableId i = sparse ? payoffs.ids()[j] : static_cast<VariableId>(j);
    while (range != ranges.end() && range->end <= i) ++range;
    const bool affected = range != ranges.end() && range->begin <= i;
    (affected ? affected_squares_ : other_squares_)[i] += values[j] * values[j];
  }
}

std::uint64_t PayoffStatistics::degrees() const {
  return std::accumulate(rewards_.begin(), rewards_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Tally& tally) {
                           return sum + (tally.count > 0 ? tally.count - 1 : 0);
                         });
}

std::optional<double> PayoffStatistics::reward_variance() const {
  if (degrees() == 0) return std::nullopt;
  double spread = 0.0;
  for (const Tally& tally : rewards_) spread += tally.spread();
  return spread / static_cast<double>(degrees());
}

double PayoffStatistics::mean() const {
  double sum = 0.0;
  for (const Tally& tally : rewards_) sum += tally.sum;
  return sum / (static_cast<double>(rounds_) * static_cast<double>(variables_));
}

std::optional<double> PayoffStatistics::typical_sd() const {
  if (!sums_ || degrees() == 0) return std::nullopt;
  double spread = 0.0;
  for (std::size_t i = 0; i < variables_; ++i) spread += affected_squares_[i] + other_squares_[i];
  for (ActionId action = 0; action < actions(); ++action) {
    if (rounds(action) == 0) continue;
    double squares = 0.0;
    const PayoffRow row = sums(action);
    for (std::size_t i = 0; i < variables_; ++i) squares += row[i] * row[i];
    spread -= squares / static_cast<double>(rounds(action));
  }
  return std::sqrt(std::max(0.0, spread) /
                   (static_cast<double>(degrees()) * static_cast<double>(variables_)));
}

void PayoffStatistics::write(StateWriter& writer) const {
  writer.u64(rounds_);
  for (const Tally& tally : rewards_) tally.write(writer);
  writer.f64(least_);
  writer.f64(largest_);
  if (!sums_) return;
  sums_->write(writer);
  writer.f64s(affected_squares_);
  writer.f64s(other_squares_);
}

void PayoffStatistics::read(StateReader& reader) {
  rounds_ = reader.u64();
  for (Tally& tally : rewards_) tally.read(reader);
  least_ = reader.f64();
  largest_ = reader.f64();
  if (rounds_ == 0) return;
  make_sums();
  if (!sums_) return;
  sums_->read(reader);
  reader.f64s(affected_squares_, "snapshot: squares of payoffs");
  reader.f64s(other_squares_, "snapshot: squares of payoffs");
}

}  // namespace updraft
