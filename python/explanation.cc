#include "explanation.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "arrays.h"

namespace updraft::python {
namespace {

/// Columns of a dict, from the estimates of each row: an action, or an individual. A field is a
/// member of Row, or a function of one. What is not known of a row is NaN; what is not known of any
/// is left out.
template <typename Row>
class Columns {
 public:
  Columns(std::span<const Row> rows, py::dict& out) : rows_(rows), out_(out) {}

  template <typename Field>
  void always(const char* name, Field field) {
    using Value = std::decay_t<std::invoke_result_t<Field, const Row&>>;
    py::array_t<typename Stored<Value>::type> column(static_cast<py::ssize_t>(rows_.size()));
    auto* to = column.mutable_data();
    for (const Row& row : rows_) *to++ = value_of(std::invoke(field, row));
    out_[name] = column;
  }

  template <typename Field>
  void if_any(const char* name, Field field) {
    if (known(field)) always(name, field);
  }

  template <typename Field>
  void intervals(const char* name, Field field) {
    if (!known(field)) return;
    table(name, field, 2, [](Interval interval, double* to) {
      to[0] = interval.low;
      to[1] = interval.high;
    });
  }

  /// difference, difference_error and difference_interval.
  void differences() {
    using Known = std::optional<double>;
    if_any("difference", [](const Row& row) {
      return row.difference ? Known(row.difference->estimate) : std::nullopt;
    });
    if_any("difference_error", [](const Row& row) {
      return row.difference ? row.difference->standard_error : std::nullopt;
    });
    intervals("difference_interval", [](const Row& row) {
      return row.difference ? std::optional(row.difference->interval) : std::nullopt;
    });
  }

  void sets(const char* name, std::optional<VariableSet> Row::*field) {
    if (!known(field)) return;
    py::list list;
    for (const Row& row : rows_) list.append(array_of((row.*field).value_or(VariableSet())));
    out_[name] = list;
  }

  void texts(const char* name, std::string_view Row::*field) {
    py::list list;
    for (const Row& row : rows_) list.append(row.*field);
    out_[name] = py::array(list);
  }

  /// `width` numbers a row, which `fill` writes.
  template <typename Field, typename Fill>
  void table(const char* name, Field field, std::size_t width, Fill fill) {
    py::array_t<double> numbers({rows_.size(), width});
    double* to = numbers.mutable_data();
    std::fill_n(to, numbers.size(), std::numeric_limits<double>::quiet_NaN());
    for (const Row& row : rows_) {
      if (const auto& found = std::invoke(field, row)) fill(*found, to);
      to += width;
    }
    out_[name] = numbers;
  }

  template <typename Field>
  bool known(Field field) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const Row& row) { return std::invoke(field, row).has_value(); });
  }

 private:
  /// Counts and ids become numpy's own kind of integer.
  template <typename Value>
  struct Stored {
    using type =
        std::conditional_t<std::is_same_v<Value, bool>, bool,
                           std::conditional_t<std::is_integral_v<Value>, std::int64_t, double>>;
  };
  template <typename Value>
  static typename Stored<Value>::type value_of(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return static_cast<typename Stored<Value>::type>(value);
    } else {
      return value.value_or(std::numeric_limits<double>::quiet_NaN());
    }
  }

  std::span<const Row> rows_;
  py::dict& out_;
};

/// A row of numbers per action.
void add_table(const char* name, std::optional<std::vector<double>> ActionExplanation::*field,
               const Explanation& explanation, Columns<ActionExplanation>& columns) {
  std::size_t width = 0;
  for (const ActionExplanation& action : explanation.actions) {
    if (action.*field) width = std::max(width, (action.*field)->size());
  }
  if (width == 0) return;
  columns.table(name, field, width, [](const std::vector<double>& row, double* to) {
    std::copy(row.begin(), row.end(), to);
  });
}

void add_changes(const Explanation& explanation, py::dict& out) {
  if (explanation.changes.empty()) return;
  py::list changes;
  for (const FoundChange& change : explanation.changes) {
    py::dict one;
    one["action"] = change.action;
    one["of_baseline"] = change.of_baseline;
    one["before"] = change.before;
    one["after"] = change.after;
    one["round"] = change.round;
    one["found"] = change.found;
    changes.append(one);
  }
  out["changes"] = changes;
}

void add_actions(const Explanation& explanation, PolicyKind kind, py::dict& out) {
  Columns<ActionExplanation> columns(explanation.actions, out);
  columns.always("pulls", &ActionExplanation::pulls);
  columns.always("index", &ActionExplanation::index);
  columns.if_any("reward", &ActionExplanation::reward);
  columns.if_any("uplift", &ActionExplanation::uplift);
  columns.if_any("standard_error", &ActionExplanation::standard_error);
  columns.intervals("interval", &ActionExplanation::interval);
  columns.differences();
  if (explanation.reference_action) out["reference_action"] = *explanation.reference_action;
  columns.sets("identified", &ActionExplanation::identified);
  columns.sets("padding", &ActionExplanation::padding);
  if (kind == PolicyKind::kContextual) {
    columns.always("chosen", &ActionExplanation::chosen);
    columns.texts("reason", &ActionExplanation::reason);
    return;
  }
  columns.always("radius", &ActionExplanation::radius);
  columns.if_any("probability_best", &ActionExplanation::probability_best);
  add_table("weights", &ActionExplanation::weights, explanation, columns);
  add_table("inclusion", &ActionExplanation::inclusion, explanation, columns);
  if (explanation.active) {
    py::array_t<bool> active(static_cast<py::ssize_t>(explanation.active->size()));
    std::copy(explanation.active->begin(), explanation.active->end(), active.mutable_data());
    out["active"] = active;
  }
  if (explanation.shrinkage) out["shrinkage"] = *explanation.shrinkage;
  if (explanation.degrees_of_freedom) out["degrees_of_freedom"] = *explanation.degrees_of_freedom;
  add_changes(explanation, out);
}

void add_individuals(const Explanation& explanation, py::dict& out) {
  Columns<IndividualExplanation> columns(explanation.individuals, out);
  columns.always("treatment", &IndividualExplanation::treatment);
  columns.always("index", &IndividualExplanation::index);
  columns.if_any("payoff", &IndividualExplanation::payoff);
  columns.intervals("payoff_interval", &IndividualExplanation::payoff_interval);
  columns.if_any("uplift", &IndividualExplanation::uplift);
  columns.intervals("interval", &IndividualExplanation::interval);
  columns.always("chosen", &IndividualExplanation::chosen);
  columns.texts("reason", &IndividualExplanation::reason);
}

}  // namespace

py::dict explanation_dict(const Explanation& explanation, PolicyKind kind) {
  py::dict out;
  if (kind == PolicyKind::kTargeting) {
    add_individuals(explanation, out);
  } else {
    add_actions(explanation, kind, out);
  }
  return out;
}

}  // namespace updraft::python
