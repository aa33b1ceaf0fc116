#include "updraft/payoffs.h"

namespace updraft {

Payoffs Payoffs::total(double reward) {
  Payoffs payoffs;
  payoffs.kind_ = Kind::kTotal;
  payoffs.reward_ = reward;
  return payoffs;
}

Payoffs Payoffs::group_sums(std::span<const double> sums) {
  Payoffs payoffs;
  payoffs.kind_ = Kind::kGroupSums;
  payoffs.values_ = sums;
  return payoffs;
}

Payoffs Payoffs::dense(std::span<const double> values) {
  Payoffs payoffs;
  payoffs.kind_ = Kind::kDense;
  payoffs.values_ = values;
  return payoffs;
}

Payoffs Payoffs::sparse(std::span<const VariableId> ids, std::span<const double> values) {
  Payoffs payoffs;
  payoffs.kind_ = Kind::kSparse;
  payoffs.ids_ = ids;
  payoffs.values_ = values;
  return payoffs;
}

}  // namespace updraft
