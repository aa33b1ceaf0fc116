#include "environments/changing_instances.h"

#include <array>
#include <cstddef>
#include <string>

namespace updraft {
namespace {

constexpr std::size_t kMoved = 4;  // variables, by each action
constexpr std::array<double, 5> kUplifts = {1.0, 4.0, 2.0, 3.0, 0.5};
constexpr double kBaselineMean = 5.0;
constexpr ActionId kBest = 1;

VariableSet consecutive(std::size_t begin, std::size_t end) {
  const std::array one = {
      VariableRange{static_cast<VariableId>(begin), static_cast<VariableId>(end)}};
  return VariableSet::from_ranges(one);
}

InstanceDefinition with(std::string_view name, std::string_view summary,
                        std::vector<Change> changes) {
  InstanceDefinition definition;
  definition.name = name;
  definition.summary = summary;
  definition.variables = {{kMoved * kUplifts.size(), kBaselineMean}};
  for (std::size_t a = 0; a < kUplifts.size(); ++a) {
    definition.action_names.emplace_back(1, static_cast<char>('a' + a));
    definition.effects.push_back({{consecutive(kMoved * a, kMoved * (a + 1)),
                                   {kBaselineMean + kUplifts[a] / double{kMoved}}}});
  }
  GaussianNoise noise;
  noise.covariance = GaussianNoise::Covariance::kFactor;
  noise.variance = 0.25;
  noise.factor = 0.04;
  definition.noise = noise;
  definition.changes = std::move(changes);
  return definition;
}

}  // namespace

InstanceDefinition steady() { return with("steady", kSteadySummary, {}); }

InstanceDefinition seasonal() {
  return with("seasonal", kSeasonalSummary,
              {{.action = {},
                .variables = consecutive(0, 12),
                .course = Season{{0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.8}, 1}},
               {.action = {},
                .variables = consecutive(12, 20),
                .course = Season{{0.0, 0.0, 0.0, 0.0, 0.0, -0.4, -0.3}, 1}}});
}

InstanceDefinition trend() {
  return with("trend", kTrendSummary,
              {{.action = {}, .variables = {}, .course = Trend{0, 2000, 1.0}},
               {.action = {}, .variables = consecutive(0, 10), .course = Trend{0, 2000, 0.5}}});
}

InstanceDefinition flip() {
  return with("flip", kFlipSummary,
              {{.action = kBest, .variables = {}, .course = Flip{1000, -0.5}}});
}

InstanceDefinition wear_out() {
  return with("wear-out", kWearOutSummary,
              {{.action = kBest, .variables = {}, .course = WearOff{500, 300.0, 0.0}}});
}

InstanceDefinition walk() {
  std::vector<Change> changes;
  for (ActionId action = 0; action < kUplifts.size(); ++action) {
    changes.push_back({.action = action, .variables = {}, .course = Walk{0.02, 0.001}});
  }
  return with("walk", kWalkSummary, std::move(changes));
}

}  // namespace updraft
