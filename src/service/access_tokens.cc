#include "service/access_tokens.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::string_view kField = "--token-file";
constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 1000;
constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kLongestTokenName = 100;
constexpr std::uint32_t kMostRate = 1'000'000;

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = line.find_first_not_of(kSpaces);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpaces) - begin + 1);
}

std::string field_of(std::size_t line) { return fmt::format("{}, line {}", kField, line); }

void check_token(std::string_view token, std::size_t line) {
  if (token.size() < kShortest || token.size() > kLongest) {
    throw InvalidInput(field_of(line),
                       fmt::format("has {} characters; a token must have from {} to {}",
                                   token.size(), kShortest, kLongest));
  }
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; })) {
    throw InvalidInput(field_of(line),
                       "a token must consist of visible ASCII characters, without spaces");
  }
}

/// The part of a text before `end`, which is taken off with it.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = std::min(text.find_first_of(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

Roles role_of(std::string_view name, const std::string& field) {
  if (name == "read") return kReads;
  if (name == "decide") return kDecides;
  if (name == "manage") return kManages;
  throw unknown_name(field, name, {"read", "decide", "manage"});
}

std::uint32_t rate_of(std::string_view text, const std::string& field) {
  std::uint32_t rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || rate == 0 || rate > kMostRate) {
    throw InvalidInput(field, text, fmt::format("must be a whole number from 1 to {}", kMostRate));
  }
  return rate;
}

/// Takes in one `key=value` of a line.
void read_attribute(std::string_view attribute, const std::string& line, TokenHolder& holder) {
  std::string_view value = attribute;
  const std::string key(take_until(value, "="));
  const std::string field = fmt::format("{}, {}", line, key);
  if (key == "name") {
    if (!is_token_name(value))
      throw InvalidInput(field, value, "must be 1 to 100 of A-Z a-z 0-9 . _ -");
    holder.name = value;
  } else if (key == "roles") {
    holder.roles = 0;
    while (!value.empty()) holder.roles |= role_of(take_until(value, ","), field);
    if (holder.roles == 0) throw InvalidInput(field, "must be some of read, decide, manage");
  } else if (key == "campaigns") {
    while (!value.empty()) {
      const std::string_view one = take_until(value, ",");
      if (!is_token_name(one.ends_with('*') ? one.substr(0, one.size() - 1) : one)) {
        throw InvalidInput(field, one, "must be names of campaigns, or beginnings followed by a *");
      }
      holder.campaigns.emplace_back(one);
    }
    if (holder.campaigns.empty()) throw InvalidInput(field, "must have at least one campaign");
  } else if (key == "rate") {
    holder.rate = rate_of(value, field);
  } else {  // It may be a token that was written behind another one.
    throw InvalidInput(line, "after a token there may be name=, roles=, campaigns= and rate=");
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

bool is_token_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestTokenName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

bool TokenHolder::holds_for(std::string_view campaign) const {
  return campaigns.empty() ||
         std::any_of(campaigns.begin(), campaigns.end(), [&](const std::string& one) {
           return one.ends_with('*') ? campaign.starts_with(one.substr(0, one.size() - 1))
                                     : campaign == one;
         });
}

void AccessTokens::add(std::string_view line, std::size_t number) {
  const std::string_view token = take_until(line, " \t");
  check_token(token, number);
  const Digest digest = digest_of(token);
  TokenHolder holder;
  holder.name =
      fmt::format("token-{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
  std::vector<std::string> seen;
  while (!line.empty()) {
    const std::string_view attribute = take_until(line, " \t");
    if (attribute.empty()) continue;
    read_attribute(attribute, field_of(number), holder);
    seen.emplace_back(attribute.substr(0, attribute.find('=')));
    if (std::count(seen.begin(), seen.end(), seen.back()) > 1) {
      throw InvalidInput(fmt::format("{}, {}", field_of(number), seen.back()),
                         "must be given once");
    }
  }
  for (const Token& other : tokens_) {
    if (other.digest == digest && *other.holder != holder) {
      throw InvalidInput(field_of(number), "the same token is on another line with other rights");
    }
  }
  tokens_.push_back({digest, std::make_shared<const TokenHolder>(std::move(holder))});
}

AccessTokens AccessTokens::parse(std::string_view text) {
  AccessTokens tokens;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view trimmed_line = trimmed(take_until(text, "\n"));
    if (!trimmed_line.empty() && !trimmed_line.starts_with("# ")) tokens.add(trimmed_line, line);
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

std::size_t AccessTokens::find(std::string_view authorization) const {
  const bool bearer = starts_with_bearer(authorization);
  const Digest given = digest_of(bearer ? trimmed(authorization.substr(7)) : std::string_view());
  std::size_t found = size();
  for (std::size_t i = 0; i < size(); ++i) {
    const bool same = CRYPTO_memcmp(tokens_[i].digest.data(), given.data(), given.size()) == 0;
    found = same ? i : found;
  }
  return bearer ? found : size();
}

}  // namespace updraft
