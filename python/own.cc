#include "own.h"

#include <fmt/format.h>

#include <optional>

#include "arrays.h"
#include "payoffs.h"
#include "updraft/error.h"
#include "updraft/policy.h"

namespace updraft::python {
namespace {

/// Something with objects of Python in it, which may be let go without the interpreter's lock.
template <typename Value>
std::shared_ptr<Value> kept(Value value) {
  return {new Value(std::move(value)), [](Value* pointer) {
            const py::gil_scoped_acquire lock;
            delete pointer;
          }};
}

/// Its actions are checked here, payoffs by Policy.
class OwnPolicy final : public Policy {
 public:
  OwnPolicy(PolicySpec spec, const Knowledge& knowledge, py::object learner)
      : Policy(std::move(spec), knowledge), learner_(kept(std::move(learner))) {}

 private:
  ActionId choose(const Stream&) override {
    const py::gil_scoped_acquire lock;
    const py::object action = learner_->attr("select")();
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(action.ptr()));
    if (!index) {
      clear_conversion_error();
      refuse(action, "must be a whole number");
    }
    const long long id = PyLong_AsLongLong(index.ptr());
    PyErr_Clear();  // -1 if it is too large
    if (id < 0 || id >= static_cast<long long>(actions())) {
      refuse(action, fmt::format("must be below the number of actions, {}", actions()));
    }
    return static_cast<ActionId>(id);
  }

  void absorb(ActionId action, const Payoffs& payoffs) override {
    const py::gil_scoped_acquire lock;
    learner_->attr("update")(action, dense_array(payoffs, variables()));
  }

  [[noreturn]] void refuse(const py::object& action, std::string_view rule) const {
    throw InvalidInput(spec().name() + ".select()", py::str(action).cast<std::string>(), rule);
  }

  void write_statistics(StateWriter&) const override { refuse_state(); }
  void read_statistics(StateReader&) override { refuse_state(); }
  [[noreturn]] void refuse_state() const {
    throw InvalidInput("policy", spec().name(), "is not of the library and has no state to save");
  }

  std::shared_ptr<py::object> learner_;
};

/// One run of an environment of the user's.
class OwnRun final : public Environment {
 public:
  OwnRun(py::object run, std::optional<std::vector<double>> gaps)
      : objects_(kept(Objects{std::move(run), py::module_::import("numpy").attr("sum")})),
        gaps_(std::move(gaps)) {}

  Round begin(std::uint32_t round) override {
    round_ = round;
    return {};
  }

  Payoffs pay(const Decision& decision, const Resolution&) override {
    const py::gil_scoped_acquire lock;
    objects_->drawn = objects_->run.attr("draw")(round_, decision.action);
    return objects_->payoffs.emplace(objects_->drawn).get();
  }

  void measure(const Decision& decision, Measures& sums) override {
    if (gaps_) {
      sums.regret += (*gaps_)[decision.action];
      return;
    }
    const py::gil_scoped_acquire lock;
    const bool sparse = objects_->payoffs->get().kind() == Payoffs::Kind::kSparse;
    const py::object paid = sparse ? py::object(objects_->drawn[py::int_(1)]) : objects_->drawn;
    sums.regret += objects_->sum(paid).cast<double>();
  }

 private:
  struct Objects {
    py::object run;
    py::object sum;         // numpy's
    py::object drawn = {};  // as draw() gave it
    std::optional<GivenPayoffs> payoffs = {};
  };

  std::shared_ptr<Objects> objects_;
  std::optional<std::vector<double>> gaps_;
  std::uint32_t round_ = 0;
};

}  // namespace

PolicySpec own_policy(const py::handle& maker) {
  const auto name = maker.attr("name").cast<std::string>();
  const auto make = kept(py::reinterpret_borrow<py::object>(maker));
  return PolicySpec::own(name, [name, make](const Knowledge& knowledge, std::uint32_t run) {
    const py::gil_scoped_acquire lock;
    return std::make_unique<OwnPolicy>(PolicySpec::own(name, {}), knowledge, (*make)(run));
  });
}

OwnRounds own_rounds(const py::object& world, Knowledge knowledge, std::uint64_t seed) {
  std::optional<std::vector<double>> gaps;
  if (!world.attr("gaps").is_none()) gaps = double_vector("gaps", world.attr("gaps"));
  const auto start = kept(world.attr("environment").cast<py::object>());
  return {.knowledge = std::move(knowledge), .start = [=](std::uint32_t run) {
            const py::gil_scoped_acquire lock;
            return std::make_unique<OwnRun>((*start)(seed, run), gaps);
          }};
}

}  // namespace updraft::python
