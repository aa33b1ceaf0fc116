import json
import os
import subprocess

import pytest

import updraft as ud

# For each policy a spec with all parameters that it must be given.
SPECS = {
    "auto": "auto",
    "ucb": "ucb(alpha=2)",
    "ts": "ts(sigma2=50)",
    "up_ts_bl": "up_ts_bl",
    "up_ts": "up_ts",
    "up_ts_sparse_bl": "up_ts_sparse_bl",
    "up_ts_sparse": "up_ts_sparse",
    "up_ucb_cv_bl": "up_ucb_cv_bl",
    "up_ucb_cv": "up_ucb_cv",
    "up_ucb_bl": "up_ucb_bl(alpha=2)",
    "up_ucb": "up_ucb(alpha=3)",
    "up_ucb_l_bl": "up_ucb_l_bl(alpha=2)",
    "up_ucb_l": "up_ucb_l(alpha=2)",
    "up_ucb_ilift_bl": "up_ucb_ilift_bl(alpha=0.5)",
    "up_ucb_ilift": "up_ucb_ilift(alpha=0.5)",
    "up_ucb_l_ilift_bl": "up_ucb_l_ilift_bl(alpha=2)",
    "up_ucb_pad_bl": "up_ucb_pad_bl(alpha=2)",
    "up_ucb_explore_bl": "up_ucb_explore_bl(alpha=0.01)",
    "up_ucb_obs": "up_ucb_obs(alpha=2, observations=50)",
}

TARGETING_SPECS = {
    "c2_up_ucb": "c2_up_ucb(beta=2)",
    "c2_up_ucb_bl": "c2_up_ucb_bl(beta=2, model=logistic)",
    "c2_ucb": "c2_ucb(beta=1)",
    "greedy": "greedy",
    "greedy_bl": "greedy_bl",
    "eps_greedy": "eps_greedy(eps=0.2)",
    "eps_greedy_bl": "eps_greedy_bl(eps=0.2)",
    "random": "random",
}

CONTEXT_SPECS = {
    "lin_up_ucb": "lin_up_ucb(beta=1)",
    "lin_up_ucb_bl": "lin_up_ucb_bl(beta=1)",
    "lin_ucb": "lin_ucb(beta=1)",
}


def established(kind):
    """The names of the policies of a kind that have a plain reference (tests/reference)."""
    return {policy["name"] for policy in ud.policies(kind) if policy["status"] != "experimental"}


def known(instance, rounds, environment=None):
    """Everything that policies may know of an instance, observations included."""
    environment = environment or instance.environment()
    return {**instance.knowledge(rounds), "observations": environment.observe_baseline(50)}


@pytest.fixture(scope="session")
def gaussian():
    return ud.instance("gaussian")


@pytest.fixture(scope="session")
def run_cli():
    """Runs the command line and reads its JSON."""
    program = os.environ.get("UPDRAFT_CLI")
    if not program:
        pytest.skip("the command line was not built (UPDRAFT_CLI)")

    def run(*arguments):
        done = subprocess.run(
            [program, *arguments, "--json"], check=True, capture_output=True, text=True
        )
        return json.loads(done.stdout)

    return run
