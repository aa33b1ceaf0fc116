#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace updraft {

/// Who may use the service: bearer tokens, of which only digests are kept.
class AccessTokens {
 public:
  /// Nobody needs a token.
  AccessTokens() = default;

  /// From a text with a token per line: at least 16 visible ASCII characters each, and at least
  /// one; empty lines are left out. Throws InvalidInput that names the line and never shows it.
  static AccessTokens parse(std::string_view text);
  /// The same from a file.
  static AccessTokens load(const std::string& path);

  bool empty() const { return digests_.empty(); }

  /// Whether the value of an Authorization header is "Bearer " and one of the tokens. Takes the
  /// same time whichever token it is and however much of one it has.
  bool allow(std::string_view authorization) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  static Digest digest_of(std::string_view token);

  std::vector<Digest> digests_;
};

}  // namespace updraft
