#include "updraft/instance_environment.h"

#include <fmt/format.h>

#include "environments/changing_means.h"
#include "environments/payoff_law.h"
#include "updraft/error.h"

namespace updraft {

struct InstanceEnvironment::Scratch {
  NoiseBlock noise;  // at the resolution that was last asked for
  DrawBuffers buffers;
  std::vector<double> sums;
  std::shared_ptr<const Partition> same_as_atoms;  // another one that is equal to the atoms
};

std::shared_ptr<const PayoffLaw> prepare_payoffs(std::shared_ptr<const Instance> instance) {
  return std::holds_alternative<BernoulliNoise>(instance->noise())
             ? make_bernoulli_law(std::move(instance))
             : make_gaussian_law(std::move(instance));
}

InstanceEnvironment::InstanceEnvironment(std::shared_ptr<const PayoffLaw> law, std::uint64_t seed,
                                         std::uint32_t run)
    : law_(std::move(law)),
      seed_(seed),
      run_(run),
      gaps_(instance().gaps()),
      scratch_(std::make_unique<Scratch>()) {
  if (instance().changes()) changing_ = std::make_unique<ChangingMeans>(instance(), seed, run);
}

InstanceEnvironment::~InstanceEnvironment() = default;
InstanceEnvironment::InstanceEnvironment(InstanceEnvironment&&) noexcept = default;

const Instance& InstanceEnvironment::instance() const { return law_->instance(); }

Payoffs InstanceEnvironment::draw(std::uint32_t round, ActionId action,
                                  const Resolution& resolution) {
  if (action >= instance().actions()) {
    throw InvalidInput(
        "action", std::to_string(action),
        fmt::format("must be below the number of actions, {}", instance().actions()));
  }
  const bool by_atoms =
      resolution.kind == Resolution::Kind::kGroups && is_atoms(resolution.partition);
  const Resolution::Kind kind = resolution.kind == Resolution::Kind::kGroups && !by_atoms
                                    ? Resolution::Kind::kVariables
                                    : resolution.kind;
  const NoiseBlock& noise = noise_at(round, kind);
  if (changing_) move_to(round);
  if (kind == Resolution::Kind::kTotal) {
    const double total = law_->total(noise, round, action);
    return Payoffs::total(changing_ ? total + changing_->total(action) : total);
  }
  std::vector<double>& sums = scratch_->sums;
  if (by_atoms) {
    sums.resize(resolution.partition->groups());
    law_->atom_sums(noise, round, action, sums);
    if (changing_) changing_->add_atoms(action, sums);
    return Payoffs::group_sums(sums);
  }
  const Payoffs payoffs = law_->variables(noise, round, action, scratch_->buffers);
  if (changing_) changing_->add_variables(action, scratch_->buffers.values);  // these are payoffs'
  if (resolution.kind == Resolution::Kind::kVariables) return payoffs;
  const Partition& partition = *resolution.partition;
  if (partition.variables() != instance().variables()) {
    throw InvalidInput("variables of partition", std::to_string(partition.variables()),
                       fmt::format("must be the number of variables, {}", instance().variables()));
  }
  sums.resize(partition.groups());
  if (payoffs.kind() == Payoffs::Kind::kDense) {
    partition.sum_dense(payoffs.values(), sums);
  } else {
    partition.sum_sparse(payoffs.ids(), payoffs.values(), sums);
  }
  return Payoffs::group_sums(sums);
}

void InstanceEnvironment::move_to(std::uint32_t round) {
  changing_->move_to(round);
  gaps_ = changing_->gaps();
}

std::span<const double> InstanceEnvironment::uplifts_in(std::uint32_t round) {
  if (!changing_) return instance().uplifts();
  move_to(round);
  return changing_->uplifts();
}

std::span<const double> InstanceEnvironment::gaps_in(std::uint32_t round) {
  if (changing_) move_to(round);
  return gaps_;
}

bool InstanceEnvironment::is_atoms(const std::shared_ptr<const Partition>& partition) {
  if (partition == instance().affected()->atoms() || partition == scratch_->same_as_atoms) {
    return true;
  }
  if (*partition != *instance().affected()->atoms()) return false;
  scratch_->same_as_atoms = partition;
  return true;
}

std::uint32_t InstanceEnvironment::block_rounds(const Resolution& resolution) const {
  return law_->block_rounds(resolution.kind);
}

const NoiseBlock& InstanceEnvironment::noise_at(std::uint32_t round, Resolution::Kind kind) {
  NoiseBlock& noise = scratch_->noise;
  if (noise.kind != kind || !noise.block.contains(round)) {
    const std::uint32_t rounds = law_->block_rounds(kind);
    noise.kind = kind;
    noise.block = {seed_, run_, round - round % rounds, rounds};
    law_->draw_noise(noise, scratch_->buffers);
  }
  return noise;
}

std::uint32_t rounds_in_cache(std::size_t numbers) {
  return numbers <= 128 ? 64 : numbers <= 4096 ? 8 : 1;
}

BaselineObservations InstanceEnvironment::observe_baseline(std::uint64_t count) const {
  if (count < 1) throw InvalidInput("observations", std::to_string(count), "must be at least 1");
  BaselineObservations table;
  table.counts.assign(instance().variables(), static_cast<double>(count));
  table.means.resize(instance().variables());
  law_->baseline_means(Stream(seed_, run_, Purpose::kObservations), count, table.means);
  return table;
}

}  // namespace updraft
