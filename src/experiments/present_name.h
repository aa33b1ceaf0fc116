#pragma once

#include <string>
#include <string_view>

namespace updraft {

/// `name`, or the present one of a shipped experiment that had it before: campaign-counterfactual,
/// campaign-model and campaign-synthetic now begin with targeting.
inline std::string present_name(std::string_view name) {
  constexpr std::string_view kOlder = "campaign-";
  if (!name.starts_with(kOlder)) return std::string(name);
  const std::string_view rest = name.substr(kOlder.size());
  const bool renamed = rest == "counterfactual" || rest == "model" || rest == "synthetic";
  return renamed ? "targeting-" + std::string(rest) : std::string(name);
}

}  // namespace updraft
