#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "experiments/workload.h"
#include "updraft/decision.h"
#include "updraft/payoffs.h"
#include "updraft/policy_spec.h"

namespace updraft {

struct RecordOptions {
  std::uint32_t run = 0;
  double explore = 0.0;  ///< as in SimulatedLog, and so are the next two
  double holdout = 0.0;
  std::optional<ActionId> control = {};
  Resolution resolution = Resolution::variables();
  std::stop_token stop = {};
};

/// Gets each decision, the probability of every action in its round, and its payoffs.
using Recorder =
    std::function<void(const Decision&, std::span<const double> distribution, const Payoffs&)>;

/// Plays a run of a plain policy and shows it to `record`. Throws Cancelled if a stop is requested.
void record_run(const Workload& workload, const PolicySpec& spec, const RecordOptions& options,
                const Recorder& record);

}  // namespace updraft
