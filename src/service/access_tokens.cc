#include "service/access_tokens.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::string_view kField = "--token-file";
constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 1000;
constexpr std::size_t kLargestFile = 1 << 20;

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = line.find_first_not_of(kSpaces);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpaces) - begin + 1);
}

void check_token(std::string_view token, std::size_t line) {
  const auto field = [&] { return fmt::format("{}, line {}", kField, line); };
  if (token.size() < kShortest || token.size() > kLongest) {
    throw InvalidInput(field(), fmt::format("has {} characters; a token must have from {} to {}",
                                            token.size(), kShortest, kLongest));
  }
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; })) {
    throw InvalidInput(field(), "a token must consist of visible ASCII characters, without spaces");
  }
}

/// Case does not matter in the name of a scheme.
bool starts_with_bearer(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  return header.size() >= kScheme.size() &&
         std::equal(kScheme.begin(), kScheme.end(), header.begin(), [](char wanted, char given) {
           return wanted == (given >= 'A' && given <= 'Z' ? given - 'A' + 'a' : given);
         });
}

}  // namespace

AccessTokens::Digest AccessTokens::digest_of(std::string_view token) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

AccessTokens AccessTokens::parse(std::string_view text) {
  AccessTokens tokens;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view token = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (token.empty()) continue;
    check_token(token, line);
    tokens.digests_.push_back(digest_of(token));
  }
  if (tokens.empty())
    throw InvalidInput(kField, "has no token; must have at least one, on a line of its own");
  return tokens;
}

AccessTokens AccessTokens::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()) {
    throw InvalidInput(kField, path, "cannot be read");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) throw InvalidInput(kField, path, "must be at most 1 MiB");
  return parse(text);
}

bool AccessTokens::allow(std::string_view authorization) const {
  const bool bearer = starts_with_bearer(authorization);
  const Digest given = digest_of(bearer ? trimmed(authorization.substr(7)) : std::string_view());
  int matches = 0;
  for (const Digest& digest : digests_) {
    matches += CRYPTO_memcmp(digest.data(), given.data(), digest.size()) == 0 ? 1 : 0;
  }
  return matches != 0 && bearer;
}

}  // namespace updraft
