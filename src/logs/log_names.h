#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace updraft {

/// The number that a name is written as, if it is a whole number.
std::optional<std::uint64_t> whole_number(std::string_view name);

/// Ids of names: those given, or each new name the next id.
class LogNames {
 public:
  /// `kind`: "action" or "variable". Throws InvalidInput if names are repeated or too many.
  LogNames(std::string_view kind, std::vector<std::string> given, std::size_t most);

  const std::vector<std::string>& names() const { return names_; }
  bool given() const { return closed_; }
  /// From now on other names are unknown.
  void close() { closed_ = true; }

  /// The id of a name. Where it has none, `rule` says why.
  std::optional<std::size_t> id(std::string_view name, std::string& rule);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void add(std::string name);

  std::string kind_;
  std::size_t most_;
  bool closed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> ids_;
};

}  // namespace updraft
