#include "core/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/json_document.h"
#include "updraft/error.h"

namespace updraft {
namespace {

using nlohmann::json;

std::string_view type_text(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::boolean:
      return "true or false";
    case json::value_t::string:
      return "a string";
    case json::value_t::array:
      return "a list";
    case json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

InvalidInput wrong_type(std::string_view path, std::string_view expected, const json& value) {
  return InvalidInput(path.empty() ? "instance" : path,
                      fmt::format("must be {}, not {}", expected, type_text(value)));
}

}  // namespace

std::string member_path(std::string_view object_path, std::string_view key) {
  return object_path.empty() ? std::string(key) : fmt::format("{}.{}", object_path, key);
}

void check_keys(const json& object, std::string_view path,
                std::initializer_list<std::string_view> valid) {
  if (!object.is_object()) throw wrong_type(path, "an object", object);
  for (const auto& member : object.items()) {
    if (std::find(valid.begin(), valid.end(), member.key()) != valid.end()) continue;
    throw unknown_name(path.empty() ? "key" : fmt::format("key of {}", path), clipped(member.key()),
                       {valid.begin(), valid.end()});
  }
}

const json& required(const json& object, std::string_view path, std::string_view key) {
  const auto member = object.find(key);
  if (member == object.end()) throw InvalidInput(member_path(path, key), "is missing");
  return *member;
}

const json& required_list(const json& object, std::string_view path, std::string_view key) {
  const json& value = required(object, path, key);
  if (!value.is_array()) throw wrong_type(member_path(path, key), "a list", value);
  return value;
}

std::string text_field(const json& value, std::string_view path) {
  if (!value.is_string()) throw wrong_type(path, "a string", value);
  return value.get<std::string>();
}

double number_field(const json& value, std::string_view path) {
  if (!value.is_number()) throw wrong_type(path, "a number", value);
  return value.get<double>();
}

std::vector<double> numbers_field(const json& value, std::string_view path) {
  if (!value.is_array()) throw wrong_type(path, "a list of numbers", value);
  std::vector<double> numbers;
  numbers.reserve(value.size());
  for (const json& number : value) {
    if (!number.is_number()) {
      throw wrong_type(fmt::format("{}[{}]", path, numbers.size()), "a number", number);
    }
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

std::size_t whole_field(const json& value, std::string_view path, std::size_t least,
                        std::size_t most) {
  // Bounds are below 2^53, so a whole number within them is exact as a double.
  const double number = number_field(value, path);
  if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
      number != std::floor(number)) {
    throw InvalidInput(path, number_text(number),
                       fmt::format("must be a whole number from {} to {}", least, most));
  }
  return static_cast<std::size_t>(number);
}

}  // namespace updraft
