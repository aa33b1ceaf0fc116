#include "experiments/toml_texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace updraft {
namespace {

constexpr std::size_t kMostNameBytes = 100;
constexpr std::size_t kMostLineBytes = 200;

}  // namespace

std::string read_name(const TomlField& field) {
  const std::string name = field.text();
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  if (name.empty() || name.size() > kMostNameBytes) {
    throw field.refusal(fmt::format("must have 1 to {} characters", kMostNameBytes));
  }
  if (!std::all_of(name.begin(), name.end(), allowed)) {
    throw field.refusal(fmt::format("\"{}\"", name), "must be letters, digits, - and _ only");
  }
  return name;
}

std::string read_line(const TomlField& field) {
  const std::string line = field.text();
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (line.empty() || line.size() > kMostLineBytes ||
      std::any_of(line.begin(), line.end(), control)) {
    throw field.refusal(
        fmt::format("must be one line of text, 1 to {} bytes long", kMostLineBytes));
  }
  return line;
}

}  // namespace updraft
