#pragma once

#include <vector>

#include "arrays.h"
#include "updraft/payoffs.h"

namespace updraft::python {

/// Payoffs from Python, with the arrays that they refer to: one number per variable, a tuple of ids
/// and values, which are brought into the order of the ids, or a total. Throws InvalidInput if they
/// are nothing of that.
class GivenPayoffs {
 public:
  explicit GivenPayoffs(py::handle object);
  GivenPayoffs(GivenPayoffs&&) = default;
  GivenPayoffs& operator=(GivenPayoffs&&) = default;

  const Payoffs& get() const { return payoffs_; }

 private:
  void sort_by_id();

  Doubles array_;
  std::vector<VariableId> ids_;
  std::vector<double> sorted_;
  Payoffs payoffs_ = Payoffs::total(0.0);
};

/// A new array with one payoff per variable, from dense or sparse payoffs.
py::array_t<double> dense_array(const Payoffs& payoffs, std::size_t variables);

}  // namespace updraft::python
