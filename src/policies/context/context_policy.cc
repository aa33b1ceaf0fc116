#include "updraft/context_policy.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "policies/row_checks.h"
#include "policies/width_schedule.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {
namespace {

constexpr RowWords kWords{"context", "variable"};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The lowest id among the largest; what is not a number is never larger.
template <typename IndexOf>
ActionId largest(std::size_t actions, IndexOf index_of) {
  ActionId best = 0;
  double best_index = -kInfinity;
  for (ActionId action = 0; action < actions; ++action) {
    const double index = index_of(action);
    if (!(index > best_index)) continue;
    best = action;
    best_index = index;
  }
  return best;
}

std::string_view reason_of(const ContextActionExplanation& about, bool some_are_untried) {
  const bool untried = about.pulls == 0;
  if (about.chosen) return untried ? "has no feedback yet" : "has the largest index";
  if (untried) return "has no feedback yet; another without any goes first";
  return some_are_untried ? "others have no feedback yet"
                          : "another index is larger, or goes first";
}

}  // namespace

ContextPolicy::ContextPolicy(PolicySpec spec, ContextShape shape)
    : spec_(std::move(spec)), shape_(shape) {
  check_at_least_one("features", shape.features);
  check_at_least_one("actions", shape.actions);
  pulls_.assign(shape.actions, 0);
  offers_.assign(shape.actions, 0);
}

void ContextPolicy::check(const Context& context) const {
  check_rows(kWords, {context.features, context.width, context.baseline, shape_.features});
  if (context.affected.empty()) return;
  if (context.affected.size() != shape_.actions) {
    throw InvalidInput("length of context: affected", std::to_string(context.affected.size()),
                       fmt::format("must be the number of actions, {}", shape_.actions));
  }
  for (std::size_t action = 0; action < context.affected.size(); ++action) {
    context.affected[action].check_below(context.size(),
                                         fmt::format("context: affected[{}]", action));
  }
}

/// Of the actions without feedback the one that was offered least often, the lowest id among
/// equals.
std::optional<ActionId> ContextPolicy::untried() const {
  std::optional<ActionId> found;
  for (ActionId action = 0; action < shape_.actions; ++action) {
    if (pulls_[action] == 0 && (!found || offers_[action] < offers_[*found])) found = action;
  }
  return found;
}

void ContextPolicy::check_action(ActionId action) const {
  if (action < shape_.actions) return;
  throw InvalidInput("action", std::to_string(action),
                     fmt::format("must be below the number of actions, {}", shape_.actions));
}

void ContextPolicy::count(ActionId action) {
  ++offers_[action];
  ++decisions_;
}

ContextChoice ContextPolicy::choose(const Context& context, const Stream& stream) {
  const ContextChoice choice = preview(context, stream);
  count(choice.action);
  return choice;
}

void ContextPolicy::take(const Context& context, ActionId action) {
  check(context);
  check_action(action);
  count(action);
}

ContextChoice ContextPolicy::preview(const Context& context, const Stream&) const {
  check(context);
  check_for_choice(context);
  ContextChoice choice{.action = 0, .index = kInfinity};
  if (const std::optional<ActionId> first = untried()) {
    choice.action = *first;
  } else {
    const std::vector<double> index = indices(context);
    choice.action = largest(shape_.actions, [&](ActionId a) { return index[a]; });
    choice.index = index[choice.action];
  }
  return choice;
}

void ContextPolicy::observe(const Context& context, ActionId action,
                            std::span<const double> payoffs) {
  check(context);
  check_action(action);
  check_count(kWords, "payoffs", payoffs.size(), context.size());
  check_numbers("payoffs", payoffs);
  check_for_learning(context);
  learn(context, action, payoffs);
  ++pulls_[action];
  ++observations_;
  rows_ += payoffs.size();
}

ContextExplanation ContextPolicy::explain(const Context& context) const {
  check(context);
  check_for_choice(context);
  ContextExplanation explanation = describe(context);
  auto& actions = explanation.actions;
  for (ActionId action = 0; action < shape_.actions; ++action) {
    actions[action].pulls = pulls_[action];
    if (pulls_[action] == 0) actions[action].index = kInfinity;
  }
  const std::optional<ActionId> first = untried();
  const ActionId chosen =
      first ? *first : largest(shape_.actions, [&](ActionId a) { return actions[a].index; });
  actions[chosen].chosen = true;
  for (ContextActionExplanation& about : actions)
    about.reason = reason_of(about, first.has_value());
  return explanation;
}

void ContextPolicy::save_state(StateWriter& writer) const {
  writer.u64(decisions_);
  writer.u64(observations_);
  writer.u64(rows_);
  writer.u64s(pulls_);
  writer.u64s(offers_);
  write_statistics(writer);
}

void ContextPolicy::restore_state(StateReader& reader, std::uint64_t version) {
  if (version < 2) check_needs_no_rows(spec_);
  decisions_ = reader.u64();
  observations_ = reader.u64();
  rows_ = version < 2 ? 0 : reader.u64();
  reader.u64s(pulls_, "policy state: pulls");
  reader.u64s(offers_, "policy state: offers");
  const auto total = [](const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  if (total(pulls_) != observations_) {
    throw InvalidInput("policy state: pulls", "must add up to the number of observations");
  }
  if (total(offers_) != decisions_) {
    throw InvalidInput("policy state: offers", "must add up to the number of decisions");
  }
  read_statistics(reader);
}

}  // namespace updraft
