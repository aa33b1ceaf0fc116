#pragma once

#include <string>

#include "updraft/error.h"

namespace updraft::testing {

/// The message with which `call` is refused; "(accepted)" where it is not.
template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "(accepted)";
}

}  // namespace updraft::testing
