#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "environments/json_document.h"
#include "updraft/error.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

/// Bytes of an instance file, at most.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

constexpr std::string_view kTooLarge = "is too large; an instance file has at most 1 GiB";

InvalidInput no_such_instance(const std::string& name) {
  std::vector<std::string> shipped;
  for (const ShippedInstance& instance : shipped_instances()) shipped.emplace_back(instance.name);
  const InvalidInput unknown = unknown_name("instance", clipped(name), shipped);
  return InvalidInput(unknown.field(), unknown.value(),
                      unknown.rule() + "; nor is there a file of that name");
}

std::string read_file(const std::string& path) {
  const auto refuse = [&](std::string_view rule) { return InvalidInput("instance", path, rule); };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::directory) {
    throw refuse("is a directory; must be a shipped instance or a file");
  }
  if (status.type() == std::filesystem::file_type::regular) {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && size > kMostBytes) throw refuse(kTooLarge);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) {
    throw refuse("cannot be read: " + std::generic_category().message(errno));
  }
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    if (text.size() + count > kMostBytes) throw refuse(kTooLarge);
    text.append(block.data(), count);
  }
  if (std::ferror(file.get()) != 0) throw refuse("cannot be read to its end");
  return text;
}

}  // namespace

std::shared_ptr<const Instance> load_instance(const std::string& name_or_path) {
  for (const ShippedInstance& shipped : shipped_instances()) {
    if (shipped.name == name_or_path) return std::make_shared<const Instance>(shipped.make());
  }
  std::error_code error;
  if (!std::filesystem::exists(name_or_path, error)) {
    if (error == std::errc::permission_denied) {
      throw InvalidInput("instance", name_or_path, "cannot be read: " + error.message());
    }
    throw no_such_instance(name_or_path);
  }
  const std::string text = read_file(name_or_path);
  try {
    return std::make_shared<const Instance>(parse_instance(text));
  } catch (const InvalidInput& refused) {
    throw InvalidInput(name_or_path + ": " + refused.field(), refused.value(), refused.rule());
  }
}

}  // namespace updraft
