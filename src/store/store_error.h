#pragma once

#include <stdexcept>
#include <string>

namespace updraft {

/// Why a store cannot be read or written.
class StoreError : public std::runtime_error {
 public:
  enum class Kind {
    kDiskFull,
    kDamaged,
    kUnknown,  ///< the disk failed to keep what was written: it may be there later, or not
    kOther,
  };

  StoreError(const std::string& what, Kind kind) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace updraft
