#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace updraft {

class Knowledge;
class Policy;

/// Makes a policy of the caller's own for a run of a simulation.
using PolicyMaker = std::function<std::unique_ptr<Policy>(const Knowledge&, std::uint32_t run)>;

/// A policy and its parameters, in the form `up_ucb(alpha=3, baseline_bound=lcb)`.
///
///   spec      = name [ "(" [ parameter { "," parameter } ] ")" ]
///   parameter = name "=" value          value = number | word | list
///   list      = "[" number { "," number } "]"
///
/// Spaces are ignored. An alias is replaced by the name of its policy. Parsing checks every name,
/// kind and range against the registry.
class PolicySpec {
 public:
  /// Throws InvalidInput: malformed text, unknown policy or parameter, value out of range,
  /// a parameter given twice.
  static PolicySpec parse(std::string_view text);

  /// A copy with one more parameter, checked as when parsed. Throws InvalidInput: a parameter that
  /// is unknown, is a word, or is given already; a value out of range.
  PolicySpec with(std::string_view parameter, double value) const;

  /// A copy with the value that `other` has for the parameter; unchanged if `other` does not have
  /// it. The parameter must be one of this policy too, of the same kind, and not be given.
  PolicySpec with_that_of(const PolicySpec& other, std::string_view parameter) const;

  /// A policy that the registry does not have, for simulate(). `name` may be any text.
  static PolicySpec own(std::string name, PolicyMaker maker);
  /// Null if the policy is one of the registry.
  const PolicyMaker* maker() const { return maker_.get(); }

  const std::string& name() const { return name_; }

  /// What was given, else the default of the registry, which must have one.
  double number_or_default(std::string_view parameter) const;
  std::string word_or_default(std::string_view parameter) const;

  /// What was given.
  std::optional<double> number(std::string_view parameter) const;
  std::optional<std::string> word(std::string_view parameter) const;
  std::optional<std::vector<double>> list(std::string_view parameter) const;

  /// The canonical text: parameters in the order of the registry, shortest exact numbers.
  std::string text() const;

  bool operator==(const PolicySpec&) const = default;

 private:
  using Value = std::variant<double, std::string, std::vector<double>>;

  const Value* find(std::string_view parameter) const;
  template <typename T>
  std::optional<T> get(std::string_view parameter) const;
  /// Puts the parameters in the order of the registry.
  void sort_parameters();

  std::string name_;
  std::vector<std::pair<std::string, Value>> parameters_;
  std::shared_ptr<const PolicyMaker> maker_;
};

}  // namespace updraft
