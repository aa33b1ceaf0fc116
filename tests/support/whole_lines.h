#pragma once

#include <zlib.h>

#include <algorithm>
#include <string>

namespace updraft::testing {

/// Lines with their ends that can be unpacked of a gzip file, which may be cut off.
inline long whole_lines(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text(std::size_t{1} << 22, '\0');
  text.resize(static_cast<std::size_t>(
      std::max(0, gzread(file, text.data(), static_cast<unsigned>(text.size())))));
  gzclose(file);
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace updraft::testing
