#pragma once

#include <cstdint>

#include "updraft/stream.h"

namespace updraft::testing {

/// The random numbers of one random case, of a stream for each purpose, so that none shares draws
/// with another.
struct CaseStreams {
  std::uint64_t seed = 0;
  std::uint32_t number = 0;  ///< of the case

  Stream problem() const { return stream(0); }
  Stream rounds() const { return stream(1); }
  Stream payoffs() const { return stream(2); }

  /// After how many rounds the payoffs of a round come back: 0..longest.
  std::uint32_t delay(std::uint32_t round, std::uint32_t longest) const {
    return static_cast<std::uint32_t>(stream(3).uniform(round, 0) *
                                      static_cast<double>(longest + 1));
  }

 private:
  Stream stream(std::uint64_t part) const { return Stream(seed + part, number, Purpose::kTest); }
};

}  // namespace updraft::testing
