#include "support/source_folder.h"

namespace updraft::testing {

std::filesystem::path source_folder() { return UPDRAFT_SOURCE_DIR; }

}  // namespace updraft::testing
