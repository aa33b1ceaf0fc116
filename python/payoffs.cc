#include "payoffs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace updraft::python {
namespace {

/// A tuple of two sequences. Two numbers in a tuple are the payoffs of two variables.
bool is_sparse(py::handle payoffs) {
  return PyTuple_Check(payoffs.ptr()) && PyTuple_GET_SIZE(payoffs.ptr()) == 2 &&
         PySequence_Check(PyTuple_GET_ITEM(payoffs.ptr(), 0));
}

bool is_number(py::handle payoffs) {
  return PyNumber_Check(payoffs.ptr()) && !PySequence_Check(payoffs.ptr());
}

}  // namespace

GivenPayoffs::GivenPayoffs(py::handle object) {
  if (is_number(object)) {
    payoffs_ = Payoffs::total(number("payoffs", object));
  } else if (is_sparse(object)) {
    const auto pair = py::reinterpret_borrow<py::tuple>(object);
    ids_ = whole_numbers("payoffs: variable", pair[0]);
    array_ = doubles("payoffs", pair[1], 1);
    if (std::is_sorted(ids_.begin(), ids_.end()) || ids_.size() != view(array_).size()) {
      payoffs_ = Payoffs::sparse(ids_, view(array_));
    } else {
      sort_by_id();
      payoffs_ = Payoffs::sparse(ids_, sorted_);
    }
  } else {
    array_ = doubles("payoffs", object, 1);
    payoffs_ = Payoffs::dense(view(array_));
  }
}

/// Monitors take sparse payoffs in this order.
void GivenPayoffs::sort_by_id() {
  std::vector<std::pair<VariableId, double>> pairs;
  for (std::size_t j = 0; j < ids_.size(); ++j) pairs.emplace_back(ids_[j], view(array_)[j]);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  sorted_.resize(pairs.size());
  for (std::size_t j = 0; j < pairs.size(); ++j) std::tie(ids_[j], sorted_[j]) = pairs[j];
}

py::array_t<double> dense_array(const Payoffs& payoffs, std::size_t variables) {
  if (payoffs.kind() == Payoffs::Kind::kDense) return array_of(payoffs.values());
  py::array_t<double> out(static_cast<py::ssize_t>(variables));
  double* to = out.mutable_data();
  std::fill_n(to, variables, 0.0);
  for (std::size_t j = 0; j < payoffs.ids().size(); ++j) to[payoffs.ids()[j]] = payoffs.values()[j];
  return out;
}

}  // namespace updraft::python
