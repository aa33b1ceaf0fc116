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
  BinomialQuantile baseline;
  std::vector<BinomialQuantile> treated;  ///< per action in affected.affecting(atom)
};

/// Independent 0/1 payoffs. The number of ones of a cell is drawn first, as the binomial quantile
/// of one uniform, which all actions share; then, where single variables are asked for, which of
/// them are one, uniformly.
/// Cost: total and atom sums O(cells); variables O(cells + ones + m / 64).
class BernoulliLaw final : public PayoffLaw {
 public:
  explicit BernoulliLaw(std::shared_ptr<const Instance> given) : PayoffLaw(std::move(given)) {
    find_cells();
    in_order_ = std::is_sorted(order_.begin(), order_.end());
  }

  double total(const RoundKey& key, ActionId action, DrawBuffers& buffers) const override {
    draw_ones(key, action, buffers);
    return std::accumulate(buffers.sums.begin(), buffers.sums.end(), 0.0);
  }

  void atom_sums(const RoundKey& key, ActionId action, DrawBuffers& buffers,
                 std::span<double> out) const override {
    draw_ones(key, action, buffers);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < cells_.size(); ++c) out[cells_[c].atom] += buffers.sums[c];
  }

  Payoffs variables(const RoundKey& key, ActionId action, DrawBuffers& buffers) const override {
    draw_ones(key, action, buffers);
    const Stream stream = key.stream(Purpose::kNoiseVariables);
    buffers.bits.assign((order_.size() + 63) / 64, 0);
    std::uint64_t first_index = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const Cell& cell = cells_[c];
      mark_subset(stream,
                  {.size = cell.size,
                   .chosen = static_cast<std::size_t>(buffers.sums[c]),
                   .first_bit = cell.first,
                   .round = key.round,
                   .first_index = first_index},
                  buffers.bits);
      first_index += indices_for(cell.size);
    }
    collect_ones(in_order_ ? buffers.bits : by_variable(buffers), buffers.ids);
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
  /// Stream indices set aside for choosing within a cell, so that what one cell draws does not
  /// depend on the others: more than mark_subset uses, except with probability below 1e-30.
  static std::uint64_t indices_for(std::size_t size) { return size == 1 ? 0 : 4 * size + 64; }

  /// buffers.sums[c] = number of ones in cell c.
  void draw_ones(const RoundKey& key, ActionId action, DrawBuffers& buffers) const {
    buffers.sums.resize(cells_.size());
    key.stream(Purpose::kNoiseGroups).uniforms(key.round, 0, buffers.sums);
    const AffectedSets& affected = *instance().affected();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const Cell& cell = cells_[c];
      const auto actions = affected.affecting(cell.atom);
      const auto found = std::lower_bound(actions.begin(), actions.end(), action);
      const BinomialQuantile& ones = found != actions.end() && *found == action
                                         ? cell.treated[found - actions.begin()]
                                         : cell.baseline;
      buffers.sums[c] = static_cast<double>(ones(buffers.sums[c]));
    }
  }

  /// Bits in order of variable from bits in the law's order.
  const std::vector<std::uint64_t>& by_variable(DrawBuffers& buffers) const {
    collect_ones(buffers.bits, buffers.ids);
    buffers.permuted_bits.assign(buffers.bits.size(), 0);
    for (const VariableId place : buffers.ids) {
      const VariableId id = order_[place];
      buffers.permuted_bits[id / 64] |= std::uint64_t{1} << (id % 64);
    }
    return buffers.permuted_bits;
  }

  static void collect_ones(const std::vector<std::uint64_t>& bits, std::vector<VariableId>& ids) {
    ids.clear();
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
        ids.push_back(static_cast<VariableId>(64 * word + std::countr_zero(left)));
      }
    }
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
    for (std::size_t c = 0; c < members.size(); ++c) {
      const std::size_t size = members[c].size();
      Cell cell{static_cast<GroupId>(keys[c][0]),
                order_.size(),
                size,
                keys[c][1],
                BinomialQuantile(size, keys[c][1]),
                {}};
      for (std::size_t j = 2; j < keys[c].size(); ++j) cell.treated.emplace_back(size, keys[c][j]);
      order_.insert(order_.end(), members[c].begin(), members[c].end());
      cells_.push_back(std::move(cell));
    }
  }

  std::vector<Cell> cells_;
  std::vector<VariableId> order_;  // variables, cell by cell
  bool in_order_ = false;          // order_ is 0..m-1
};

}  // namespace

std::shared_ptr<const PayoffLaw> make_bernoulli_law(std::shared_ptr<const Instance> instance) {
  return std::make_shared<const BernoulliLaw>(std::move(instance));
}

}  // namespace updraft
