#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
// toml++ 3.3 asserts what broken documents violate, such as `[=]`, just before it refuses them.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "updraft/error.h"

namespace updraft {

// Reading fields of a TOML document from an untrusted source. Whatever is refused is InvalidInput
// whose message begins with the document's origin and the line: `mine.toml:7: policy[2].alpha`.

/// Throws if the text is not TOML, with line and column (from 1), or is longer than 32 KiB.
/// The limit bounds the depth of tables, which their destructor walks by recursion.
toml::table parse_toml_document(std::string_view text, const std::string& origin);

class TomlTable;

/// TOML's largest whole number.
inline constexpr std::uint64_t kMostSeed = std::numeric_limits<std::int64_t>::max();

/// A value and its place. Refers to a document that must outlive it.
class TomlField {
 public:
  TomlField(const toml::node& node, std::size_t line, std::string path, std::string origin);

  const std::string& path() const { return path_; }
  std::size_t line() const { return line_; }

  InvalidInput refusal(std::string_view rule) const { return refusal("", rule); }
  InvalidInput refusal(std::string_view value, std::string_view rule) const;

  std::string text() const;
  double number() const;
  bool flag() const;
  /// A whole number in [least, most]; 3.0 and 3e0 are whole.
  std::uint64_t whole(std::uint64_t least, std::uint64_t most) const;
  /// A list's items; `expected` says what it should have been, as in "a list of numbers".
  std::vector<TomlField> items(std::string_view expected) const;
  TomlTable table(std::string_view expected) const;

 private:
  InvalidInput wrong_type(std::string_view expected) const;

  const toml::node* node_;
  std::size_t line_;
  std::string path_;
  std::string origin_;
};

/// A table's fields, in the order of the document.
class TomlTable {
 public:
  /// `path` is empty for the document itself.
  TomlTable(const toml::table& table, std::size_t line, std::string path, std::string origin);

  /// Names and values, in the order of the document.
  struct Member {
    std::string key;
    TomlField field;
  };
  const std::vector<Member>& members() const { return members_; }

  InvalidInput refusal(std::string_view rule) const;

  /// Throws if there are other keys than `valid`; points at the nearest of them.
  void check_keys(const std::vector<std::string>& valid) const;

  std::optional<TomlField> find(std::string_view key) const;
  /// Throws if it is missing.
  TomlField required(std::string_view key) const;

 private:
  std::string place(std::string_view path) const;
  std::string member_path(std::string_view key) const;

  std::size_t line_;
  std::string path_;
  std::string origin_;
  std::vector<Member> members_;
};

}  // namespace updraft
