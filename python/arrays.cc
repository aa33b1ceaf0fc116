#include "arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "updraft/error.h"

namespace updraft::python {
namespace {

constexpr auto kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
using AlignedDoubles = py::array_t<double, py::array::c_style | py::array::forcecast | kAligned>;

/// Ctrl-C may come while an object is converted, and says nothing of the object.
void raise_unless_about_the_object(const py::error_already_set& error) {
  if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError)) throw error;
}

/// Any array, of numbers and bools only. numpy would make numbers of texts and of None, too.
py::array number_array(std::string_view field, py::handle object) {
  py::array array;
  try {
    array = py::array(py::reinterpret_borrow<py::object>(object));
  } catch (const py::error_already_set& error) {
    raise_unless_about_the_object(error);
    throw InvalidInput(field, "must be an array of numbers, all rows equally long");
  }
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    throw InvalidInput(field, py::str(array.dtype()).cast<std::string>(),
                       "must be an array of numbers");
  }
  return array;
}

void check_dimensions(std::string_view field, const py::array& array, py::ssize_t dimensions) {
  if (array.ndim() == dimensions) return;
  throw InvalidInput(fmt::format("shape of {}", field),
                     py::str(array.attr("shape")).cast<std::string>(),
                     "must have " + counted(static_cast<std::size_t>(dimensions), "dimension"));
}

[[noreturn]] void refuse_number(std::string_view field, const std::string& shown,
                                WholeRange range) {
  throw InvalidInput(field, shown,
                     fmt::format("must be a whole number from {} to {}", range.least, range.most));
}

}  // namespace

void clear_conversion_error() { raise_unless_about_the_object(py::error_already_set()); }

Doubles doubles(std::string_view field, py::handle object, py::ssize_t dimensions) {
  if (py::isinstance<Doubles>(object)) {
    auto array = py::reinterpret_borrow<Doubles>(object);
    if (array.ndim() == dimensions && (array.flags() & kAligned) != 0) return array;
  }
  const py::array given = number_array(field, object);
  check_dimensions(field, given, dimensions);
  return py::reinterpret_borrow<Doubles>(AlignedDoubles(given));
}

std::vector<double> double_vector(std::string_view field, py::handle object) {
  const Doubles array = doubles(field, object, 1);
  return {array.data(), array.data() + array.size()};
}

double number(std::string_view field, py::handle object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (PyErr_Occurred() == nullptr) return value;
  clear_conversion_error();
  throw InvalidInput(field, py::repr(object).cast<std::string>(), "must be a number");
}

std::uint64_t whole_number(std::string_view field, py::handle object, WholeRange range) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) {
    clear_conversion_error();
    refuse_number(field, py::repr(object).cast<std::string>(), range);
  }
  const std::uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
  const bool outside = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (outside || value < range.least || value > range.most) {
    refuse_number(field, py::str(index).cast<std::string>(), range);
  }
  return value;
}

std::vector<std::uint32_t> whole_numbers(std::string_view field, py::handle object) {
  const py::array given = number_array(field, object);
  check_dimensions(field, given, 1);
  if (given.size() == 0) return {};  // an empty list is an array of floats
  if (given.dtype().kind() == 'f') {
    throw InvalidInput(field, py::str(given.dtype()).cast<std::string>(),
                       "must be an array of integers");
  }
  const auto wide = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(given);
  constexpr WholeRange kRange;
  std::vector<std::uint32_t> out;
  out.reserve(static_cast<std::size_t>(wide.size()));
  for (const std::int64_t value : std::span(wide.data(), static_cast<std::size_t>(wide.size()))) {
    if (value < 0 || static_cast<std::uint64_t>(value) > kRange.most) {
      refuse_number(field, std::to_string(value), kRange);
    }
    out.push_back(static_cast<std::uint32_t>(value));
  }
  return out;
}

namespace {

VariableSet set_of(std::string_view field, py::handle object, std::size_t variables,
                   std::string_view of_what) {
  py::object ids = py::reinterpret_borrow<py::object>(object);
  if (PyAnySet_Check(object.ptr())) ids = py::list(ids);
  const py::array given = number_array(field, ids);
  if (given.dtype().kind() != 'b') return VariableSet::from_ids(whole_numbers(field, given), field);

  check_dimensions(field, given, 1);
  if (static_cast<std::size_t>(given.size()) != variables) {
    throw InvalidInput(fmt::format("length of {}", field), std::to_string(given.size()),
                       fmt::format("a mask must have one bool per {}, {}", of_what, variables));
  }
  const auto mask = py::array_t<bool, py::array::c_style>(given);
  std::vector<VariableId> chosen;
  for (std::size_t id = 0; id < variables; ++id) {
    if (mask.data()[id]) chosen.push_back(static_cast<VariableId>(id));
  }
  return VariableSet::from_ids(chosen, field);
}

}  // namespace

VariableSet variable_set(std::string_view field, py::handle object, std::size_t variables) {
  return set_of(field, object, variables, "variable");
}

VariableSet action_set(std::string_view field, py::handle object, std::size_t actions) {
  return set_of(field, object, actions, "action");
}

py::array_t<std::int64_t> array_of(const VariableSet& set) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(set.size()));
  std::int64_t* to = out.mutable_data();
  set.for_each([&to](VariableId id) { *to++ = id; });
  return out;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

py::array_t<double> read_only(std::span<const double> values, py::handle owner) {
  py::array_t<double> out(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

}  // namespace updraft::python
