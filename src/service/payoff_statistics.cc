#include "service/payoff_statistics.h"

#include <algorithm>
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

PayoffStatistics::PayoffStatistics(std::size_t actions, std::size_t variables)
    : variables_(variables), rewards_(actions) {
  if (actions > kMostCells / variables) return;
  sums_.emplace(actions, variables);
  squares_.assign(variables, 0.0);
}

void PayoffStatistics::add(ActionId action, const Payoffs& payoffs) {
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
    for (std::size_t j = 0; j < values.size(); ++j) {
      squares_[sparse ? payoffs.ids()[j] : j] += values[j] * values[j];
    }
  }
  ++rounds_;
  rewards_[action].add(reward);
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

std::vector<double> PayoffStatistics::variances() const {
  if (degrees() == 0) return {};
  std::vector<double> out = squares_;
  for (ActionId action = 0; action < actions(); ++action) {
    if (rounds(action) == 0) continue;
    const auto count = static_cast<double>(rounds(action));
    const PayoffRow row = sums(action);
    for (std::size_t i = 0; i < variables_; ++i) out[i] -= row[i] * row[i] / count;
  }
  const auto divisor = static_cast<double>(degrees());
  for (double& variance : out) variance = std::max(0.0, variance / divisor);
  return out;
}

void PayoffStatistics::write(StateWriter& writer) const {
  writer.u64(rounds_);
  for (const Tally& tally : rewards_) tally.write(writer);
  writer.f64(least_);
  writer.f64(largest_);
  if (!sums_) return;
  sums_->write(writer);
  writer.f64s(squares_);
}

void PayoffStatistics::read(StateReader& reader) {
  rounds_ = reader.u64();
  for (Tally& tally : rewards_) tally.read(reader);
  least_ = reader.f64();
  largest_ = reader.f64();
  if (!sums_) return;
  sums_->read(reader);
  reader.f64s(squares_, "snapshot: squares of payoffs");
}

}  // namespace updraft
