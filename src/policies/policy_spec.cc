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

/// Where the first parameter of `text` ends: at its first comma that is not in brackets.
std::size_t end_of_parameter(std::string_view text) {
  bool in_list = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') in_list = true;
    if (text[i] == ']') in_list = false;
    if (text[i] == ',' && !in_list) return i;
  }
  return std::string_view::npos;
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
    case ParameterInfo::Kind::kCountPerAction:
      return value >= 1.0 && value <= 0x1p53 && value == std::floor(value);
    case ParameterInfo::Kind::kChoice:
      break;
  }
  return false;
}

/// "[3, 5, 2]".
std::vector<double> parsed_counts(const std::string& field, std::string_view text,
                                  std::string_view rule) {
  std::string_view inside = trimmed(text.substr(1, text.size() - 2));
  std::vector<double> counts;
  for (bool more = true; more;) {
    const std::size_t comma = inside.find(',');
    const double count = parsed_number(field, trimmed(inside.substr(0, comma)), rule);
    if (!(count >= 0.0 && count <= 0x1p53 && count == std::floor(count))) {
      throw InvalidInput(field, count, rule);
    }
    counts.push_back(count);
    more = comma != std::string_view::npos;
    if (more) inside = inside.substr(comma + 1);
  }
  return counts;
}

std::variant<double, std::string, std::vector<double>> parsed_value(const ParameterInfo& parameter,
                                                                    const std::string& field,
                                                                    std::string_view text) {
  if (parameter.kind == ParameterInfo::Kind::kChoice) {
    const auto& choices = parameter.choices;
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      throw unknown_name(field, text, {choices.begin(), choices.end()});
    }
    return std::string(text);
  }
  const std::string rule = parameter_rule(parameter);
  if (parameter.kind == ParameterInfo::Kind::kCountPerAction && text.starts_with('[') &&
      text.ends_with(']')) {
    return parsed_counts(field, text, rule);
  }
  const double number = parsed_number(field, text, rule);
  if (!in_range(parameter.kind, number)) throw InvalidInput(field, number, rule);
  return number;
}

/// The rule for one number, where it may also be a list.
std::string number_rule(ParameterInfo parameter) {
  if (parameter.kind == ParameterInfo::Kind::kCountPerAction) {
    parameter.kind = ParameterInfo::Kind::kPositiveInteger;
  }
  return parameter_rule(parameter);
}

std::string text_of(double number) { return number_text(number); }
std::string text_of(const std::string& word) { return word; }
std::string text_of(const std::vector<double>& list) {
  std::vector<std::string> items;
  for (const double number : list) items.push_back(number_text(number));
  return fmt::format("[{}]", fmt::join(items, ", "));
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
    const std::size_t comma = end_of_parameter(inside);
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
    spec.parameters_.emplace_back(parameter.name, parsed_value(parameter, field, value));
  }
  spec.sort_parameters();
  return spec;
}

PolicySpec PolicySpec::with(std::string_view parameter, double value) const {
  const PolicyInfo& info = policy_info(name_);
  const ParameterInfo& known = find_parameter(info, parameter);
  const std::string field = fmt::format("{}.{}", info.name, known.name);
  if (find(known.name)) throw InvalidInput(field, value, "is given twice");
  if (!in_range(known.kind, value)) throw InvalidInput(field, value, number_rule(known));
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

PolicySpec PolicySpec::with_that_of(const PolicySpec& other, std::string_view parameter) const {
  PolicySpec spec = *this;
  if (const Value* value = other.find(parameter)) {
    spec.parameters_.emplace_back(parameter, *value);
    spec.sort_parameters();
  }
  return spec;
}

template <typename T>
std::optional<T> PolicySpec::get(std::string_view parameter) const {
  const Value* value = find(parameter);
  if (value == nullptr || !std::holds_alternative<T>(*value)) return std::nullopt;
  return std::get<T>(*value);
}

std::optional<double> PolicySpec::number(std::string_view parameter) const {
  return get<double>(parameter);
}

std::optional<std::string> PolicySpec::word(std::string_view parameter) const {
  return get<std::string>(parameter);
}

double PolicySpec::number_or_default(std::string_view parameter) const {
  if (const auto given = number(parameter)) return *given;
  return find_parameter(policy_info(name_), parameter).otherwise.number.value();
}

std::string PolicySpec::word_or_default(std::string_view parameter) const {
  if (auto given = word(parameter)) return *std::move(given);
  return std::string(find_parameter(policy_info(name_), parameter).otherwise.words);
}

std::optional<std::vector<double>> PolicySpec::list(std::string_view parameter) const {
  return get<std::vector<double>>(parameter);
}

PolicySpec PolicySpec::own(std::string name, PolicyMaker maker) {
  PolicySpec spec;
  spec.name_ = std::move(name);
  spec.maker_ = std::make_shared<const PolicyMaker>(std::move(maker));
  return spec;
}

std::string PolicySpec::text() const {
  if (parameters_.empty()) return name_;
  std::vector<std::string> items;
  for (const auto& [name, value] : parameters_) {
    items.push_back(name + "=" + std::visit([](const auto& v) { return text_of(v); }, value));
  }
  return fmt::format("{}({})", name_, fmt::join(items, ", "));
}

}  // namespace updraft
