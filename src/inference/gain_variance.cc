#include "inference/gain_variance.h"

#include "inference/count_floor.h"
#include "updraft/state_io.h"

namespace updraft {

void GainVariance::add(bool held, double payoff, double factor) {
  Kind& kind = kinds_[held ? 1 : 0];
  kind.rounds += 1.0;
  kind.mean += (payoff - kind.mean) / kind.rounds;
  kind.factors += factor * factor;
  counts_.add({&payoff, 1});
  if (payoff == 0.0) return;
  kind.paid += 1.0;
  const double paid = kinds_[0].paid + kinds_[1].paid;
  amount_ += (payoff - amount_) / paid;
  square_ += (payoff * payoff - square_) / paid;
}

double GainVariance::variance_of(const Kind& kind) const {
  if (counts_.counts()) return count_floor(counts_, kind.rounds, kind.mean);
  const double rate = (kind.paid + kAddedCounts) / (kind.rounds + 2.0 * kAddedCounts);
  return rate * square_ - rate * rate * amount_ * amount_;
}

std::optional<double> GainVariance::least(std::uint64_t numbers) const {
  const double paid = kinds_[0].paid + kinds_[1].paid;
  if (paid < (counts_.counts() ? 1.0 : static_cast<double>(kLeastPaid))) return std::nullopt;
  if (!counts_.counts() && paid == kinds_[0].rounds + kinds_[1].rounds) return 0.0;
  double sum = 0.0;
  for (const Kind& kind : kinds_) sum += variance_of(kind) * kind.factors;
  return sum / static_cast<double>(numbers);
}

void GainVariance::write(StateWriter& writer) const {
  for (const Kind& kind : kinds_) {
    for (const double value : {kind.rounds, kind.paid, kind.mean, kind.factors}) {
      writer.f64(value);
    }
  }
  writer.f64(amount_);
  writer.f64(square_);
  counts_.write(writer);
}

void GainVariance::read(StateReader& reader) {
  for (Kind& kind : kinds_) {
    for (double* value : {&kind.rounds, &kind.paid, &kind.mean, &kind.factors}) {
      *value = reader.f64();
    }
  }
  amount_ = reader.f64();
  square_ = reader.f64();
  counts_.read(reader);
}

}  // namespace updraft
