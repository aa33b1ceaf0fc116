#include "updraft/context_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "updraft/error.h"

namespace updraft {
namespace {

/// Features of a round; and what a policy keeps, a matrix of d x d per theta.
constexpr std::size_t kMostNumbers = 10'000'000;

// Lengths: theta(0), and what an action adds. Together at most 1.
constexpr double kBaselineLength = 0.4;
constexpr double kUpliftLength = 0.6;

void check_size(std::string_view field, std::size_t value) {
  if (value < 1) throw InvalidInput(field, "0", "must be at least 1");
  if (value > kMostNumbers) {
    throw InvalidInput(field, std::to_string(value),
                       fmt::format("must be at most {}", kMostNumbers));
  }
}

void check_product(std::string_view field, std::size_t a, std::size_t b) {
  if (a <= kMostNumbers / b) return;
  throw InvalidInput(field, std::to_string(a),
                     fmt::format("times {} must be at most {}", b, kMostNumbers));
}

}  // namespace

void check_contexts(const LinearContexts& setting) {
  check_size("actions", setting.actions);
  check_size("variables", setting.variables);
  check_size("groups", setting.groups);
  check_size("group_features", setting.group_features);
  check_size("max_affected", setting.max_affected);
  check_product("group_features", setting.group_features, setting.groups);
  check_product("variables", setting.variables, setting.features());
  check_product("group_features", setting.group_features, setting.groups * setting.features());
  const std::size_t square = setting.features() * setting.features();
  if (setting.actions + 1 > kMostNumbers / square) {
    throw InvalidInput(
        "actions", std::to_string(setting.actions),
        fmt::format("and the baseline, times the square of the features, {}, must be "
                    "at most {}",
                    square, kMostNumbers));
  }
  if (setting.variables > setting.groups * setting.max_affected) {
    throw InvalidInput("variables", std::to_string(setting.variables),
                       fmt::format("must be at most groups times max_affected, {}: each group has "
                                   "at most max_affected variables",
                                   setting.groups * setting.max_affected));
  }
  if (!(setting.noise_sd > 0.0 && std::isfinite(setting.noise_sd))) {
    throw InvalidInput("noise_sd", setting.noise_sd, "must be > 0");
  }
}

namespace {

/// In a random direction.
void fill(std::span<double> out, const Stream& stream, std::uint32_t round, double length) {
  stream.normals(round, 0, out);
  const double norm = std::sqrt(std::inner_product(out.begin(), out.end(), out.begin(), 0.0));
  for (double& number : out) number *= length / norm;
}

}  // namespace

ContextWorld make_context_world(const LinearContexts& setting) {
  check_contexts(setting);
  const std::size_t d = setting.features();
  ContextWorld world{.setting = setting, .theta = std::vector<double>((setting.actions + 1) * d)};
  const Stream stream(setting.seed, 0, Purpose::kInstance);
  fill(std::span(world.theta).first(d), stream, 0, kBaselineLength);
  std::vector<double> shift(setting.group_features);
  for (ActionId action = 0; action < setting.actions; ++action) {
    const auto theta = std::span(world.theta).subspan((action + 1) * d, d);
    std::copy_n(world.theta.begin(), d, theta.begin());
    fill(shift, stream, 1 + action, kUpliftLength);
    const std::size_t first = world.group_of(action) * setting.group_features;
    for (std::size_t f = 0; f < shift.size(); ++f) theta[first + f] += shift[f];
  }
  return world;
}

ContextEnvironment::ContextEnvironment(const ContextWorld& world, std::uint64_t seed,
                                       std::uint32_t run, Needs shown)
    : world_(&world),
      shown_(shown),
      contexts_(seed, run, Purpose::kPool),
      noise_stream_(seed, run, Purpose::kNoiseVariables),
      features_(world.setting.variables * world.setting.features()),
      baseline_(world.setting.variables),
      affected_(world.setting.actions),
      uplifts_(world.setting.actions),
      noise_(world.setting.variables),
      payoffs_(world.setting.variables),
      uniforms_(world.setting.variables * (1 + world.setting.group_features)) {}

Round ContextEnvironment::begin(std::uint32_t round) {
  const LinearContexts& s = world_->setting;
  contexts_.uniforms(round, 0, uniforms_);
  noise_stream_.normals(round, 0, noise_);
  std::fill(features_.begin(), features_.end(), 0.0);
  std::vector<std::vector<VariableId>> members(s.groups);
  const double scale = 1.0 / std::sqrt(static_cast<double>(s.group_features));
  const std::span<const double> theta = world_->baseline_theta();
  for (std::size_t i = 0; i < s.variables; ++i) {
    const auto place = static_cast<std::size_t>(uniforms_[i] * static_cast<double>(s.groups));
    std::size_t group = std::min(place, s.groups - 1);
    while (members[group].size() == s.max_affected) group = (group + 1) % s.groups;
    members[group].push_back(static_cast<VariableId>(i));
    baseline_[i] = 0.0;
    for (std::size_t f = 0; f < s.group_features; ++f) {
      const double feature = scale * uniforms_[s.variables + i * s.group_features + f];
      const std::size_t at = group * s.group_features + f;
      features_[i * s.features() + at] = feature;
      baseline_[i] += theta[at] * feature;
    }
  }
  for (ActionId action = 0; action < s.actions; ++action) {
    const std::vector<VariableId>& ids = members[world_->group_of(action)];
    affected_[action] = VariableSet::from_ids(ids);
    uplifts_[action] = 0.0;
    for (const VariableId i : ids) uplifts_[action] += individual_uplift(action, i);
  }
  best_ = *std::max_element(uplifts_.begin(), uplifts_.end());
  Round shown = context();
  if (!shown_.contains(Need::kBaseline)) shown.baseline = {};
  if (!shown_.contains(Need::kAffected)) shown.affected = {};
  return shown;
}

void ContextEnvironment::measure(const Decision& decision, Measures& sums) {
  const double cost = gap(decision.action);
  sums.regret += cost;
  sums.best += cost == 0.0 ? 1.0 : 0.0;
}

double ContextEnvironment::individual_uplift(ActionId action, std::size_t variable) const {
  const LinearContexts& s = world_->setting;
  const std::size_t first = world_->group_of(action) * s.group_features;
  const double* row = features_.data() + variable * s.features();
  double uplift = 0.0;
  for (std::size_t f = first; f < first + s.group_features; ++f) {
    uplift += (world_->theta_of(action)[f] - world_->baseline_theta()[f]) * row[f];
  }
  return uplift;
}

Round ContextEnvironment::context() const {
  return {.features = features_,
          .width = world_->setting.features(),
          .baseline = baseline_,
          .affected = affected_};
}

std::span<const double> ContextEnvironment::payoffs(ActionId action) {
  for (std::size_t i = 0; i < payoffs_.size(); ++i) {
    payoffs_[i] = baseline_[i] + world_->setting.noise_sd * noise_[i];
  }
  affected_[action].for_each([&](VariableId i) { payoffs_[i] += individual_uplift(action, i); });
  return payoffs_;
}

}  // namespace updraft
