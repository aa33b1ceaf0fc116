#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace updraft {

/// Whether a decision of a log came before. If the first one is a whole number, all must be, and
/// increase; else their hashes are kept. Two of 10 million hashes are alike with a probability of
/// 3e-6.
class SeenDecisions {
 public:
  /// The rule that it breaks; empty if none.
  std::string_view add(const std::string& decision);

 private:
  bool first_ = true;
  bool numbered_ = false;
  std::uint64_t last_ = 0;
  std::unordered_set<std::uint64_t> hashes_;
};

}  // namespace updraft
