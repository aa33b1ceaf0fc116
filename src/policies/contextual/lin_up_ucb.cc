#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "models/treatment_model.h"
#include "policies/all_policies.h"
#include "policies/contextual/contextual_policy.h"
#include "policies/row_checks.h"
#include "policies/width_schedule.h"
#include "stats/identify_and_pad.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

/// What is subtracted from the upper bound of an action.
enum class BaselineSource { kNothing, kKnown, kLearned };

struct Options {
  BaselineSource baseline = BaselineSource::kLearned;
  std::optional<std::size_t> max_affected;  ///< L, in place of the sets
  double lambda = 0.0;
  WidthSchedule width;
};

Options read_options(const PolicySpec& spec) {
  Options options{.baseline = spec.name() == "lin_ucb"         ? BaselineSource::kNothing
                              : spec.name() == "lin_up_ucb_bl" ? BaselineSource::kKnown
                                                               : BaselineSource::kLearned,
                  .max_affected = std::nullopt,
                  .lambda = spec.number_or_default("lambda"),
                  .width = read_width_schedule(spec)};
  if (const auto l = spec.number("max_affected")) {
    options.max_affected = static_cast<std::size_t>(*l);
  }
  return options;
}

/// For some variables of a context, the intervals mean +- margin of their expected payoffs.
struct Estimates {
  std::vector<double> means;
  std::vector<double> margins;
  const TreatmentModel* model = nullptr;  ///< whose estimates these are; null of known means

  /// Whether the payoffs seen tell the mean of a variable with these features.
  bool estimable(std::span<const double> row) const {
    return model == nullptr || model->ellipsoid().spans(row);
  }
};

/// An action beside its baseline, for the same variables.
struct Comparison {
  const Estimates& action;
  const Estimates& baseline;
};

/// UpUCB and UpUCB-L for payoffs that are linear in the features of the variables, each with a
/// known baseline or without, and the yardstick lin_ucb. [hsieh22, paragraph 'Contextual Uplifting
/// Bandit with Linear Payoffs'; Alg. 1 to 4]
///   upper(a, x) = <theta(a), x> + beta ||x||_{V(a)^-1}, lower likewise; theta(a) by ridge
///   regression on all variables of the rounds in which a was taken, V(a) = lambda I + sum x x'
///   index(a) = sum over S(a) of (upper(a, x) - B(x))
/// With the sets: S(a) = V(t, a), and B(x) = baseline(x), or upper(0, x) from the ridge regression
/// on the variables that the actions taken did not affect.
/// With L, baseline known: B(x) = baseline(x); S(a) = the variables whose baseline is outside
/// [lower, upper], and the L - |these| of the rest with the largest upper(a, x) - B(x).
/// With L alone: B(x) = upper(b, x) for the action b with most feedback, the lowest id among
/// equals; S(a) = the variables whose intervals under a and b are disjoint, and at most 2L -
/// |these| of the rest, the largest upper(a, x) - B(x), only those > 0.
/// lin_ucb, which works with the total payoff: B(x) = 0, S(a) = all variables.
///   beta: see WidthSchedule, with a model per action, and that of theta(0) if it is learned, and
///   all variables of the contexts observed so far and of this one: each teaches a model.
/// Where theta(0) has no rows yet upper(0, x) is what the ridge leaves, beta ||x|| / sqrt(lambda).
/// Cost: select O(d^2) per action and variable of V(t, a), with L of the context; observe O(d^2)
/// per variable and O(d^3).
class LinUpUcb final : public ContextualPolicy {
 public:
  LinUpUcb(const PolicySpec& spec, const Knowledge& knowledge)
      : ContextualPolicy(spec, knowledge), options_(read_options(spec)) {
    for (std::size_t action = 0; action < actions(); ++action) models_.push_back(new_model());
    if (learns_baseline()) baseline_model_ = new_model();
  }

 private:
  std::unique_ptr<TreatmentModel> new_model() const {
    return make_linear_model(features(), options_.lambda);
  }

  bool sums_all() const { return options_.baseline == BaselineSource::kNothing; }
  bool knows_baseline() const { return options_.baseline == BaselineSource::kKnown; }
  bool sets_given() const { return !options_.max_affected && !sums_all(); }
  bool learns_baseline() const { return sets_given() && !knows_baseline(); }
  bool compares_with_an_action() const { return options_.max_affected && !knows_baseline(); }

  void check_lengths(const Round& context) const {
    if (!options_.width.delta) return;
    check_row_lengths({"context", "variable"}, context,
                      "divide all features by one number, or give beta");
  }

  void check_sets(const Round& context) const {
    if (!sets_given() || !context.affected.empty()) return;
    throw InvalidInput("context: affected",
                       fmt::format("is missing, and {} needs to know it unless max_affected is "
                                   "given",
                                   spec().name()));
  }

  void check_for_choice(const Round& context) const override {
    if (knows_baseline() && context.baseline.empty()) {
      throw InvalidInput("context: baseline",
                         fmt::format("is missing, and {} needs to know it", spec().name()));
    }
    check_sets(context);
    check_lengths(context);
  }

  void check_for_learning(const Round& context) const override {
    if (learns_baseline()) check_sets(context);
    check_lengths(context);
  }

  /// beta of the round that comes next.
  double beta(std::size_t variables) const {
    return options_.width.beta(
        {.models = actions() + (learns_baseline() ? 1 : 0),
         .features = features(),
         .lambda = options_.lambda,
         .rows = static_cast<double>(rows()) + static_cast<double>(variables)});
  }

  static Estimates estimates(const TreatmentModel& model, std::span<const double> rows, double b) {
    const std::size_t count = rows.size() / model.features();
    Estimates result{std::vector<double>(count), std::vector<double>(count), &model};
    model.predict(rows, result.means, result.margins);
    for (double& margin : result.margins) margin *= b;
    return result;
  }

  /// Known means are intervals without width.
  static Estimates known(std::vector<double> means) {
    const std::size_t count = means.size();
    return {std::move(means), std::vector<double>(count, 0.0), nullptr};
  }

  /// b: the action with most feedback, the lowest id among equals.
  ActionId most_pulled() const {
    const auto counts = pulls();
    return static_cast<ActionId>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

  /// Calls visit(action, comparison) for every action with feedback: over V(t, a), or over all
  /// variables if the sets are not given.
  template <typename Visit>
  void for_each_comparison(const Round& context, Visit visit) const {
    const double b = beta(context.size());
    if (sets_given()) {
      for (ActionId action = 0; action < actions(); ++action) {
        if (pulls()[action] > 0) compare_on_set(context, action, b, visit);
      }
      return;
    }
    const Estimates baseline = sums_all() ? known(std::vector<double>(context.size(), 0.0))
                               : knows_baseline()
                                   ? known({context.baseline.begin(), context.baseline.end()})
                                   : estimates(*models_[most_pulled()], context.features, b);
    for (ActionId action = 0; action < actions(); ++action) {
      if (pulls()[action] == 0) continue;
      const Estimates own = estimates(*models_[action], context.features, b);
      visit(action, Comparison{own, baseline});
    }
  }

  template <typename Visit>
  void compare_on_set(const Round& context, ActionId action, double b, Visit visit) const {
    std::vector<double> rows;
    std::vector<double> means;
    context.affected[action].for_each([&](VariableId i) {
      const auto row = context.row(i);
      rows.insert(rows.end(), row.begin(), row.end());
      if (knows_baseline()) means.push_back(context.baseline[i]);
    });
    const Estimates own = estimates(*models_[action], rows, b);
    const Estimates baseline =
        knows_baseline() ? known(std::move(means)) : estimates(*baseline_model_, rows, b);
    visit(action, Comparison{own, baseline});
  }

  IntervalPaddingInputs padding(const Comparison& compared) const {
    const std::size_t l = *options_.max_affected;
    return {.means = compared.action.means,
            .margins = compared.action.margins,
            .baseline_means = compared.baseline.means,
            .baseline_margins = compared.baseline.margins,
            .budget = knows_baseline() ? l : 2 * l,
            .positive_only = !knows_baseline()};
  }

  double index_of(const Comparison& compared, PaddingScratch& scratch) const {
    if (options_.max_affected) return padded_index(padding(compared), scratch);
    const auto& [own, baseline] = compared;
    double index = 0.0;
    for (std::size_t i = 0; i < own.means.size(); ++i) {
      index += (own.means[i] + own.margins[i]) - (baseline.means[i] + baseline.margins[i]);
    }
    return index;
  }

  std::vector<double> indices(const Round& context) const override {
    std::vector<double> index(actions());
    PaddingScratch scratch;
    for_each_comparison(context, [&](ActionId action, const Comparison& compared) {
      index[action] = index_of(compared, scratch);
    });
    return index;
  }

  Explanation describe(const Round& context) const override {
    Explanation explanation;
    explanation.actions.resize(actions());
    if (compares_with_an_action() && observations() > 0) {
      explanation.reference_action = most_pulled();
    }
    PaddingScratch scratch;
    for_each_comparison(context, [&](ActionId action, const Comparison& compared) {
      ActionExplanation& about = explanation.actions[action];
      about.index = index_of(compared, scratch);
      about.reward = reward(context, action);
      if (!sums_all()) describe_estimate(context, action, compared, about);
    });
    return explanation;
  }

  /// The sum over all variables of the context, if payoffs tell all of it.
  std::optional<double> reward(const Round& context, ActionId action) const {
    const Estimates own = estimates(*models_[action], context.features, 0.0);
    for (VariableId i = 0; i < context.size(); ++i) {
      if (!own.estimable(context.row(i))) return std::nullopt;
    }
    return std::accumulate(own.means.begin(), own.means.end(), 0.0);
  }

  /// The uplift, or the difference to the action that plays baseline.
  void describe_estimate(const Round& context, ActionId action, const Comparison& compared,
                         ActionExplanation& about) const {
    RewardDifference found;
    double margin = 0.0;
    bool estimable = true;
    const auto add = [&](std::size_t place, VariableId i) {
      found.estimate += compared.action.means[place] - compared.baseline.means[place];
      margin += compared.action.margins[place] + compared.baseline.margins[place];
      estimable = estimable && compared.action.estimable(context.row(i)) &&
                  compared.baseline.estimable(context.row(i));
    };
    if (sets_given()) {
      std::size_t place = 0;
      context.affected[action].for_each([&](VariableId i) { add(place++, i); });
    } else {
      const PaddedSets sets = padded_sets(padding(compared));
      sets.identified.for_each([&](VariableId i) { add(i, i); });
      about.identified = sets.identified;
      about.padding = sets.padding;
    }
    if (!estimable) return;
    found.interval = {found.estimate - margin, found.estimate + margin};
    if (compares_with_an_action()) {
      about.difference = found;
    } else {
      about.uplift = found.estimate;
      about.interval = found.interval;
    }
  }

  void add(const Round& context, ActionId action, std::span<const double> payoffs) override {
    for (std::size_t i = 0; i < payoffs.size(); ++i) {
      models_[action]->add(context.row(i), payoffs[i]);
    }
    models_[action]->update();
    if (!learns_baseline()) return;
    const VariableSet& affected = context.affected[action];
    for (VariableId i = 0; i < payoffs.size(); ++i) {
      if (!affected.contains(i)) baseline_model_->add(context.row(i), payoffs[i]);
    }
    baseline_model_->update();
  }

  void write_statistics(StateWriter& writer) const override {
    if (learns_baseline()) baseline_model_->write(writer);
    for (const auto& model : models_) model->write(writer);
  }
  void read_statistics(StateReader& reader) override {
    if (learns_baseline()) baseline_model_->read(reader);
    for (const auto& model : models_) model->read(reader);
  }

  Options options_;
  std::vector<std::unique_ptr<TreatmentModel>> models_;  // by action
  std::unique_ptr<TreatmentModel> baseline_model_;       // where the baseline is learnt, else null
};

}  // namespace

std::unique_ptr<Policy> make_lin_up_ucb(const PolicySpec& spec, const Knowledge& knowledge) {
  return std::make_unique<LinUpUcb>(spec, knowledge);
}

}  // namespace updraft
