#include "environments/changing_means.h"

#include <cmath>
#include <numeric>

#include "environments/instance_checks.h"

namespace updraft {
namespace {

/// 2^-x, for x >= 0. Sums and products only, so that machines agree.
double half_to(double x) {
  constexpr double kLog2 = 0.6931471805599453;
  constexpr int kTerms = 22;  // of the series of exp; the last is below 1e-24
  if (!(x < 1100.0)) return 0.0;
  const double whole = std::floor(x);
  const double rest = -kLog2 * (x - whole);
  double sum = 1.0;
  for (int j = kTerms; j > 0; --j) sum = 1.0 + rest / j * sum;
  return std::ldexp(sum, -static_cast<int>(whole));
}

/// What a change adds or multiplies by in a round, but for walks.
struct CourseValue {
  std::uint32_t round;

  double operator()(const Season& season) const {
    return season.levels[round / season.rounds % season.levels.size()];
  }
  double operator()(const Trend& trend) const {
    if (round <= trend.from) return 0.0;
    if (round >= trend.to) return trend.by;
    return trend.by *
           (static_cast<double>(round - trend.from) / static_cast<double>(trend.to - trend.from));
  }
  double operator()(const Walk&) const { return 0.0; }
  double operator()(const Start& start) const { return round < start.at ? 0.0 : 1.0; }
  double operator()(const End& end) const { return round < end.at ? 1.0 : 0.0; }
  double operator()(const Flip& flip) const { return round < flip.at ? 1.0 : flip.factor; }
  double operator()(const WearOff& wear_off) const {
    if (round <= wear_off.from) return 1.0;
    const double halvings = static_cast<double>(round - wear_off.from) / wear_off.half_life;
    return wear_off.floor + (1.0 - wear_off.floor) * half_to(halvings);
  }
};

std::vector<double> sizes_in_atoms(const VariableSet& set, const Partition& atoms) {
  std::vector<double> sizes(atoms.groups(), 0.0);
  set.for_each([&](VariableId id) { sizes[atoms.group_of(id)] += 1.0; });
  return sizes;
}

VariableSet all_variables(std::size_t count) {
  const VariableRange range[] = {{0, static_cast<VariableId>(count)}};
  return VariableSet::from_ranges(range);
}

}  // namespace

ChangingMeans::ChangingMeans(const Instance& instance, std::uint64_t seed, std::uint32_t run)
    : instance_(&instance),
      places_(instance.definition().changes.size()),
      effects_(instance.actions()),
      uplifts_(instance.actions()) {
  const Partition& atoms = *instance.affected()->atoms();
  const std::vector<Change>& changes = instance.definition().changes;
  for (std::size_t j = 0; j < changes.size(); ++j) {
    if (const auto* walk = std::get_if<Walk>(&changes[j].course)) {
      places_[j].walk.emplace(*walk, Stream(seed, run, Purpose::kWalk), j);
    }
    if (changes[j].action) continue;
    const VariableSet& set = changes[j].variables;
    places_[j].atoms =
        sizes_in_atoms(set.empty() ? all_variables(instance.variables()) : set, atoms);
    places_[j].variables = std::accumulate(places_[j].atoms.begin(), places_[j].atoms.end(), 0.0);
  }
  for (ActionId action = 0; action < instance.actions(); ++action) {
    const VariableSet& set = instance.affected()->of(action);
    OwnEffect& effect = effects_[action];
    effect.sizes = sizes_in_atoms(set, atoms);
    effect.atoms.assign(atoms.groups(), 0.0);
    auto mean = instance.affected_means(action).begin();
    set.for_each([&](VariableId id) {
      effect.atoms[atoms.group_of(id)] += *mean++ - instance.baseline()[id];
    });
  }
}

void ChangingMeans::move_to(std::uint32_t round) {
  if (round_ == round) return;
  round_ = round;
  for (OwnEffect& effect : effects_) {
    effect.factor = 1.0;
    effect.walk = 0.0;
  }
  const std::vector<Change>& changes = instance_->definition().changes;
  for (std::size_t j = 0; j < changes.size(); ++j) {
    Place& place = places_[j];
    place.value =
        place.walk ? place.walk->at(round) : std::visit(CourseValue{round}, changes[j].course);
    if (!changes[j].action) continue;
    OwnEffect& effect = effects_[*changes[j].action];
    if (place.walk) {
      effect.walk += place.value;
    } else {
      effect.factor *= place.value;
    }
  }
  for (ActionId action = 0; action < effects_.size(); ++action) {
    const OwnEffect& effect = effects_[action];
    const auto variables = static_cast<double>(instance_->affected()->of(action).size());
    uplifts_[action] = effect.factor * instance_->uplifts()[action] + effect.shift() * variables;
  }
  gaps_ = gaps_of(uplifts_);
}

double ChangingMeans::total(ActionId action) const {
  double sum = uplifts_[action] - instance_->uplifts()[action];
  for (const Place& place : places_) sum += place.value * place.variables;
  return sum;
}

void ChangingMeans::add_atoms(ActionId action, std::span<double> to) const {
  for (const Place& place : places_) {
    if (place.atoms.empty()) continue;
    for (std::size_t g = 0; g < to.size(); ++g) to[g] += place.value * place.atoms[g];
  }
  const OwnEffect& effect = effects_[action];
  if (effect.share() == 0.0 && effect.shift() == 0.0) return;
  for (std::size_t g = 0; g < to.size(); ++g) {
    to[g] += effect.share() * effect.atoms[g] + effect.shift() * effect.sizes[g];
  }
}

void ChangingMeans::add_variables(ActionId action, std::span<double> to) const {
  const std::vector<Change>& changes = instance_->definition().changes;
  for (std::size_t j = 0; j < changes.size(); ++j) {
    if (changes[j].action) continue;
    const double value = places_[j].value;
    if (changes[j].variables.empty()) {
      for (double& payoff : to) payoff += value;
    } else {
      changes[j].variables.for_each([&](VariableId id) { to[id] += value; });
    }
  }
  const OwnEffect& effect = effects_[action];
  if (effect.share() == 0.0 && effect.shift() == 0.0) return;
  auto mean = instance_->affected_means(action).begin();
  instance_->affected()->of(action).for_each([&](VariableId id) {
    to[id] += effect.share() * (*mean++ - instance_->baseline()[id]) + effect.shift();
  });
}

}  // namespace updraft
