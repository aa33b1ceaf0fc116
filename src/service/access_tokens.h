#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/roles.h"

namespace updraft {

/// What the holder of a token may do, and under which name.
struct TokenHolder {
  std::string name;                    ///< for the log and the events; never the token
  Roles roles = kAllRoles;             ///< any of them
  std::vector<std::string> campaigns;  ///< names, or beginnings with a * behind; empty: all
  std::uint32_t rate = 0;              ///< requests per second; 0: no limit

  bool holds_for(std::string_view campaign) const;

  bool operator==(const TokenHolder&) const = default;
};

/// 1 to 100 letters, digits, and . _ -, as the names of campaigns.
bool is_token_name(std::string_view text);

/// Who may use the service: bearer tokens, of which only digests are kept.
class AccessTokens {
 public:
  /// Nobody needs a token.
  AccessTokens() = default;

  /// From a text with a token per line, of at least 16 visible ASCII characters, and at least one
  /// token. Behind it there may be `name=`, `roles=`, `campaigns=` and `rate=`, after spaces; a
  /// token alone may do everything. Empty lines, and lines that begin with "# ", are left out.
  /// Throws InvalidInput that names the line and never shows a token.
  static AccessTokens parse(std::string_view text);
  /// The same from a file.
  static AccessTokens load(const std::string& path);

  bool empty() const { return tokens_.empty(); }
  std::size_t size() const { return tokens_.size(); }

  /// The number of the token if the value of an Authorization header is "Bearer " and one of them;
  /// size() otherwise. Takes the same time whichever token it is and however much of one it has.
  std::size_t find(std::string_view authorization) const;

  std::shared_ptr<const TokenHolder> holder(std::size_t token) const {
    return tokens_[token].holder;
  }

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Token {
    Digest digest;
    std::shared_ptr<const TokenHolder> holder;
  };

  static Digest digest_of(std::string_view token);
  void add(std::string_view line, std::size_t number);

  std::vector<Token> tokens_;
};

}  // namespace updraft
