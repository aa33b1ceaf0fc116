#include "policies/contextual/contextual_policy.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

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
ActionId largest(std::size_t actions, AllowedActions allowed, IndexOf index_of) {
  return allowed.largest(actions, [&](ActionId action) {
    const double index = index_of(action);
    return std::isnan(index) ? -kInfinity : index;
  });
}

std::string_view reason_of(const ActionExplanation& about, bool allowed, bool some_are_untried) {
  const bool untried = about.pulls == 0;
  if (about.chosen) return untried ? "has no feedback yet" : "has the largest index";
  if (!allowed) return "is not allowed in this round";
  if (untried) return "has no feedback yet; another without any goes first";
  return some_are_untried ? "others have no feedback yet"
                          : "another index is larger, or goes first";
}

}  // namespace

void ContextualPolicy::check(const Round& context) const {
  check_rows(kWords, context, features());
  check_allowed(context);
  if (context.affected.empty()) return;
  if (context.affected.size() != actions()) {
    throw InvalidInput("length of context: affected", std::to_string(context.affected.size()),
                       fmt::format("must be the number of actions, {}", actions()));
  }
  for (std::size_t action = 0; action < context.affected.size(); ++action) {
    context.affected[action].check_below(context.size(),
                                         fmt::format("context: affected[{}]", action));
  }
}

Decision ContextualPolicy::choose_in(const Round& context, const Stream&, Propensity) {
  check(context);
  check_for_choice(context);
  const AllowedActions allowed(context.allowed);
  Decision decision{.index = kInfinity};
  if (!all_have_feedback(allowed)) {
    decision.action = untried(allowed);
  } else {
    const std::vector<double> index = indices(context);
    decision.action = largest(actions(), allowed, [&](ActionId a) { return index[a]; });
    decision.index = index[decision.action];
  }
  return decision;
}

void ContextualPolicy::check_taken(const Round& context, const Decision& decision) const {
  check(context);
  check_no_treatments(decision);
  check_action(decision.action);
}

void ContextualPolicy::learn_from(const Decision& decision, const Round& context,
                                  const Payoffs& payoffs) {
  check(context);
  check_no_treatments(decision);
  check_action(decision.action);
  std::vector<double> buffer;
  const std::span<const double> paid = row_payoffs(kWords, payoffs, context.size(), buffer);
  check_for_learning(context);
  add(context, decision.action, paid);
  count_pull(decision.action);
  rows_ += paid.size();
}

Explanation ContextualPolicy::explain_round(const Round& context) const {
  check(context);
  check_for_choice(context);
  Explanation explanation = describe(context);
  auto& about = explanation.actions;
  for (ActionId action = 0; action < actions(); ++action) {
    about[action].pulls = pulls(action);
    if (pulls(action) == 0) about[action].index = kInfinity;
  }
  const AllowedActions allowed(context.allowed);
  const bool some_are_untried = !all_have_feedback(allowed);
  const ActionId chosen =
      some_are_untried ? untried(allowed)
                       : largest(actions(), allowed, [&](ActionId a) { return about[a].index; });
  about[chosen].chosen = true;
  for (ActionId action = 0; action < actions(); ++action) {
    about[action].reason = reason_of(about[action], allowed.contains(action), some_are_untried);
  }
  return explanation;
}

void ContextualPolicy::write_rows(StateWriter& writer) const { writer.u64(rows_); }

void ContextualPolicy::read_rows(StateReader& reader, std::uint64_t version) {
  if (version < 2) return check_needs_no_rows(spec());
  rows_ = reader.u64();
}

}  // namespace updraft
