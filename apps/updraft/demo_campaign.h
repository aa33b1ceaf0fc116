#pragma once

#include <cstdint>
#include <memory>

#include "service/service.h"
#include "updraft/instance_environment.h"

namespace updraft::cli {

/// The campaign `demo`: the shipped instance marketing, played by up_ts through the service.
class DemoCampaign {
 public:
  /// Creates the campaign if it does not exist yet. Null if another campaign has its name.
  static std::shared_ptr<DemoCampaign> start(Service& service);

  /// Makes one decision and sends its payoffs; does nothing once the campaign is stopped.
  void play();

 private:
  DemoCampaign(Service& service, InstanceEnvironment environment)
      : service_(service), environment_(std::move(environment)) {}

  Service& service_;
  InstanceEnvironment environment_;
};

}  // namespace updraft::cli
