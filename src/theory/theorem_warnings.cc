#include <fmt/format.h>

#include <cmath>

#include "theory/bound_inputs.h"
#include "updraft/error.h"
#include "updraft/registry.h"
#include "updraft/theory.h"

namespace updraft {
namespace {

std::optional<std::string> wrong_max_affected(const Knowledge& knowledge,
                                              const Instance& instance) {
  if (!knowledge.max_affected()) return std::nullopt;
  for (ActionId a = 0; a < instance.actions(); ++a) {
    const std::size_t affected = instance.affected()->of(a).size();
    if (knowledge.max_affected(a) >= affected) continue;
    return fmt::format("max_affected is {}, but action {} affects {} variables",
                       knowledge.max_affected(a), a, affected);
  }
  return std::nullopt;
}

std::optional<std::string> wrong_delta(std::string_view name, std::optional<double> given,
                                       double own) {
  if (!given || !above_delta(*given, own)) return std::nullopt;
  if (!(own > 0.0)) return fmt::format("{} is {:.6g}, but the instance has none", name, *given);
  return fmt::format("{} is {:.6g}, but that of the instance is {:.6g}", name, *given, own);
}

}  // namespace

std::optional<std::string> noise_warning(const PolicySpec& spec, const Instance& instance) {
  if (!spec.number("delta")) return std::nullopt;
  const bool on_reward = policy_info(spec.name()).traits.on_total;
  const auto m = static_cast<double>(instance.variables());
  const double scale =
      on_reward ? instance.reward_variance_proxy() / (m * m) : instance.variance_proxy();
  if (!(scale > 1.0)) return std::nullopt;
  if (std::isinf(scale)) {
    return fmt::format(
        "{}: the alpha that delta gives is valid for sub-Gaussian noise; here tails "
        "are heavy. The confidence bounds do not hold for any alpha",
        spec.text());
  }
  const std::string noise =
      on_reward ? fmt::format(
                      "a reward whose noise is m-sub-Gaussian, m = {}; here its variance "
                      "proxy is {:.4g} times m^2",
                      instance.variables(), scale)
                : fmt::format(
                      "payoffs whose noise is 1-sub-Gaussian; here their variance proxy "
                      "(sigma^2) is {:.4g}",
                      scale);
  return fmt::format(
      "{}: the alpha that delta gives is valid for {}. The confidence bounds do not hold; they "
      "would "
      "with an alpha {:.4g} times as large",
      spec.text(), noise, scale);
}

std::optional<std::string> noise_warning(const PolicySpec& spec, const LinearContexts& contexts) {
  if (!spec.number("delta") || !(contexts.noise_sd > 1.0)) return std::nullopt;
  return fmt::format(
      "{}: the beta that delta gives is valid for payoffs whose noise is 1-sub-Gaussian; here "
      "their variance proxy (sigma^2) is {:.4g}. The confidence bounds do not hold; they would "
      "with a beta {:.4g} times as large",
      spec.text(), contexts.noise_sd * contexts.noise_sd, contexts.noise_sd);
}

std::optional<std::string> knowledge_warning(const PolicySpec& spec, const Instance& instance) {
  const bool given = spec.number("max_affected") || spec.list("max_affected") ||
                     spec.number("min_uplift") || spec.number("effect_gap");
  if (!given || instance.max_affected() == 0) return std::nullopt;
  const Knowledge knowledge = knowledge_for(spec, instance.knowledge(1));
  std::optional<std::string> wrong = wrong_max_affected(knowledge, instance);
  if (!wrong) wrong = wrong_delta("min_uplift", knowledge.min_uplift(), instance.min_uplift());
  if (!wrong) wrong = wrong_delta("effect_gap", knowledge.effect_gap(), instance.effect_gap());
  if (!wrong) return std::nullopt;
  return fmt::format("{}: {}. Its theorem does not hold", spec.text(), *wrong);
}

}  // namespace updraft
