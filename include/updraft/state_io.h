#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace updraft {

/// Appends little-endian fields to a buffer.
class StateWriter {
 public:
  void u64(std::uint64_t value);
  void f64(double value);
  void text(std::string_view value);
  /// A count, then the values.
  void u64s(std::span<const std::uint64_t> values);
  void f64s(std::span<const double> values);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads back what StateWriter wrote. Throws InvalidInput if the bytes end too soon, a count is not
/// the expected one or a value is impossible.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t u64();
  /// A u64 that must be at most `most`.
  std::uint64_t u64_at_most(std::uint64_t most, std::string_view field);
  /// Must be finite.
  double f64();
  std::string text();
  /// Exactly out.size() values; f64s must be finite.
  void u64s(std::span<std::uint64_t> out, std::string_view field);
  void f64s(std::span<double> out, std::string_view field);
  /// As many values as were written; they must fit into the bytes that are left.
  std::vector<std::uint64_t> u64s();
  std::vector<double> f64s();

  /// Throws unless all bytes were read.
  void finish() const;

 private:
  std::string_view take(std::size_t count);
  void counted(void* out, std::size_t size, std::string_view field);
  std::size_t next_count() const;

  std::string_view bytes_;
};

}  // namespace updraft
