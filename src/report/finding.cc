#include "report/finding.h"

#include <fmt/format.h>

#include "stats/student.h"

namespace updraft {

const char* answer_text(Answer answer) {
  return answer == Answer::kYes ? "yes" : answer == Answer::kNo ? "no" : "cannot tell";
}

Answer opposite(Answer answer) {
  if (answer == Answer::kCannotTell) return answer;
  return answer == Answer::kYes ? Answer::kNo : Answer::kYes;
}

Answer both(Answer one, Answer other) {
  if (one == Answer::kNo || other == Answer::kNo) return Answer::kNo;
  return one == Answer::kYes ? other : one;
}

Answer either(Answer one, Answer other) { return opposite(both(opposite(one), opposite(other))); }

Finding::Finding(std::size_t runs) : errors_(student_95(runs - 1)) {}

Answer Finding::at_most(const Estimate& estimate, double limit) const {
  const double spare = errors_ * estimate.error;
  if (estimate.value + spare <= limit) return Answer::kYes;
  return estimate.value - spare > limit ? Answer::kNo : Answer::kCannotTell;
}

Answer Finding::at_least(const Estimate& estimate, double limit) const {
  return at_most({-estimate.value, estimate.error}, -limit);
}

Answer Finding::at_most_times(const GridPoint& a, const GridPoint& b, double times) const {
  return at_most(excess(a, b, times), 0.0);
}

Answer Finding::at_least_times(const GridPoint& a, const GridPoint& b, double times) const {
  return at_least(excess(a, b, times), 0.0);
}

void Finding::add(Answer answer, const std::string& statement) {
  answer_ = both(answer_, answer);
  statements_ +=
      fmt::format("{}{}: {}", statements_.empty() ? "" : "; ", statement, answer_text(answer));
}

}  // namespace updraft
