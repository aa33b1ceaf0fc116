#pragma once

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <string>

namespace updraft::testing {

/// Calls check(name) once for each kind of vector that was compiled and that this machine has, from
/// the widest down to none, with that kind chosen.
template <typename Check>
void for_each_vector_target(Check check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check(std::string(hwy::TargetName(target)));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace updraft::testing
