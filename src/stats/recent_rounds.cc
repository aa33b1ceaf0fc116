#include "stats/recent_rounds.h"

#include <algorithm>
#include <cmath>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

using Eigen::Map;
using Eigen::VectorXd;

/// Beyond this a saved number of blocks is damage: 64 sizes at most.
constexpr std::uint64_t kMostBlocks = 64 * (RecentRounds::kBlocks + 1);

double exponent_of(const Contrast& contrast, double difference, double new_rounds,
                   double old_rounds) {
  const double size = std::abs(difference);
  const double variance = contrast.sd * contrast.sd * (1.0 / new_rounds + 1.0 / old_rounds) +
                          contrast.jump * size / (3.0 * std::min(new_rounds, old_rounds));
  if (!(variance > 0.0)) return 0.0;
  const double degrees = std::max(1.0, contrast.degrees);
  return 0.5 * (degrees + 1.0) * std::log1p(size * size / variance / degrees);
}

}  // namespace

void RecentRounds::Block::add(const Block& later) {
  const double share =
      static_cast<double>(later.rounds) / static_cast<double>(rounds + later.rounds);
  mean += share * (later.mean - mean);
  beyond += later.beyond;
  rounds += later.rounds;
}

RecentRounds::RecentRounds(std::size_t actions, std::size_t atoms)
    : atoms_(atoms), blocks_(actions), recent_(actions), last_(actions, 0) {}

void RecentRounds::add(ActionId action, std::uint64_t round, std::span<const double> sums,
                       double beyond) {
  const Map<const VectorXd> x(sums.data(), static_cast<Eigen::Index>(atoms_));
  last_[action] = round;
  if (std::optional<Recent>& recent = recent_[action]) {
    ++recent->rounds;
    recent->mean += (x - recent->mean) / static_cast<double>(recent->rounds);
  }
  std::deque<Block>& blocks = blocks_[action];
  blocks.push_back({.rounds = 1, .first = round, .beyond = beyond, .mean = x});
  std::size_t end = blocks.size();  // of the blocks of a size
  while (end > 0) {
    const std::uint64_t size = blocks[end - 1].rounds;
    std::size_t begin = end;
    while (begin > 0 && blocks[begin - 1].rounds == size) --begin;
    if (end - begin <= kBlocks) break;
    blocks[begin].add(blocks[begin + 1]);
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(begin) + 1);
    end = begin + 1;
  }
}

std::optional<Split> RecentRounds::find(ActionId action, const Contrast& contrast,
                                        double threshold) const {
  const std::deque<Block>& blocks = blocks_[action];
  double all = 0.0;
  double all_rounds = 0.0;
  std::vector<double> sums;
  for (const Block& block : blocks) {
    const auto rounds = static_cast<double>(block.rounds);
    sums.push_back(rounds * contrast.weights.dot(block.mean) - block.beyond);
    all += sums.back();
    all_rounds += rounds;
  }
  double sum = 0.0;
  double rounds = 0.0;
  double best = threshold;
  double difference = 0.0;
  std::optional<std::size_t> place;
  for (std::size_t j = blocks.size(); j-- > 1;) {  // the new part begins with block j
    sum += sums[j];
    rounds += static_cast<double>(blocks[j].rounds);
    const double before = all_rounds - rounds;
    if (rounds < static_cast<double>(kLeast) || before < static_cast<double>(kLeast)) continue;
    const double step = sum / rounds - (all - sum) / before;
    const double exponent = exponent_of(contrast, step, rounds, before);
    if (!(exponent > best)) continue;
    best = exponent;
    difference = step;
    place = j;
  }
  if (!place) return std::nullopt;
  Split split = split_before(action, *place);
  split.difference = difference;
  return split;
}

std::optional<Split> RecentRounds::split_at(ActionId action, std::uint64_t first) const {
  const std::deque<Block>& blocks = blocks_[action];
  std::size_t place = 0;
  while (place < blocks.size() && blocks[place].first < first) ++place;
  if (place == 0 || place == blocks.size()) return std::nullopt;
  return split_before(action, place);
}

Split RecentRounds::split_before(ActionId action, std::size_t block) const {
  const std::deque<Block>& blocks = blocks_[action];
  const auto joined = [&](std::size_t begin, std::size_t end) {
    Block all = blocks[begin];
    for (std::size_t j = begin + 1; j < end; ++j) all.add(blocks[j]);
    return all;
  };
  const Block before = joined(0, block);
  const Block after = joined(block, blocks.size());
  return {.old_rounds = before.rounds,
          .new_rounds = after.rounds,
          .old_mean = before.mean,
          .new_mean = after.mean,
          .first = after.first};
}

void RecentRounds::forget(ActionId action, const Split& split, bool keep_mean) {
  std::deque<Block>& blocks = blocks_[action];
  while (!blocks.empty() && blocks.front().first < split.first) blocks.pop_front();
  if (!keep_mean) recent_[action] = Recent{split.new_rounds, split.new_mean};
}

void RecentRounds::write(StateWriter& writer) const {
  const auto numbers = [&](const VectorXd& vector) {
    writer.f64s({vector.data(), static_cast<std::size_t>(vector.size())});
  };
  for (std::size_t action = 0; action < blocks_.size(); ++action) {
    writer.u64(last_[action]);
    writer.u64(recent_[action] ? recent_[action]->rounds : 0);
    if (recent_[action]) numbers(recent_[action]->mean);
    writer.u64(blocks_[action].size());
    for (const Block& block : blocks_[action]) {
      writer.u64(block.rounds);
      writer.u64(block.first);
      writer.f64(block.beyond);
      numbers(block.mean);
    }
  }
}

void RecentRounds::read(StateReader& reader) {
  const auto numbers = [&] {
    VectorXd vector(static_cast<Eigen::Index>(atoms_));
    reader.f64s({vector.data(), atoms_}, "policy state: recent rounds");
    return vector;
  };
  for (std::size_t action = 0; action < blocks_.size(); ++action) {
    last_[action] = reader.u64();
    const std::uint64_t rounds = reader.u64();
    recent_[action].reset();
    if (rounds > 0) recent_[action] = Recent{rounds, numbers()};
    const std::uint64_t count = reader.u64_at_most(kMostBlocks, "policy state: blocks of rounds");
    blocks_[action].clear();
    for (std::uint64_t j = 0; j < count; ++j) {
      Block block;
      block.rounds = reader.u64();
      block.first = reader.u64();
      block.beyond = reader.f64();
      block.mean = numbers();
      if (block.rounds == 0) {
        throw InvalidInput("policy state: rounds of a block", "0", "must be at least 1");
      }
      blocks_[action].push_back(std::move(block));
    }
  }
}

}  // namespace updraft
