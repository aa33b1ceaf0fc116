#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace updraft {

struct PhiloxBlocks;

/// What a stream of random numbers is for. Streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  kPolicy = 1,          ///< a policy's own draws, by decision number
  kNoiseTotal = 2,      ///< noise of the total, by round
  kNoiseGroups = 3,     ///< noise of groups given the total, by round and group
  kNoiseVariables = 4,  ///< noise of variables given their groups, by round and variable
  kNoiseFactor = 5,     ///< noise shared by all variables, by round
  kObservations = 6,    ///< tables of baseline observations, by variable
  kInstance = 7,        ///< generated instances
  kTest = 8,            ///< random test cases
  kExplanation = 9,     ///< draws behind an explanation
  kPool = 10,           ///< the individuals of a pool, by round
  kResample = 11,       ///< bootstrap resamples, by resample
  kShares = 12,         ///< draws behind the probability of a decision, by decision number
  kChain = 13,          ///< a policy's Markov chain, by observation
  kWalk = 14,           ///< random walks of an instance's means, by round and walk
};

/// Random numbers as a function: every draw is f(seed, run, purpose, round, index), so results do
/// not depend on threads, on the order of calls or on other draws.
///
/// Philox4x32-10 [salmon11]: key = seed, counter = (index / 2, round, run, purpose); each block
/// gives two 64-bit words. Streams are values of 16 bytes and are safe to share.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint32_t run, Purpose purpose)
      : seed_(seed), run_(run), purpose_(purpose) {}

  bool operator==(const Stream&) const = default;

  /// The stream of the same seed and run for another purpose.
  Stream with(Purpose purpose) const { return {seed_, run_, purpose}; }

  /// 64 uniformly random bits. index < 2^33.
  std::uint64_t bits(std::uint32_t round, std::uint64_t index) const;

  /// Uniform on (0, 1): odd multiples of 2^-53, never 0 or 1.
  double uniform(std::uint32_t round, std::uint64_t index) const;

  /// Standard normal. The normals at indices 2 j and 2 j + 1 are made from the uniforms at these
  /// two indices.
  double normal(std::uint32_t round, std::uint64_t index) const;

  /// out[j] = uniform(round, first + j), or normal(round, first + j), bit for bit.
  void uniforms(std::uint32_t round, std::uint64_t first, std::span<double> out) const;
  void normals(std::uint32_t round, std::uint64_t first, std::span<double> out) const;

  /// The first `width` draws of each of `rounds` rounds, starting at `round`: for each draw a
  /// column of `rounds` numbers. `rounds` must be 1 or a multiple of 8. Draws come in pairs, so
  /// there are whole_pairs(width) columns.
  void uniform_columns(std::uint32_t round, std::size_t rounds, std::size_t width,
                       std::span<double> out) const;
  void normal_columns(std::uint32_t round, std::size_t rounds, std::size_t width,
                      std::span<double> out) const;
  static std::size_t whole_pairs(std::size_t width) { return width + width % 2; }

  /// out[j] = bits(round, first + j). `first` and the size of `out` must be even.
  void words(std::uint32_t round, std::uint64_t first, std::span<std::uint64_t> out) const;

 private:
  /// Fills batches with a function of one index and one that works on whole pairs.
  template <typename Single, typename Pairs>
  void in_pairs(std::uint32_t round, std::uint64_t first, std::span<double> out, Single single,
                Pairs pairs) const;
  PhiloxBlocks blocks(std::uint32_t round, std::uint64_t first, std::size_t count) const;

  std::uint64_t seed_;
  std::uint32_t run_;
  Purpose purpose_;
};

}  // namespace updraft
