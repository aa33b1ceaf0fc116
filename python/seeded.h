#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "arrays.h"
#include "updraft/stream.h"

namespace updraft {
class Monitor;
}

namespace updraft::python {

/// A policy of the library with where its draws come from, which the library leaves to the caller.
template <typename Learner>
struct Seeded {
  std::unique_ptr<Learner> policy;
  std::uint64_t seed = 1;
  std::uint32_t run = 0;
  std::vector<std::weak_ptr<Monitor>> monitors = {};  ///< see every decision and every update

  Stream stream() const { return {seed, run, Purpose::kPolicy}; }
};

template <typename Learner>
Seeded<Learner> seeded(std::unique_ptr<Learner> policy, py::handle seed, py::handle run) {
  constexpr WholeRange kSeeds = {0, std::numeric_limits<std::uint64_t>::max()};
  return {.policy = std::move(policy),
          .seed = whole_number("seed", seed, kSeeds),
          .run = static_cast<std::uint32_t>(whole_number("run", run))};
}

/// How the library keeps one kind of policies.
template <typename Learner>
struct Keeping {
  void (*save_file)(const Learner& policy, const std::filesystem::path& path);
  void (*save)(const Learner& policy, std::ostream& out);
  std::unique_ptr<Learner> (*load)(std::istream& in);
};

/// What all kinds of policies have: counts, the seed, saving, and pickling (so copying) with the
/// seed.
template <typename Learner>
void bind_common(py::module_& module, py::class_<Seeded<Learner>>& type, Keeping<Learner> keeping) {
  using Self = Seeded<Learner>;
  module.def(
      "save",
      [keeping](const Self& self, const std::filesystem::path& path) {
        keeping.save_file(*self.policy, path);
      },
      py::arg("policy"), py::arg("path"));
  type.def_property_readonly(
          "spec", [](const Self& self) { return self.policy->spec().text(); },
          "The policy and its parameters, as text.")
      .def_property_readonly(
          "decisions", [](const Self& self) { return self.policy->decisions(); },
          "Calls of select() so far.")
      .def_property_readonly(
          "observations", [](const Self& self) { return self.policy->observations(); },
          "Rounds seen: calls of update() so far.")
      .def_readonly("seed", &Self::seed, "Where the policy's own draws come from.")
      .def_readonly("run", &Self::run, "Draws of different runs are independent.")
      .def(py::pickle(
          [keeping](const Self& self) {
            std::ostringstream out;
            keeping.save(*self.policy, out);
            return py::make_tuple(py::bytes(out.str()), self.seed, self.run);
          },
          [keeping](const py::tuple& state) {
            std::istringstream in(state[0].cast<std::string>());
            return seeded(keeping.load(in), state[1], state[2]);
          }));
}

}  // namespace updraft::python
