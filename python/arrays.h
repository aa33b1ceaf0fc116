#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/variable_set.h"

namespace updraft::python {

namespace py = pybind11;

// What comes from Python. All throw InvalidInput that names `field` if it is something else.

/// Clears the error of a conversion that failed. Raises it if it is not about the object: Ctrl-C,
/// or no memory.
void clear_conversion_error();

/// Numbers in C order.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// An array of float64 in C order is used in place; other numbers and lists are converted.
Doubles doubles(std::string_view field, py::handle object, py::ssize_t dimensions);

/// The numbers of an array, which must outlive the view.
inline std::span<const double> view(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// The same in a vector.
std::vector<double> double_vector(std::string_view field, py::handle object);

/// A float, or what stands for one.
double number(std::string_view field, py::handle object);

struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
};

inline constexpr WholeRange kAnyCount = {0, std::numeric_limits<std::uint64_t>::max()};

/// An int, or what stands for one.
std::uint64_t whole_number(std::string_view field, py::handle object, WholeRange range = {});

/// An array of integers or bools, each in the range of 32 bits.
std::vector<std::uint32_t> whole_numbers(std::string_view field, py::handle object);

/// L for all actions, or a list with one L(a) per action, for a Knowledge or BoundInputs.
template <typename Known>
void set_max_affected(Known& known, std::string_view field, py::handle object) {
  const bool list = PySequence_Check(object.ptr()) && !PyUnicode_Check(object.ptr());
  if (!list) {
    known.set_max_affected(whole_number(field, object, kAnyCount));
    return;
  }
  const std::vector<std::uint32_t> bounds = whole_numbers(field, object);
  known.set_max_affected(std::vector<std::size_t>(bounds.begin(), bounds.end()));
}

/// A set of variables: ids in an array, list, range or set, or a mask of `variables` bools.
VariableSet variable_set(std::string_view field, py::handle object, std::size_t variables);
/// The same of actions.
VariableSet action_set(std::string_view field, py::handle object, std::size_t actions);

// What goes to Python.

/// A new array.
template <typename Value>
py::array_t<Value> array_of(std::span<const Value> values) {
  return py::array_t<Value>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// The same, of ids and counts, as numpy's own kind of integer.
template <typename Value>
py::array_t<std::int64_t> integers_of(std::span<const Value> values) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(values.size()));
  std::int64_t* to = out.mutable_data();
  for (const Value value : values) *to++ = static_cast<std::int64_t>(value);
  return out;
}

/// The ids of a set, increasing.
py::array_t<std::int64_t> array_of(const VariableSet& set);

/// "1 action", "2 actions".
std::string counted(std::size_t count, std::string_view noun);

/// A view of numbers that `owner` keeps, which cannot be written to.
py::array_t<double> read_only(std::span<const double> values, py::handle owner);

}  // namespace updraft::python
