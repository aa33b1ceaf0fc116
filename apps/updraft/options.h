#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace updraft::cli {

/// The values that a whole number on the command line may take.
struct CountRange {
  std::uint64_t least = 1;
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
};

inline constexpr std::uint64_t kMostThreads = 1024;
inline constexpr std::uint64_t kMostRuns = 1'000'000;

/// Reads the value of an option. Throws InvalidInput with the option, the value and the rule,
/// such as `--rounds = 0: must be a whole number from 1 to 4294967295`.
std::uint64_t parse_count(std::string_view option, const std::string& text, CountRange range = {});
/// "[3, 0, 5]": the values of a list in brackets, each in the range. Messages name the element:
/// `--max-affected[1] = -1: must be a whole number from 0 to 6`.
std::vector<std::uint64_t> parse_counts(std::string_view option, const std::string& text,
                                        CountRange range);
/// Whether a value is such a list.
bool is_list(std::string_view text);
double parse_positive(std::string_view option, const std::string& text);
double parse_not_negative(std::string_view option, const std::string& text);
double parse_probability(std::string_view option, const std::string& text);
/// In [0, 1].
double parse_share(std::string_view option, const std::string& text);

/// The number of rounds if none is given: 20,000 on gaussian and gaussian-weak, 5,000 on criteo,
/// 1,000 elsewhere.
std::uint32_t default_rounds(std::string_view instance);

}  // namespace updraft::cli
