#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "bindings.h"
#include "seeded.h"
#include "updraft/campaign_policy.h"
#include "updraft/context_policy.h"
#include "updraft/policy.h"
#include "updraft/state.h"

namespace updraft::python {
namespace {

/// Whether a file begins so. docs/formats/policy-state.md.
bool begins(const std::filesystem::path& path, std::string_view magic) {
  std::string beginning(magic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == magic;
}

/// A policy of the kind that the file says; of files that say nothing, what the first kind says.
py::object load(const std::filesystem::path& path, py::handle seed, py::handle run) {
  if (begins(path, "updraft-campaign-policy\r\n")) {
    return py::cast(seeded(load_campaign_policy(path), seed, run));
  }
  if (begins(path, "updraft-context-policy\r\n")) {
    return py::cast(seeded(load_context_policy(path), seed, run));
  }
  return py::cast(seeded(load_policy(path), seed, run));
}

}  // namespace

void bind_load(py::module_& module) {
  module.def("load", &load, py::arg("path"), py::arg("seed"), py::arg("run"));
}

}  // namespace updraft::python
