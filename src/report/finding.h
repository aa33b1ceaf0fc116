#pragma once

#include <cstddef>
#include <string>

#include "report/compare.h"

namespace updraft {

/// Whether a statement about the runs holds, as far as their errors tell.
enum class Answer { kYes, kNo, kCannotTell };

/// "yes", "no" or "cannot tell".
const char* answer_text(Answer answer);

/// That of the negated statement.
Answer opposite(Answer answer);
/// Of "both hold" and of "at least one holds".
Answer both(Answer one, Answer other);
Answer either(Answer one, Answer other);

/// What a rule found out about a claim: a statement at a time, each with its answer. The claim
/// holds if all statements do, and fails if one fails.
class Finding {
 public:
  /// A statement must hold with student_95(runs - 1) standard errors to spare: 1.98 for 100 runs,
  /// 2.26 for 10. Needs two runs.
  explicit Finding(std::size_t runs);

  /// Whether the estimated quantity is at most `limit`: yes if it is with the errors to spare, no
  /// if it is larger with the errors to spare.
  Answer at_most(const Estimate& estimate, double limit) const;
  Answer at_least(const Estimate& estimate, double limit) const;
  Answer above(const Estimate& estimate, double limit) const {
    return opposite(at_most(estimate, limit));
  }

  /// Whether the mean regret of `a` is at most, or at least, `times` that of `b`: by the mean of
  /// a - times * b run by run, which has a standard error however small b is.
  Answer at_most_times(const GridPoint& a, const GridPoint& b, double times) const;
  Answer at_least_times(const GridPoint& a, const GridPoint& b, double times) const;

  void add(Answer answer, const std::string& statement);
  /// A sentence without an answer.
  void note(const std::string& sentence) { notes_ += ". " + sentence; }

  Answer answer() const { return answer_; }
  std::string text() const { return statements_ + notes_ + "."; }

 private:
  double errors_;  ///< standard errors to spare
  Answer answer_ = Answer::kYes;
  std::string statements_;
  std::string notes_;
};

}  // namespace updraft
