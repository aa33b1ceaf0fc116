#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "environments/payoff_law.h"
#include "random/binomial.h"
#include "random/subset.h"

namespace updraft {
namespace {

/// Variables with the same rate under every action: one atom, one baseline rate, one treated rate
/// per action that affects it. Their number of ones is binomial.
struct Cell {
  GroupId atom = 0;
  std::size_t first = 0;  ///< of its variables, in the law's order
  std::size_t size = 0;
  double baseline_rate = 0.0;
  std::uint64_t first_index = 0;  ///< of the stream that tells which variables are one
  BinomialQuantile baseline;
};

/// A cell under an action that affects it.
struct TreatedCell {
  std::size_t cell = 0;
  BinomialQuantile ones;
};

/// Independent 0/1 payoffs. The number of ones of a cell is drawn first, as the binomial quantile
/// of one uniform, which all actions share; then, where single variables are asked for, which of
/// them are one, uniformly.
/// The noise of a round: per cell its uniform, then its ones without any action, then the sum over
/// all cells (total) or over each atom (groups), or the places of the ones (variables).
/// Cost: noise O(cells), for variables O(cells + ones + m / 64); payoffs O(cells of the action),
/// and O(atoms) or O(ones).
class BernoulliLaw final : public PayoffLaw {
 public:
  explicit BernoulliLaw(std::shared_ptr<const Instance> given) : PayoffLaw(std::move(given)) {
    find_cells();
    in_order_ = std::is_sorted(order_.begin(), order_.end());
  }

  std::uint32_t block_rounds(Resolution::Kind kind) const override {
    return rounds_in_cache(kind == Resolution::Kind::kVariables
                               ? std::max<std::size_t>(numbers(kind), order_.size() / 64)
                               : numbers(kind));
  }

  void draw_noise(NoiseBlock& noise, DrawBuffers& buffers) const override {
    const std::size_t rounds = noise.block.rounds;
    noise.columns.resize(rounds * numbers(noise.kind));
    const std::span<double> columns(noise.columns);
    const auto sums = columns.subspan(first_sum() * rounds);
    std::fill(sums.begin(), sums.end(), 0.0);
    noise.block.stream(Purpose::kNoiseGroups)
        .uniform_columns(noise.block.first, rounds, cells_.size(),
                         columns.first(first_ones() * rounds));
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const double* uniform = columns.data() + c * rounds;
      double* ones = columns.data() + (first_ones() + c) * rounds;
      for (std::size_t r = 0; r < rounds; ++r) {
        ones[r] = static_cast<double>(cells_[c].baseline(uniform[r]));
      }
      if (sums.empty()) continue;
      double* sum = sums.data();
      if (noise.kind == Resolution::Kind::kGroups) sum += cells_[c].atom * rounds;
      for (std::size_t r = 0; r < rounds; ++r) sum[r] += ones[r];
    }
    if (noise.kind == Resolution::Kind::kVariables) draw_places(noise, buffers);
  }

  double total(const NoiseBlock& noise, std::uint32_t round, ActionId action) const override {
    const auto numbers = noise.at(round);
    double sum = numbers[first_sum()];
    for (const TreatedCell& treated : treated_[action]) sum += more_ones(numbers, treated);
    return sum;
  }

  void atom_sums(const NoiseBlock& noise, std::uint32_t round, ActionId action,
                 std::span<double> out) const override {
    const auto numbers = noise.at(round);
    for (std::size_t g = 0; g < out.size(); ++g) out[g] = numbers[first_sum() + g];
    for (const TreatedCell& treated : treated_[action]) {
      out[cells_[treated.cell].atom] += more_ones(numbers, treated);
    }
  }

  Payoffs variables(const NoiseBlock& noise, std::uint32_t round, ActionId action,
                    DrawBuffers& buffers) const override {
    const auto numbers = noise.at(round);
    const std::size_t r = round - noise.block.first;
    const VariableId* from = noise.ones.data() + (r == 0 ? 0 : noise.ones_end[r - 1]);
    const VariableId* const end = noise.ones.data() + noise.ones_end[r];
    buffers.ids.clear();
    std::size_t cell = 0;
    for (const TreatedCell& treated : treated_[action]) {
      std::size_t before = 0;
      for (; cell < treated.cell; ++cell) before += ones_without_action(numbers, cell);
      buffers.ids.insert(buffers.ids.end(), from, from + before);
      from += before + ones_without_action(numbers, cell);
      const std::size_t ones = treated.ones(numbers[cell]);
      mark_ones(noise.block, round, cells_[cell], ones, buffers.bits);
      collect_ones(buffers.bits, cells_[cell].first, cells_[cell].first + cells_[cell].size, ones,
                   buffers.ids);
      ++cell;
    }
    buffers.ids.insert(buffers.ids.end(), from, end);
    if (!in_order_) sort_by_variable(buffers);
    buffers.values.resize(std::max(buffers.values.size(), buffers.ids.size()), 1.0);
    return Payoffs::sparse(buffers.ids, std::span(buffers.values).first(buffers.ids.size()));
  }

  void baseline_means(const Stream& stream, std::uint64_t count,
                      std::span<double> out) const override {
    for (const Cell& cell : cells_) {
      const BinomialQuantile ones(count, cell.baseline_rate);
      for (std::size_t j = cell.first; j < cell.first + cell.size; ++j) {
        out[order_[j]] =
            static_cast<double>(ones(stream.uniform(0, order_[j]))) / static_cast<double>(count);
      }
    }
  }

 private:
  // Where the numbers of a round stand: uniforms, ones, sums.
  std::size_t first_ones() const { return Stream::whole_pairs(cells_.size()); }
  std::size_t first_sum() const { return first_ones() + cells_.size(); }
  std::size_t numbers(Resolution::Kind kind) const {
    return first_sum() + (kind == Resolution::Kind::kTotal ? 1
                          : kind == Resolution::Kind::kGroups
                              ? instance().affected()->atoms()->groups()
                              : 0);
  }

  /// Stream indices set aside for choosing within a cell, so that what one cell draws does not
  /// depend on the others: more than mark_subset uses, except with probability below 1e-30.
  static std::uint64_t indices_for(std::size_t size) { return size == 1 ? 0 : 4 * size + 64; }

  std::size_t ones_without_action(NoiseBlock::Round numbers, std::size_t cell) const {
    return static_cast<std::size_t>(numbers[first_ones() + cell]);
  }

  /// Ones that the action adds to a cell, or takes away.
  double more_ones(NoiseBlock::Round numbers, const TreatedCell& treated) const {
    return static_cast<double>(treated.ones(numbers[treated.cell])) -
           numbers[first_ones() + treated.cell];
  }

  void mark_ones(const RoundBlock& block, std::uint32_t round, const Cell& cell, std::size_t ones,
                 std::vector<std::uint64_t>& bits) const {
    if (bits.empty()) bits.resize((order_.size() + 63) / 64, 0);
    mark_subset(block.stream(Purpose::kNoiseVariables),
                {.size = cell.size,
                 .chosen = ones,
                 .first_bit = cell.first,
                 .round = round,
                 .first_index = cell.first_index},
                bits);
  }

  /// The places of the ones without any action, round by round.
  void draw_places(NoiseBlock& noise, DrawBuffers& buffers) const {
    noise.ones.clear();
    noise.ones_end.clear();
    for (std::uint32_t r = 0; r < noise.block.rounds; ++r) {
      const std::uint32_t round = noise.block.first + r;
      std::size_t count = 0;
      for (std::size_t c = 0; c < cells_.size(); ++c) {
        const std::size_t ones = ones_without_action(noise.at(round), c);
        mark_ones(noise.block, round, cells_[c], ones, buffers.bits);
        count += ones;
      }
      collect_ones(buffers.bits, 0, order_.size(), count, noise.ones);
      noise.ones_end.push_back(noise.ones.size());
    }
  }

  /// Appends the `count` bits of begin..end-1 that are set, in order, and clears all of them.
  static void collect_ones(std::vector<std::uint64_t>& bits, std::size_t begin, std::size_t end,
                           std::size_t count, std::vector<VariableId>& ids) {
    ids.resize(ids.size() + count);
    VariableId* next = ids.data() + (ids.size() - count);
    for (std::size_t word = begin / 64; word < (end + 63) / 64; ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
        *next++ = static_cast<VariableId>(64 * word + std::countr_zero(left));
      }
      bits[word] = 0;
    }
  }

  /// Variables, in order, from places in the law's order.
  void sort_by_variable(DrawBuffers& buffers) const {
    for (const VariableId place : buffers.ids) {
      const VariableId id = order_[place];
      buffers.bits[id / 64] |= std::uint64_t{1} << (id % 64);
    }
    const std::size_t count = buffers.ids.size();
    buffers.ids.clear();
    collect_ones(buffers.bits, 0, order_.size(), count, buffers.ids);
  }

  /// Groups the variables by atom and rates; cells are numbered by their lowest variable.
  void find_cells() {
    const Instance& truth = instance();
    const AffectedSets& affected = *truth.affected();
    const Partition& atoms = *affected.atoms();
    std::vector<std::size_t> next_mean(truth.actions(), 0);  // ranges are visited in order
    std::map<std::vector<double>, std::size_t> cell_of;
    std::vector<std::vector<VariableId>> members;
    std::vector<std::vector<double>> keys;
    std::vector<double> key;
    for (const Partition::Segment& segment : atoms.segments()) {
      for (VariableId id = segment.range.begin; id != segment.range.end; ++id) {
        key.assign({static_cast<double>(segment.group), truth.baseline()[id]});
        for (const ActionId action : affected.affecting(segment.group)) {
          key.push_back(truth.affected_means(action)[next_mean[action]++]);
        }
        const auto [entry, added] = cell_of.try_emplace(key, members.size());
        if (added) {
          members.emplace_back();
          keys.push_back(key);
        }
        members[entry->second].push_back(id);
      }
    }
    treated_.resize(truth.actions());
    std::uint64_t first_index = 0;
    for (std::size_t c = 0; c < members.size(); ++c) {
      const std::size_t size = members[c].size();
      cells_.push_back({.atom = static_cast<GroupId>(keys[c][0]),
                        .first = order_.size(),
                        .size = size,
                        .baseline_rate = keys[c][1],
                        .first_index = first_index,
                        .baseline = BinomialQuantile(size, keys[c][1])});
      const auto actions = affected.affecting(cells_.back().atom);
      for (std::size_t j = 0; j < actions.size(); ++j) {
        treated_[actions[j]].push_back({c, BinomialQuantile(size, keys[c][2 + j])});
      }
      order_.insert(order_.end(), members[c].begin(), members[c].end());
      first_index += indices_for(size);
    }
  }

  std::vector<Cell> cells_;
  std::vector<std::vector<TreatedCell>> treated_;  // per action, by cell
  std::vector<VariableId> order_;                  // variables, cell by cell
  bool in_order_ = false;                          // order_ is 0..m-1
};

}  // namespace

std::shared_ptr<const PayoffLaw> make_bernoulli_law(std::shared_ptr<const Instance> instance) {
  return std::make_shared<const BernoulliLaw>(std::move(instance));
}

}  // namespace updraft
