#include "core/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "updraft/error.h"

namespace updraft {

std::string read_input_file(const std::string& path, const InputKind& kind,
                            const std::vector<std::string>& shipped) {
  const auto refuse = [&](std::string_view rule) { return InvalidInput(kind.field, path, rule); };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error == std::errc::permission_denied) throw refuse("cannot be read: " + error.message());
  if (!std::filesystem::exists(status)) {
    const InvalidInput unknown = unknown_name(kind.field, path, shipped);
    throw InvalidInput(unknown.field(), unknown.value(),
                       unknown.rule() + "; no file has that name either");
  }
  if (status.type() == std::filesystem::file_type::directory) {
    throw refuse(fmt::format("is a directory; must be a shipped {} or {}", kind.field, kind.file));
  }
  if (status.type() == std::filesystem::file_type::regular && !kind.too_large.empty()) {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && size > kind.most_bytes) throw refuse(kind.too_large);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) throw refuse("cannot be read: " + std::generic_category().message(errno));
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), count);
    if (text.size() <= kind.most_bytes) continue;
    if (!kind.too_large.empty()) throw refuse(kind.too_large);
    return text;
  }
  if (std::ferror(file.get()) != 0) throw refuse("cannot be read to its end");
  return text;
}

}  // namespace updraft
