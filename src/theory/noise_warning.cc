#include <fmt/format.h>

#include "updraft/registry.h"
#include "updraft/theory.h"

namespace updraft {

std::optional<std::string> noise_warning(const PolicySpec& spec, const Instance& instance) {
  if (!spec.number("delta")) return std::nullopt;
  const bool on_reward = policy_info(spec.name()).traits.on_total;
  const auto m = static_cast<double>(instance.variables());
  const double scale =
      on_reward ? instance.reward_variance_proxy() / (m * m) : instance.variance_proxy();
  if (!(scale > 1.0)) return std::nullopt;
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
      "{}: the alpha that delta gives is valid for {}. The theorem does not hold; it would with an "
      "alpha {:.4g} times as large",
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

}  // namespace updraft
