#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace updraft::testing {

// A duel is a random case, a fast policy of any kind and its reference, which always see the same:
//   Choice                            what is decided
//   title()
//   round(number)                     what is known of a round before the decision
//   select(round, tally, choice)      the fast policy decides and is judged
//   payoffs(number, round, choice)
//   delay(number, longest)            after how many rounds these come back, at most `longest`
//   observe(round, choice, payoffs)

/// Plays `rounds` rounds; payoffs come back after 0..longest_delay rounds, and those that are due
/// in one round latest first, so that late ones are out of order. Calls inspect(number, round)
/// before each decision. Stops at the first failure.
template <typename Duel, typename Tally, typename Inspect>
void play(Duel& duel, std::uint32_t rounds, std::uint32_t longest_delay, Tally& tally,
          Inspect inspect) {
  struct Outstanding {
    std::uint32_t due;
    decltype(duel.round(0)) round;
    typename Duel::Choice choice;
    std::vector<double> payoffs;
  };
  std::vector<Outstanding> outstanding;
  for (std::uint32_t number = 0; number < rounds; ++number) {
    const auto round = duel.round(number);
    inspect(number, round);
    typename Duel::Choice choice{};
    ASSERT_TRUE(duel.select(round, tally, choice)) << "round " << number;
    ASSERT_FALSE(::testing::Test::HasFailure());
    outstanding.push_back({number + duel.delay(number, longest_delay), round, choice,
                           duel.payoffs(number, round, choice)});
    for (std::size_t j = outstanding.size(); j-- > 0;) {
      if (outstanding[j].due > number) continue;
      duel.observe(outstanding[j].round, outstanding[j].choice, outstanding[j].payoffs);
      outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

/// Cases first, first + step, ..., as long as nothing fails.
struct Cases {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t step = 1;
  std::uint32_t rounds = 0;
};

/// The longest delay of a case by its number.
using LongestDelay = std::uint32_t (*)(std::uint32_t number);
inline std::uint32_t prompt(std::uint32_t) { return 0; }
inline std::uint32_t late(std::uint32_t number) { return 1 + number % 10; }

/// Plays cases; make(number) makes their duels. Calls inspect(duel, number of the round, round).
template <typename Make, typename Tally, typename Inspect>
void play_cases(const Cases& cases, Make make, LongestDelay longest_delay, Tally& tally,
                Inspect inspect) {
  for (std::uint32_t number = cases.first; number < cases.end; number += cases.step) {
    auto duel = make(number);
    SCOPED_TRACE(duel.title());
    play(duel, cases.rounds, longest_delay(number), tally,
         [&](std::uint32_t round, const auto& made) {
           SCOPED_TRACE("round " + std::to_string(round));
           inspect(duel, round, made);
         });
    if (::testing::Test::HasFailure()) return;
  }
}

/// The same without a look at the rounds. Returns the tally.
template <typename Tally, typename Make>
Tally played(const Cases& cases, Make make, LongestDelay longest_delay) {
  Tally tally;
  play_cases(cases, make, longest_delay, tally, [](const auto&, std::uint32_t, const auto&) {});
  return tally;
}

/// Notes counts in the report of the test.
inline void record(std::initializer_list<std::pair<const char*, std::uint64_t>> counts) {
  for (const auto& [name, count] : counts) {
    ::testing::Test::RecordProperty(name, std::to_string(count));
  }
}

}  // namespace updraft::testing
