// PostgreSQL's binary format: big-endian numbers, and arrays with a head.

#include <algorithm>

#include "store/pq.h"

namespace updraft {
namespace {

constexpr std::uint32_t kInt8 = 20;  // object ids of types, which never change
constexpr std::uint32_t kBytea = 17;

template <typename Number>
void put(std::string& out, Number number) {
  for (int shift = static_cast<int>(sizeof number) * 8 - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((number >> shift) & 0xff));
  }
}

/// Of an array with one dimension, without nulls, that counts from 1.
std::string head_of_array(std::uint32_t type, std::size_t size) {
  std::string out;
  put(out, std::uint32_t{size == 0 ? 0u : 1u});
  put(out, std::uint32_t{0});
  put(out, type);
  if (size == 0) return out;
  put(out, static_cast<std::uint32_t>(size));
  put(out, std::uint32_t{1});
  return out;
}

}  // namespace

PqParams& PqParams::add(std::int64_t value) {
  put(values_.emplace_back(), static_cast<std::uint64_t>(value));
  return *this;
}

PqParams& PqParams::add(std::string_view bytes) {
  values_.emplace_back(bytes);
  return *this;
}

PqParams& PqParams::add(std::span<const std::int64_t> values) {
  std::string out = head_of_array(kInt8, values.size());
  for (const std::int64_t value : values) {
    put(out, std::uint32_t{sizeof value});
    put(out, static_cast<std::uint64_t>(value));
  }
  values_.push_back(std::move(out));
  return *this;
}

PqParams& PqParams::add_blobs(std::span<const std::string_view> values) {
  std::string out = head_of_array(kBytea, values.size());
  for (const std::string_view value : values) {
    put(out, static_cast<std::uint32_t>(value.size()));
    out.append(value);
  }
  values_.push_back(std::move(out));
  return *this;
}

std::int64_t PqRows::number(int row, int column) const {
  std::uint64_t out = 0;
  for (const char byte : bytes(row, column)) out = out << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(out);
}

std::vector<std::optional<std::string>> copied_fields(std::string_view row) {
  std::vector<std::optional<std::string>> out(1, "");
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\t') {
      out.emplace_back("");
      continue;
    }
    if (row[i] != '\\' || i + 1 == row.size()) {
      if (out.back()) *out.back() += row[i];
      continue;
    }
    const char escaped = row[++i];
    constexpr std::string_view kNames = "bfnrtv";
    constexpr std::string_view kMeanings = "\b\f\n\r\t\v";
    if (escaped == 'N') {
      out.back().reset();
    } else if (out.back()) {
      const std::size_t known = kNames.find(escaped);
      *out.back() += known == kNames.npos ? escaped : kMeanings[known];
    }
  }
  return out;
}

}  // namespace updraft
