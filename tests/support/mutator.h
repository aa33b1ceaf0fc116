#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace updraft::testing {

/// Damages text: flips bits, cuts, inserts `tokens`, bytes and copies, swaps pieces. The same seed
/// gives the same damage: std::mt19937_64 is the same everywhere; the library's distributions are
/// not.
class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> tokens)
      : generator_(seed), tokens_(std::move(tokens)) {}

  std::size_t below(std::size_t bound) { return generator_() % bound; }

  std::string mutated(std::string text) {
    for (std::size_t left = 1 + below(4); left > 0 && !text.empty(); --left) mutate(text);
    return text;
  }

 private:
  void mutate(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << below(8)));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.insert(at, tokens_[below(tokens_.size())]);
        break;
      case 3:
        text.erase(at, 1 + below(8));
        break;
      case 4:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 5:
        swap_tokens(text);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
        break;
    }
  }

  /// Swaps two pieces that stand between commas, colons and brackets.
  void swap_tokens(std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> tokens;
    constexpr std::string_view kSeparators = ",:[]{}\n ";
    for (std::size_t begin = text.find_first_not_of(kSeparators); begin != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
      tokens.emplace_back(begin, end - begin);
      begin = text.find_first_not_of(kSeparators, end);
    }
    if (tokens.size() < 2) return;
    auto first = tokens[below(tokens.size())];
    auto second = tokens[below(tokens.size())];
    if (first.first > second.first) std::swap(first, second);
    if (first.first == second.first) return;
    const std::string a = text.substr(first.first, first.second);
    const std::string b = text.substr(second.first, second.second);
    text.replace(second.first, second.second, a);
    text.replace(first.first, first.second, b);
  }

  std::mt19937_64 generator_;
  std::vector<std::string> tokens_;
};

}  // namespace updraft::testing
