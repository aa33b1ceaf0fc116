#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "updraft/context_environment.h"
#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::string_view kSpaces = " \t\n\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

/// Takes what is before `end`, or all, off a text.
std::string_view take(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return trimmed(taken);
}

std::string path(std::string_view name) { return fmt::format("{}.{}", kContextInstance, name); }

template <typename Number>
Number number(std::string_view name, std::string_view text, std::string_view rule) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw InvalidInput(path(name), std::string(text.substr(0, 50)), rule);
  }
  return value;
}

void set(LinearContexts& contexts, std::string_view name, std::string_view text) {
  struct Size {
    std::string_view name;
    std::size_t LinearContexts::*field;
  };
  static constexpr Size kSizes[] = {{"actions", &LinearContexts::actions},
                                    {"variables", &LinearContexts::variables},
                                    {"groups", &LinearContexts::groups},
                                    {"group_features", &LinearContexts::group_features},
                                    {"max_affected", &LinearContexts::max_affected}};
  for (const Size& size : kSizes) {
    if (size.name != name) continue;
    contexts.*size.field = number<std::size_t>(name, text, "must be a whole number >= 1");
    return;
  }
  if (name == "noise_sd") {
    contexts.noise_sd = number<double>(name, text, "must be a number > 0");
  } else if (name == "seed") {
    contexts.seed = number<std::uint64_t>(name, text, "must be a whole number");
  } else {
    throw unknown_name(
        std::string(kContextInstance), std::string(name.substr(0, 50)),
        {"actions", "variables", "groups", "group_features", "max_affected", "noise_sd", "seed"});
  }
}

}  // namespace

std::optional<LinearContexts> find_contexts(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (!rest.starts_with(kContextInstance)) return std::nullopt;
  rest = trimmed(rest.substr(kContextInstance.size()));
  LinearContexts contexts;
  if (rest.empty()) return contexts;
  if (rest.front() != '(') return std::nullopt;  // a file, perhaps
  if (rest.back() != ')') {
    throw InvalidInput(kContextInstance, std::string(text.substr(0, 100)),
                       "must end with a parenthesis, as in contextual-linear(noise_sd=2)");
  }
  rest = trimmed(rest.substr(1, rest.size() - 2));
  std::vector<std::string_view> seen;
  while (!rest.empty()) {
    std::string_view value = take(rest, ',');
    const std::string_view name = take(value, '=');
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      throw InvalidInput(path(name), "must be given once");
    }
    seen.push_back(name);
    set(contexts, name, trimmed(value));
  }
  try {
    check_contexts(contexts);
  } catch (const InvalidInput& refused) {
    throw InvalidInput(path(refused.field()), refused.value(), refused.rule());
  }
  return contexts;
}

}  // namespace updraft
