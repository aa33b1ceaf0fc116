#include "core/state_frame.h"

#include <fmt/format.h>

#include <istream>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include "core/checksum.h"
#include "updraft/error.h"
#include "updraft/state_io.h"

namespace updraft {

std::string framed(const StateKind& kind, std::string_view body) {
  StateWriter head;
  head.u64(kind.version);
  head.u64(body.size());
  std::string file(kind.magic);
  file += head.bytes();
  file += body;
  StateWriter tail;
  tail.u64(checksum(file));
  return file + tail.bytes();
}

StateBody unframed(const StateKind& kind, std::string_view file) {
  const std::string_view magic = kind.magic;
  const std::size_t frame = magic.size() + 3 * sizeof(std::uint64_t);
  if (file.substr(0, magic.size()) != magic.substr(0, file.size()) || file.empty()) {
    throw InvalidInput("policy state", "is not a saved policy: its first bytes are wrong");
  }
  if (file.size() < frame) throw InvalidInput("policy state", "is truncated");
  StateReader head(file.substr(magic.size()));
  const std::uint64_t version = head.u64();
  if (version < kind.oldest || version > kind.version) {
    const std::string rule = kind.oldest == kind.version
                                 ? std::to_string(kind.version)
                                 : fmt::format("from {} to {}", kind.oldest, kind.version);
    throw InvalidInput(
        "policy state: version", std::to_string(version),
        fmt::format("must be {}; it may have been saved by another release or be damaged", rule));
  }
  const std::uint64_t length = head.u64();
  if (file.size() - frame != length) {
    throw InvalidInput("policy state", fmt::format("{} bytes", file.size()),
                       file.size() - frame < length ? "is truncated" : "has bytes after its end");
  }
  const std::string_view sealed = file.substr(0, file.size() - sizeof(std::uint64_t));
  StateReader tail(file.substr(sealed.size()));
  if (tail.u64() != checksum(sealed)) {
    throw InvalidInput("policy state", "is damaged: its checksum does not match");
  }
  return {version, sealed.substr(frame - sizeof(std::uint64_t))};
}

void write_state(std::string_view file, std::ostream& out) {
  out.write(file.data(), static_cast<std::streamsize>(file.size()));
  out.flush();
  if (!out) throw std::runtime_error("cannot write the policy state");
}

std::string read_state(std::istream& in) {
  std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw std::runtime_error("cannot read the policy state");
  return file;
}

}  // namespace updraft
