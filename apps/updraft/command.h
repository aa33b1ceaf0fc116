#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace updraft::cli {

/// A command of the program: its options, and what it does once they are read. `run` throws
/// InvalidInput for bad input; any other exception is a failure.
struct Command {
  CLI::App* options = nullptr;
  std::function<void()> run;
};

/// `updraft policies [NAME]`: lists policies or describes one.
Command add_policies_command(CLI::App& program);
/// `updraft instance [NAME|FILE]`: lists instances or shows one.
Command add_instance_command(CLI::App& program);
/// `updraft simulate`: simulates policies on an instance.
Command add_simulate_command(CLI::App& program);
/// `updraft evaluate LOG`: what other policies would have paid, from a decision log.
Command add_evaluate_command(CLI::App& program);
/// `updraft run EXPERIMENT`: tunes and compares policies, draws figures, judges claims; also
/// suites.
Command add_run_command(CLI::App& program);
/// `updraft merge DIR...`: joins the shards of an experiment or a suite.
Command add_merge_command(CLI::App& program);
/// `updraft paper`: the suite of the paper's experiments, with its verdicts.
Command add_paper_command(CLI::App& program);
/// `updraft figure DIR`: draws the figures of results again.
Command add_figure_command(CLI::App& program);
/// `updraft build-instance CSV`: builds a response model file or an instance file from data.
Command add_build_instance_command(CLI::App& program);
/// `updraft serve`: serves campaigns over HTTP.
Command add_serve_command(CLI::App& program);
/// `updraft pay CAMPAIGN`: sends payoffs from a database or a CSV file to a service.
Command add_pay_command(CLI::App& program);
/// `updraft store`: checks, exports from and imports into the store of the service.
Command add_store_command(CLI::App& program);
/// `updraft bounds`: evaluates the regret bounds of the theory on an instance.
Command add_bounds_command(CLI::App& program);

}  // namespace updraft::cli
