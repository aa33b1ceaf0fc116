#include <bit>
#include <cmath>
#include <cstring>

#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {

static_assert(std::endian::native == std::endian::little,
              "states are written as they lie in memory, which must be little-endian");

void StateWriter::u64(std::uint64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void StateWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void StateWriter::text(std::string_view value) {
  u64(value.size());
  bytes_.append(value);
}

void StateWriter::u64s(std::span<const std::uint64_t> values) {
  u64(values.size());
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void StateWriter::f64s(std::span<const double> values) {
  u64(values.size());
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

namespace {

void check_all_finite(std::span<const double> values, std::string_view field) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw InvalidInput(field, value, "must be finite");
  }
}

}  // namespace

std::string_view StateReader::take(std::size_t count) {
  if (count > bytes_.size()) {
    throw InvalidInput("policy state", "is truncated: it ends in the middle of a field");
  }
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

std::uint64_t StateReader::u64() {
  std::uint64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::uint64_t StateReader::u64_at_most(std::uint64_t most, std::string_view field) {
  const std::uint64_t value = u64();
  if (value > most) {
    throw InvalidInput(field, std::to_string(value), "must be at most " + std::to_string(most));
  }
  return value;
}

double StateReader::f64() {
  const auto value = std::bit_cast<double>(u64());
  check_all_finite({&value, 1}, "policy state");
  return value;
}

std::string StateReader::text() { return std::string(take(u64())); }

void StateReader::counted(void* out, std::size_t size, std::string_view field) {
  const std::uint64_t count = u64();
  if (count != size) {
    throw InvalidInput(field, std::to_string(count) + " values", "must be " + std::to_string(size));
  }
  const std::string_view bytes = take(size * sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
}

std::size_t StateReader::next_count() const {
  StateReader ahead = *this;
  const std::uint64_t count = ahead.u64();
  if (count > ahead.bytes_.size() / sizeof(std::uint64_t)) {
    throw InvalidInput("policy state", "is truncated: it ends in the middle of a list");
  }
  return count;
}

void StateReader::u64s(std::span<std::uint64_t> out, std::string_view field) {
  counted(out.data(), out.size(), field);
}

void StateReader::f64s(std::span<double> out, std::string_view field) {
  counted(out.data(), out.size(), field);
  check_all_finite(out, field);
}

std::vector<std::uint64_t> StateReader::u64s() {
  std::vector<std::uint64_t> values(next_count());
  u64s(values, "policy state");
  return values;
}

std::vector<double> StateReader::f64s() {
  std::vector<double> values(next_count());
  f64s(values, "policy state");
  return values;
}

void StateReader::finish() const {
  if (!bytes_.empty()) {
    throw InvalidInput("policy state", std::to_string(bytes_.size()) + " bytes",
                       "are left over after the last field");
  }
}

}  // namespace updraft
