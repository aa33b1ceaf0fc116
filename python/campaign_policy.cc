#include "updraft/campaign_policy.h"

#include <fmt/format.h>

#include "arrays.h"
#include "bindings.h"
#include "columns.h"
#include "seeded.h"

namespace updraft::python {
namespace {

using SeededCampaign = Seeded<CampaignPolicy>;

/// A pool with the arrays that it looks at.
class PoolArrays {
 public:
  PoolArrays(py::handle features, py::handle baseline, py::handle uplifts)
      : features_(doubles("X", features, 2)) {
    pool_ = {.features = view(features_), .width = static_cast<std::size_t>(features_.shape(1))};
    if (!baseline.is_none()) {
      baseline_ = doubles("baseline", baseline, 1);
      pool_.baseline = view(baseline_);
    }
    if (!uplifts.is_none()) {
      uplifts_ = doubles("uplifts", uplifts, 2);
      pool_.uplifts = view(uplifts_);
    }
  }

  const Pool& pool() const { return pool_; }

 private:
  Doubles features_;
  Doubles baseline_;
  Doubles uplifts_;
  Pool pool_;
};

py::array_t<std::int64_t> select(SeededCampaign& self, py::handle features, py::handle baseline,
                                 py::handle uplifts) {
  const PoolArrays arrays(features, baseline, uplifts);
  const std::vector<Treatment> chosen = self.policy->select(arrays.pool(), self.stream());
  return integers_of(std::span<const Treatment>(chosen));
}

void update(SeededCampaign& self, py::handle features, py::handle treatments, py::handle payoffs) {
  const PoolArrays arrays(features, py::none(), py::none());
  const std::vector<Treatment> given = whole_numbers("treatments", treatments);
  const Doubles values = doubles("payoffs", payoffs, 1);
  self.policy->observe(arrays.pool(), given, view(values));
}

py::dict explain(const SeededCampaign& self, py::handle features, py::handle baseline,
                 py::handle uplifts) {
  const PoolArrays arrays(features, baseline, uplifts);
  const std::vector<IndividualExplanation> people = self.policy->explain(arrays.pool());
  py::dict out;
  Columns<IndividualExplanation> columns(people, out);
  columns.always("treatment", &IndividualExplanation::treatment);
  columns.always("index", &IndividualExplanation::index);
  columns.if_any("payoff", &IndividualExplanation::payoff);
  columns.intervals("payoff_interval", &IndividualExplanation::payoff_interval);
  columns.if_any("uplift", &IndividualExplanation::uplift);
  columns.intervals("interval", &IndividualExplanation::interval);
  columns.always("chosen", &IndividualExplanation::chosen);
  columns.texts("reason", &IndividualExplanation::reason);
  return out;
}

CampaignShape shape_from(py::handle features, py::handle budget, py::handle treatments) {
  return {.features = whole_number("features", features),
          .treatments = whole_number("treatments", treatments),
          .budget = whole_number("budget", budget)};
}

std::string repr(const SeededCampaign& self) {
  const CampaignShape& shape = self.policy->shape();
  return fmt::format("<updraft.CampaignPolicy {}: {}, {}, budget {}, rounds seen {}>",
                     self.policy->spec().text(), counted(shape.features, "feature"),
                     counted(shape.treatments, "treatment"), shape.budget,
                     self.policy->observations());
}

constexpr const char* kClassDoc =
    R"(A targeting policy: it chooses who of a pool gets which treatment.

Made by updraft.campaign() and updraft.load(). Pools may differ in size from round to round, and
payoffs may come late, out of order or never. The same calls give the same state, bit for bit.
Pickling and copying keep everything, the seed included.)";

constexpr const char* kSelectDoc =
    R"(The treatment of each individual of a pool; 0 means no treatment. Learns nothing.

`X`: individuals x features, at least as many individuals as the budget. `baseline`: the expected
payoff of each individual without treatment, for policies that must know it. `uplifts` (individuals
x treatments): the true uplifts, which only the policy `oracle` uses.)";

constexpr const char* kUpdateDoc =
    R"(Learns from the treatments (0: no treatment) and payoffs of the individuals of a pool.)";

constexpr const char* kExplainDoc =
    R"(The policy's estimates for each individual of a pool, as a dict of arrays.

treatment (the best one), index (by which individuals are compared), chosen and reason. If known for
anyone, with NaN for the others: payoff with that treatment and payoff_interval (individuals x 2),
uplift of that treatment over no treatment and interval (individuals x 2). There are no uplifts if
the policy uses no baseline (c2_ucb). Estimates are known for individuals whose features are a
linear combination of features seen with the treatment and, for an uplift, also without any.)";

}  // namespace

void bind_campaign_policy(py::module_& module) {
  py::class_<SeededCampaign> type(module, "CampaignPolicy", kClassDoc);
  type.def(py::init([](const std::string& spec, const py::tuple& shape, py::handle seed,
                       py::handle run) {
             return seeded(make_campaign_policy(spec, shape_from(shape[0], shape[1], shape[2])),
                           seed, run);
           }),
           py::arg("spec"), py::arg("shape"), py::arg("seed") = 1, py::arg("run") = 0)
      .def("select", &select, py::arg("X"), py::arg("baseline") = py::none(),
           py::arg("uplifts") = py::none(), kSelectDoc)
      .def("update", &update, py::arg("X"), py::arg("treatments"), py::arg("payoffs"), kUpdateDoc)
      .def("explain", &explain, py::arg("X"), py::arg("baseline") = py::none(),
           py::arg("uplifts") = py::none(), kExplainDoc)
      .def_property_readonly(
          "features", [](const SeededCampaign& self) { return self.policy->shape().features; },
          "The number of features of an individual.")
      .def_property_readonly(
          "treatments", [](const SeededCampaign& self) { return self.policy->shape().treatments; },
          "The number of treatments, not counting no treatment.")
      .def_property_readonly(
          "budget", [](const SeededCampaign& self) { return self.policy->shape().budget; },
          "The largest number of individuals that may be treated in a round.")
      .def("__repr__", &repr);
  bind_common<CampaignPolicy>(
      module, type, {&save_campaign_policy, &save_campaign_policy, &load_campaign_policy});
}

}  // namespace updraft::python
