#pragma once

#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace updraft {

/// Lists of numbers, one after the other; list i ends before numbers[ends[i]].
struct NumberRows {
  std::vector<double> numbers;
  std::vector<std::size_t> ends;

  std::size_t size() const { return ends.size(); }
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
  std::size_t length(std::size_t row) const { return ends[row] - begin(row); }
  std::span<const double> row(std::size_t row) const {
    return std::span(numbers).subspan(begin(row), length(row));
  }
};

using NamedNumbers = std::vector<std::pair<std::string, double>>;

/// A member of a request: a list of numbers (the empty list too), a list of such lists, an object
/// of numbers (the empty object too), or whatever else it is.
using RequestField = std::variant<std::vector<double>, NumberRows, NamedNumbers, nlohmann::json>;
using RequestFields = std::map<std::string, RequestField, std::less<>>;

/// The members of a JSON object from an untrusted source. All numbers are finite, no key is
/// repeated, names in NamedNumbers may be, and there is no -0. Throws InvalidInput if it is not
/// JSON, not an object, nested too deep, or made of so many small values that it would take more
/// than three times its length in memory.
///
/// Made for long lists of numbers: bodies of numbers, plain ASCII strings, true and false are read
/// at 1 ms per 100,000 numbers, a fortieth of what the document of nlohmann takes; anything else
/// goes through such a document, with the same result. Lists of more than `most_numbers` are
/// refused if they would take more than twice the length of the body.
RequestFields read_request_fields(
    std::string_view body, std::size_t most_numbers = std::numeric_limits<std::size_t>::max());

// What readers of the members share. All throw InvalidInput that names the field.

/// Null if there is none.
const RequestField* find_field(const RequestFields& fields, std::string_view key);

/// That there are no others.
void check_fields(const RequestFields& fields, std::initializer_list<std::string_view> valid);

/// As it was before its numbers were taken out, for messages about its type.
nlohmann::json plain_value(const RequestField& field);

/// Throws about the first item that is wrong, or about the type as a whole.
const std::vector<double>& number_list(const RequestField& field, std::string_view path);

/// Empty if there is none.
std::string text_of(const RequestFields& fields, std::string_view key);

}  // namespace updraft
