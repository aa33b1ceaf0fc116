#include "updraft/estimate_text.h"

#include <fmt/format.h>

#include "core/grouped.h"
#include "policies/estimates.h"

namespace updraft {
namespace {

std::string why_no_uplift(const Knowledge& knowledge) {
  if (const AffectedSets* sets = knowledge.affected().get()) {
    const std::size_t count = affected_by_all(*sets);
    return fmt::format(
        "Every action affects {}, so no round shows what {} when nothing is done, and uplifts over "
        "that cannot be known.",
        count == 1 ? "1 variable" : grouped(static_cast<double>(count), 0) + " variables",
        count == 1 ? "it pays" : "they pay");
  }
  return "What variables pay when nothing is done was not declared, nor which actions leave them "
         "alone, so uplifts over that are not known.";
}

}  // namespace

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kUplift:
      return "uplift";
    case Quantity::kDifference:
      return "difference";
    case Quantity::kReward:
      return "reward";
  }
  return "";
}

std::string quantity_text(Quantity quantity, const Knowledge& knowledge,
                          std::string_view reference) {
  switch (quantity) {
    case Quantity::kUplift:
      return "The uplift of an action is how much more all variables together pay when it is taken "
             "than when nothing is done.";
    case Quantity::kDifference:
      return fmt::format(
          "The difference of an action is how much more all variables together pay when it is "
          "taken than when {} is. {}",
          reference, why_no_uplift(knowledge));
    case Quantity::kReward:
      return "The reward of an action is what all variables together pay when it is taken.";
  }
  return "";
}

std::string reference_text(const Explanation& explanation,
                           std::span<const std::string> action_names) {
  if (explanation.reference_moves) return "the action with most payoffs so far";
  return action_names.empty() ? fmt::format("action {}", kReferenceAction)
                              : action_names[kReferenceAction];
}

std::string_view interval_text(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::kConfidence95:
      return "95 % confidence intervals";
    case IntervalKind::kPosterior:
      return "95 % of the posterior";
    case IntervalKind::kConfidenceBounds:
      return "the policy's confidence bounds";
    case IntervalKind::kConfidenceBoundsOfCounted:
      return "the policy's confidence bounds, of the variables it has identified and of those it "
             "counts in";
  }
  return "";
}

}  // namespace updraft
