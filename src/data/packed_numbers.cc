#include "data/packed_numbers.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "updraft/error.h"

namespace updraft {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// zlib never compresses by more than this factor.
constexpr std::size_t kMostCompression = 1032;

using Bytes = std::vector<unsigned char>;

std::string to_base64(const Bytes& bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      three = three << 8 | (i + j < bytes.size() ? bytes[i + j] : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kAlphabet[three >> (18 - 6 * j) & 63u] : '=';
    }
  }
  return text;
}

std::array<int, 256> make_values() {
  std::array<int, 256> values;
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  }
  return values;
}

Bytes from_base64(std::string_view text, std::string_view field) {
  const std::array<int, 256> values = make_values();
  const auto refuse = [&] { return InvalidInput(field, "is not base64"); };
  if (text.size() % 4 != 0) throw refuse();
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  Bytes bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const bool padded = i + j + padding >= text.size();
      const int value = padded ? 0 : values[static_cast<unsigned char>(text[i + j])];
      if (value < 0) throw refuse();
      three = three << 6 | static_cast<std::uint32_t>(value);
    }
    for (const int shift : {16, 8, 0}) {
      bytes.push_back(static_cast<unsigned char>(three >> shift & 255u));
    }
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string pack(const Bytes& bytes) {
  uLongf size = compressBound(bytes.size());
  Bytes packed(size);
  if (compress2(packed.data(), &size, bytes.data(), bytes.size(), Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::runtime_error("zlib cannot compress the rows");
  }
  packed.resize(size);
  return to_base64(packed);
}

Bytes unpack(std::string_view text, std::size_t count, std::size_t width, std::string_view field) {
  const auto refuse = [&] {
    return InvalidInput(
        field, fmt::format("is not a zlib stream of {} numbers of {} bytes", count, width));
  };
  const Bytes packed = from_base64(text, field);
  if (count * width / kMostCompression > packed.size()) throw refuse();
  Bytes bytes(count * width);
  uLongf size = bytes.size();
  uLong read = packed.size();
  const int code = uncompress2(bytes.data(), &size, packed.data(), &read);
  if (code != Z_OK || size != bytes.size() || read != packed.size()) throw refuse();
  return bytes;
}

template <typename Word>
void append(Bytes& bytes, Word word) {
  for (std::size_t b = 0; b < sizeof(Word); ++b) {
    bytes.push_back(static_cast<unsigned char>(word >> (8 * b) & 255u));
  }
}

template <typename Word>
Word word_at(const Bytes& bytes, std::size_t i) {
  Word word = 0;
  for (std::size_t b = 0; b < sizeof(Word); ++b) {
    word |= static_cast<Word>(bytes[i * sizeof(Word) + b]) << (8 * b);
  }
  return word;
}

}  // namespace

std::string pack_doubles(std::span<const double> numbers) {
  Bytes bytes;
  bytes.reserve(numbers.size() * sizeof(double));
  for (const double number : numbers) append(bytes, std::bit_cast<std::uint64_t>(number));
  return pack(bytes);
}

std::string pack_words(std::span<const std::uint32_t> numbers) {
  Bytes bytes;
  bytes.reserve(numbers.size() * sizeof(std::uint32_t));
  for (const std::uint32_t number : numbers) append(bytes, number);
  return pack(bytes);
}

std::vector<double> unpack_doubles(std::string_view text, std::size_t count,
                                   std::string_view field) {
  const Bytes bytes = unpack(text, count, sizeof(double), field);
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = std::bit_cast<double>(word_at<std::uint64_t>(bytes, i));
  }
  return numbers;
}

std::vector<std::uint32_t> unpack_words(std::string_view text, std::size_t count,
                                        std::string_view field) {
  const Bytes bytes = unpack(text, count, sizeof(std::uint32_t), field);
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = word_at<std::uint32_t>(bytes, i);
  return numbers;
}

}  // namespace updraft
