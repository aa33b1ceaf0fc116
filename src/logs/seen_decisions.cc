#include "logs/seen_decisions.h"

#include <functional>
#include <optional>

#include "logs/log_names.h"

namespace updraft {

std::string_view SeenDecisions::add(const std::string& decision) {
  const std::optional<std::uint64_t> number = whole_number(decision);
  if (first_) numbered_ = number.has_value();
  if (numbered_) {
    if (!number) return "must be a whole number, as those before";
    if (!first_ && *number <= last_) {
      return "comes twice, or after a larger one; decisions that are numbers must increase, and "
             "rows of one decision follow each other";
    }
    last_ = *number;
  } else if (!hashes_.insert(std::hash<std::string>()(decision)).second) {
    return "comes twice; rows of one decision must follow each other";
  }
  first_ = false;
  return {};
}

}  // namespace updraft
