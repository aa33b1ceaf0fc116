#include "updraft/environment.h"

#include <fmt/format.h>

#include "environments/payoff_law.h"
#include "updraft/error.h"

namespace updraft {

struct Environment::Scratch {
  DrawBuffers buffers;
  std::vector<double> sums;
};

std::shared_ptr<const PayoffLaw> prepare_payoffs(std::shared_ptr<const Instance> instance) {
  return std::holds_alternative<BernoulliNoise>(instance->noise())
             ? make_bernoulli_law(std::move(instance))
             : make_gaussian_law(std::move(instance));
}

Environment::Environment(std::shared_ptr<const PayoffLaw> law, std::uint64_t seed,
                         std::uint32_t run)
    : law_(std::move(law)), seed_(seed), run_(run), scratch_(std::make_unique<Scratch>()) {}

Environment::~Environment() = default;
Environment::Environment(Environment&&) noexcept = default;

const Instance& Environment::instance() const { return law_->instance(); }

Payoffs Environment::draw(std::uint32_t round, ActionId action, const Resolution& resolution) {
  if (action >= instance().actions()) {
    throw InvalidInput(
        "action", std::to_string(action),
        fmt::format("must be below the number of actions, {}", instance().actions()));
  }
  const RoundKey key{seed_, run_, round};
  DrawBuffers& buffers = scratch_->buffers;
  switch (resolution.kind) {
    case Resolution::Kind::kTotal:
      return Payoffs::total(law_->total(key, action, buffers));
    case Resolution::Kind::kVariables:
      return law_->variables(key, action, buffers);
    case Resolution::Kind::kGroups:
      break;
  }
  const Partition& partition = *resolution.partition;
  std::vector<double>& sums = scratch_->sums;
  sums.resize(partition.groups());
  if (resolution.partition == instance().affected()->atoms()) {
    law_->atom_sums(key, action, buffers, sums);
    return Payoffs::group_sums(sums);
  }
  if (partition.variables() != instance().variables()) {
    throw InvalidInput("variables of partition", std::to_string(partition.variables()),
                       fmt::format("must be the number of variables, {}", instance().variables()));
  }
  const Payoffs payoffs = law_->variables(key, action, buffers);
  if (payoffs.kind() == Payoffs::Kind::kDense) {
    partition.sum_dense(payoffs.values(), sums);
  } else {
    partition.sum_sparse(payoffs.ids(), payoffs.values(), sums);
  }
  return Payoffs::group_sums(sums);
}

BaselineObservations Environment::observe_baseline(std::uint64_t count) const {
  if (count < 1) throw InvalidInput("observations", std::to_string(count), "must be at least 1");
  BaselineObservations table;
  table.counts.assign(instance().variables(), static_cast<double>(count));
  table.means.resize(instance().variables());
  law_->baseline_means(Stream(seed_, run_, Purpose::kObservations), count, table.means);
  return table;
}

}  // namespace updraft
