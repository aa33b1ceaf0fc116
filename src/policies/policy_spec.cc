#include "updraft/policy_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "updraft/error.h"
#include "updraft/registry.h"

namespace updraft {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

double parsed_number(const std::string& field, std::string_view text, std::string_view rule) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidInput(field, text.empty() ? "\"\"" : text,
                       fmt::format("is not a number; {}", rule));
  }
  return value;
}

bool in_range(ParameterInfo::Kind kind, double value) {
  switch (kind) {
    case ParameterInfo::Kind::kPositive:
      return value > 0.0 && std::isfinite(value);
    case ParameterInfo::Kind::kNonNegative:
      return value >= 0.0 && std::isfinite(value);
    case ParameterInfo::Kind::kFinite:
      return std::isfinite(value);
    case ParameterInfo::Kind::kProbability:
      return value > 0.0 && value < 1.0;
    case ParameterInfo::Kind::kPositiveInteger:
      return value >= 1.0 && value <= 0x1p53 && value == std::floor(value);
    case ParameterInfo::Kind::kChoice:
      break;
  }
  return false;
}

const ParameterInfo& find_parameter(const PolicyInfo& info, std::string_view name) {
  std::vector<std::string> valid;
  for (const ParameterInfo& parameter : info.parameters) {
    if (parameter.name == name) return parameter;
    valid.emplace_back(parameter.name);
  }
  throw unknown_name(fmt::format("parameter of {}", info.name), name, valid);
}

}  // namespace

PolicySpec PolicySpec::parse(std::string_view text) {
  constexpr std::string_view kShape = "must look like name(parameter=value, ...)";
  const std::string_view whole = trimmed(text);
  const std::size_t open = whole.find('(');
  const std::string_view name = trimmed(whole.substr(0, open));
  std::string_view inside;
  if (open != std::string_view::npos) {
    if (whole.back() != ')') throw InvalidInput("policy", whole, kShape);
    inside = trimmed(whole.substr(open + 1, whole.size() - open - 2));
  }
  if (name.empty()) throw InvalidInput("policy", whole.empty() ? "\"\"" : whole, kShape);

  const PolicyInfo& info = policy_info(name);
  PolicySpec spec;
  spec.name_ = info.name;
  while (!inside.empty()) {
    const std::size_t comma = inside.find(',');
    const std::string_view item = trimmed(inside.substr(0, comma));
    inside = comma == std::string_view::npos ? std::string_view{} : inside.substr(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos ||
        (comma != std::string_view::npos && trimmed(inside).empty())) {
      throw InvalidInput("policy", whole, kShape);
    }
    const ParameterInfo& parameter = find_parameter(info, trimmed(item.substr(0, equals)));
    const std::string_view value = trimmed(item.substr(equals + 1));
    const std::string field = fmt::format("{}.{}", info.name, parameter.name);
    if (spec.find(parameter.name)) throw InvalidInput(field, value, "is given twice");
    if (parameter.kind == ParameterInfo::Kind::kChoice) {
      const auto& choices = parameter.choices;
      if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        throw unknown_name(field, value, {choices.begin(), choices.end()});
      }
      spec.parameters_.emplace_back(parameter.name, std::string(value));
    } else {
      const std::string rule = parameter_rule(parameter);
      const double number = parsed_number(field, value, rule);
      if (!in_range(parameter.kind, number)) throw InvalidInput(field, number, rule);
      spec.parameters_.emplace_back(parameter.name, number);
    }
  }
  spec.sort_parameters();
  return spec;
}

PolicySpec PolicySpec::with(std::string_view parameter, double value) const {
  const PolicyInfo& info = policy_info(name_);
  const ParameterInfo& known = find_parameter(info, parameter);
  const std::string field = fmt::format("{}.{}", info.name, known.name);
  if (find(known.name)) throw InvalidInput(field, value, "is given twice");
  if (!in_range(known.kind, value)) throw InvalidInput(field, value, parameter_rule(known));
  PolicySpec spec = *this;
  spec.parameters_.emplace_back(known.name, value);
  spec.sort_parameters();
  return spec;
}

void PolicySpec::sort_parameters() {
  const PolicyInfo& info = policy_info(name_);
  const auto place = [&](const auto& entry) {
    return std::find_if(info.parameters.begin(), info.parameters.end(),
                        [&](const ParameterInfo& p) { return p.name == entry.first; });
  };
  std::sort(parameters_.begin(), parameters_.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

const PolicySpec::Value* PolicySpec::find(std::string_view parameter) const {
  for (const auto& [name, value] : parameters_) {
    if (name == parameter) return &value;
  }
  return nullptr;
}

std::optional<double> PolicySpec::number(std::string_view parameter) const {
  const Value* value = find(parameter);
  if (value == nullptr || !std::holds_alternative<double>(*value)) return std::nullopt;
  return std::get<double>(*value);
}

std::optional<std::string> PolicySpec::word(std::string_view parameter) const {
  const Value* value = find(parameter);
  if (value == nullptr || !std::holds_alternative<std::string>(*value)) return std::nullopt;
  return std::get<std::string>(*value);
}

std::string PolicySpec::text() const {
  if (parameters_.empty()) return name_;
  std::vector<std::string> items;
  for (const auto& [name, value] : parameters_) {
    items.push_back(fmt::format("{}={}", name,
                                std::holds_alternative<double>(value)
                                    ? number_text(std::get<double>(value))
                                    : std::get<std::string>(value)));
  }
  return fmt::format("{}({})", name_, fmt::join(items, ", "));
}

}  // namespace updraft
