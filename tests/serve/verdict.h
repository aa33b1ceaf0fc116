#pragma once

#include <deque>
#include <functional>
#include <string>

#include "campaign_case.h"
#include "traffic.h"

namespace updraft::service_test {

/// Calls `work` for each visitor in a thread of its own, and `meanwhile` beside them. Returns what
/// they threw, in words.
std::string in_threads(
    std::deque<Visitor>& visitors, const std::function<void(Visitor&)>& work,
    const std::function<void()>& meanwhile = [] {});

/// Judges a service that is at rest by what its visitors were answered: all of it is there, once,
/// and its state and its log are what the library makes of it. Reports to GoogleTest.
void check_visitors(const CampaignCase& campaign, std::deque<Visitor>& visitors, int port,
                    const std::string& store);

}  // namespace updraft::service_test
