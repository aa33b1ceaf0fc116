#include "models/merged_rows.h"

#include <bit>
#include <string>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// FNV-1a over words in place of bytes, with the high bits mixed in.
std::uint64_t hash_of(std::span<const double> row) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const double x : row) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

bool MergedRows::equals(std::uint32_t place, std::span<const double> row) const {
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (rows_.value(place, f) != row[f]) return false;
  }
  return true;
}

std::uint32_t MergedRows::place_of(std::span<const double> row) {
  const auto next = static_cast<std::uint32_t>(rows_.rows());
  const auto [entry, is_new] = places_.try_emplace(hash_of(row), next);
  if (!is_new && equals(entry->second, row)) return entry->second;
  if (next % RowBlocks::kRows == 0) {
    counts_.resize(counts_.size() + RowBlocks::kRows, 0.0);
    payoffs_.resize(payoffs_.size() + RowBlocks::kRows, 0.0);
  }
  rows_.add(row);
  return next;
}

void MergedRows::add(std::span<const double> row, double payoff) {
  const std::uint32_t place = place_of(row);
  counts_[place] += 1.0;
  payoffs_[place] += payoff;
  ++total_;
}

void MergedRows::write(StateWriter& writer) const {
  std::vector<double> all(rows_.rows() * rows_.features());
  for (std::size_t r = 0; r < rows_.rows(); ++r) {
    rows_.copy_row(r, std::span(all).subspan(r * rows_.features(), rows_.features()));
  }
  writer.f64s(all);
  writer.f64s(std::span(counts_).first(rows_.rows()));
  writer.f64s(std::span(payoffs_).first(rows_.rows()));
  writer.u64(total_);
}

void MergedRows::read(StateReader& reader) {
  const std::size_t features = rows_.features();
  const std::vector<double> all = reader.f64s();
  if (all.size() % features != 0) {
    throw InvalidInput("policy state: rows", "must be of as many features each as the policy's");
  }
  std::vector<double> counts(all.size() / features);
  std::vector<double> payoffs(counts.size());
  reader.f64s(counts, "policy state: counts");
  reader.f64s(payoffs, "policy state: payoffs");
  *this = MergedRows(features);
  double sum = 0.0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (!(counts[r] >= 1.0)) {
      throw InvalidInput("policy state: counts", counts[r], "must be at least 1");
    }
    sum += counts[r];
    const std::uint32_t place = place_of(std::span(all).subspan(r * features, features));
    if (place != r) throw InvalidInput("policy state: rows", "must all be different");
    counts_[place] = counts[r];
    payoffs_[place] = payoffs[r];
  }
  total_ = reader.u64();
  if (sum != static_cast<double>(total_)) {
    throw InvalidInput("policy state: rows", std::to_string(total_), "must be the sum of counts");
  }
}

}  // namespace updraft
