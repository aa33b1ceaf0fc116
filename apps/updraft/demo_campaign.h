#pragma once

#include <cstdint>
#include <memory>

#include "service/service.h"
#include "updraft/instance_environment.h"

namespace updraft::cli {

/// The campaign `demo`: the shipped instance marketing, played by up_ts through the service.
class DemoCampaign {
 public:
  /// Makes the campaign where it is not there yet. Null where another has its name.
  static std::shared_ptr<DemoCampaign> start(Service& service);

  /// One decision and its payoffs; nothing once the campaign was stopped.
  void play();

 private:
  DemoCampaign(Service& service, InstanceEnvironment environment)
      : service_(service), environment_(std::move(environment)) {}

  Service& service_;
  InstanceEnvironment environment_;
};

}  // namespace updraft::cli
