#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace updraft {

/// Why a store cannot be read or written.
class StoreError : public std::runtime_error {
 public:
  enum class Kind {
    kDiskFull,
    kDamaged,
    kUnknown,  ///< the disk failed to keep what was written: it may be there later, or not
    /// The connection to a database was lost during a commit: what was written may be there later,
    /// or not, until the campaign is claimed again.
    kInDoubt,
    kOther,
  };

  StoreError(const std::string& what, Kind kind) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// Another node has the campaign, and it is alive.
class CampaignElsewhere : public StoreError {
 public:
  CampaignElsewhere(const std::string& campaign, std::string node, std::string address)
      : StoreError("campaign " + campaign + " is served by node " + node, Kind::kOther),
        address_(std::move(address)) {}
  const std::string& address() const { return address_; }

 private:
  std::string address_;
};

/// Another node has deleted the campaign.
class CampaignGone : public StoreError {
 public:
  explicit CampaignGone(const std::string& what) : StoreError(what, Kind::kOther) {}
};

}  // namespace updraft
