#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace updraft {

// Reading fields of a JSON document. All throw InvalidInput that names the field by its path,
// which is made only then.

/// The path of a member: "noise.kind", or "kind" if the object is the document itself.
std::string member_path(std::string_view object_path, std::string_view key);

/// Throws unless `object` is one and has no other keys than `valid`.
void check_keys(const nlohmann::json& object, std::string_view path,
                std::initializer_list<std::string_view> valid);

/// The member of a checked object; throws if it is missing.
const nlohmann::json& required(const nlohmann::json& object, std::string_view path,
                               std::string_view key);

/// The same, which must be a list.
const nlohmann::json& required_list(const nlohmann::json& object, std::string_view path,
                                    std::string_view key);

std::string text_field(const nlohmann::json& value, std::string_view path);
double number_field(const nlohmann::json& value, std::string_view path);

/// A list of numbers.
std::vector<double> numbers_field(const nlohmann::json& value, std::string_view path);

/// A whole number in [least, most]; 3.0 and 3e0 are whole.
std::size_t whole_field(const nlohmann::json& value, std::string_view path, std::size_t least,
                        std::size_t most);

}  // namespace updraft
