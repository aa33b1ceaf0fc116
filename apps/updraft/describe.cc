#include "describe.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <variant>
#include <vector>

#include "updraft/context_environment.h"

namespace updraft::cli {
namespace {

struct NeedWords {
  std::string_view few;
  std::string_view many;
};

NeedWords words(Need need) {
  switch (need) {
    case Need::kBaseline:
      return {"baseline", "the mean payoff of every variable if nothing is done"};
    case Need::kAffected:
      return {"affected sets", "which variables each action affects"};
    case Need::kMaxAffected:
      return {"L", "the largest number of variables that an action affects"};
    case Need::kMinUplift:
      return {"Delta", "the least change of the mean of a variable that an action affects"};
    case Need::kEffectGap:
      return {"effect gap",
              "the least difference between the means of a variable under two actions, of which "
              "at least one affects it"};
    case Need::kHorizon:
      return {"horizon", "the number of rounds"};
    case Need::kRewardPrior:
      return {"reward prior", "mean and variance of the actions' expected rewards"};
    case Need::kObservations:
      return {"baseline observations", "a table of payoffs that were observed without any action"};
    case Need::kSegments:
      return {"segments", "groups of variables whose members tend to be moved together"};
  }
  return {"", ""};
}

}  // namespace

std::string short_words(Needs needs) {
  std::string out;
  for (const Need need : all_needs()) {
    if (!needs.contains(need)) continue;
    if (!out.empty()) out += ", ";
    out += words(need).few;
  }
  return out.empty() ? "nothing" : out;
}

std::string sentence(Need need) { return fmt::format("{}: {}", words(need).few, words(need).many); }

std::string noise_kind(const Instance& instance) {
  return std::holds_alternative<BernoulliNoise>(instance.noise()) ? "bernoulli" : "gaussian";
}

std::string size_words(const Instance& instance) {
  return fmt::format("K = {} actions, m = {} variables", count_text(instance.actions()),
                     count_text(instance.variables()));
}

std::string min_uplift_words(const Instance& instance) {
  if (instance.min_uplift() > 0.0) return short_text(instance.min_uplift());
  if (instance.effects_change()) return "none: effects change";
  return instance.max_affected() == 0 ? "none: nothing is affected"
                                      : "none: an affected variable keeps its mean";
}

std::string effect_gap_words(const Instance& instance) {
  if (instance.actions() == 1) return min_uplift_words(instance);
  if (instance.effect_gap() > 0.0) return short_text(instance.effect_gap());
  if (instance.effects_change()) return "none: effects change";
  return instance.max_affected() == 0 ? "none: nothing is affected"
                                      : "none: two actions give an affected variable the same mean";
}

Json instance_json(const Instance& instance) {
  std::vector<std::size_t> affected;
  for (ActionId action = 0; action < instance.actions(); ++action) {
    affected.push_back(instance.affected()->of(action).size());
  }
  Json out;
  out["name"] = instance.name();
  out["summary"] = instance.definition().summary;
  out["actions"] = instance.actions();
  out["action_names"] = instance.definition().action_names;
  out["variables"] = instance.variables();
  out["affected"] = affected;
  out["max_affected"] = instance.max_affected();
  out["uplifts"] = instance.uplifts();
  out["gaps"] = instance.gaps();
  out["min_gap"] = instance.min_gap();
  out["min_uplift"] = instance.min_uplift();
  out["effect_gap"] = instance.effect_gap();
  out["rewards"] = instance.rewards();
  out["best_action"] = instance.best_action();
  out["noise"] = noise_kind(instance);
  out["noise_sd"] = instance.noise_sd();
  const auto finite = [](double proxy) { return std::isinf(proxy) ? Json(nullptr) : Json(proxy); };
  out["variance_proxy"] = finite(instance.variance_proxy());
  out["reward_variance_proxy"] = finite(instance.reward_variance_proxy());
  out["segments"] = instance.segments() ? instance.segments()->groups() : 0;
  if (instance.changes()) {
    out["changes"] = Json::parse(format_instance(instance.definition()))["changes"];
  }
  return out;
}

std::string size_words(const LinearContexts& contexts) {
  return fmt::format("K = {} actions, m = {} variables with d = {} features",
                     count_text(contexts.actions), count_text(contexts.variables),
                     count_text(contexts.features()));
}

Json contexts_json(const LinearContexts& contexts) {
  const ContextWorld world = make_context_world(contexts);
  Json out;
  out["name"] = kContextInstance;
  out["summary"] = kContextSummary;
  out["actions"] = contexts.actions;
  out["variables"] = contexts.variables;
  out["features"] = contexts.features();
  out["groups"] = contexts.groups;
  out["group_features"] = contexts.group_features;
  out["max_affected"] = contexts.max_affected;
  out["noise"] = "gaussian";
  out["noise_sd"] = contexts.noise_sd;
  out["seed"] = contexts.seed;
  const auto numbers = [](std::span<const double> all) {
    return std::vector<double>(all.begin(), all.end());
  };
  out["baseline_theta"] = numbers(world.baseline_theta());
  out["theta"] = Json::array();
  for (ActionId action = 0; action < contexts.actions; ++action) {
    out["theta"].push_back(numbers(world.theta_of(action)));
  }
  return out;
}

}  // namespace updraft::cli
