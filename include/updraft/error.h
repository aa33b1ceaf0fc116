#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace updraft {

/// Input that breaks a rule. Thrown before anything changed, so the object that refused the input
/// is unchanged. The message is `field = value: rule`, for example `up_ucb.alpha = -1: must be >
/// 0`, or `field: rule` if there is no value.
class InvalidInput : public std::invalid_argument {
 public:
  InvalidInput(std::string_view field, std::string_view rule);
  InvalidInput(std::string_view field, std::string_view value, std::string_view rule);
  InvalidInput(std::string_view field, double value, std::string_view rule);

  const std::string& field() const { return field_; }
  const std::string& value() const { return value_; }
  const std::string& rule() const { return rule_; }

 private:
  std::string field_;
  std::string value_;
  std::string rule_;
};

/// The shortest text that reads back as exactly `value`; "nan", "inf" or "-inf" otherwise.
std::string number_text(double value);

/// The error for a name that is not in `valid`. It lists all valid names and suggests the nearest.
InvalidInput unknown_name(std::string_view field, std::string_view name,
                          const std::vector<std::string>& valid);

/// Throws InvalidInput unless `value` is finite.
void check_finite(std::string_view field, double value);

/// Throws InvalidInput unless `value` is finite and > 0.
void check_positive(std::string_view field, double value);

/// Throws InvalidInput unless 0 < value < 1.
void check_probability(std::string_view field, double value);

}  // namespace updraft
