"""Policies driven from Python decide as the plain references do (tests/reference)."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import TARGETING_SPECS, CONTEXT_SPECS, SPECS

import updraft as ud

CASES, ROUNDS = 24, 100


@pytest.fixture(scope="session")
def cases():
    """What references saw, chose and observed on random cases."""
    program = os.environ.get("UPDRAFT_REFERENCE")
    if not program:
        pytest.skip("the references were not built (UPDRAFT_REFERENCE)")

    def of(policy, rounds):
        done = subprocess.run(
            [program, policy, str(CASES), str(rounds)], check=True, capture_output=True, text=True
        )
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(found) == CASES
        return found

    return of


@pytest.mark.parametrize("name", [name for name in SPECS if name != "auto"])
@pytest.mark.parametrize("form", ["dense", "sparse", "list"])
def test_actions(cases, name, form):
    decisions = different = 0
    for case in cases(name, ROUNDS):
        policy = ud.policy(case["spec"], **case["known"], seed=case["seed"], run=case["seed"])
        for played in case["rounds"]:
            chosen = policy.select()
            assert chosen in played["allowed"], case["spec"]
            if not case["ties"]:
                decisions += 1
                different += chosen != played["action"]
            payoffs = np.array(played["payoffs"])
            if form == "sparse":
                paying = np.flatnonzero(payoffs)
                policy.update(played["action"], (paying, payoffs[paying]))
            else:
                policy.update(played["action"], payoffs if form == "dense" else played["payoffs"])
    assert decisions > 100 and different <= 0.01 * decisions


@pytest.mark.parametrize("name", TARGETING_SPECS)
def test_targeting(cases, name):
    decisions = different = 0
    for case in cases(name, ROUNDS // 4):
        policy = ud.targeting(
            case["spec"], case["features"], case["budget"], case["treatments"],
            seed=case["seed"], run=case["seed"],
        )
        for played in case["rounds"]:
            X = np.reshape(played["features"], (-1, case["features"]))
            chosen = policy.select(X, played["baseline"])
            policy.update(X, played["treated"], played["payoffs"])
            if not case["ties"]:
                decisions += 1
                different += list(chosen) != played["treated"]
    assert decisions > 100 and different <= 0.01 * decisions


@pytest.mark.parametrize("name", CONTEXT_SPECS)
def test_contexts(cases, name):
    decisions = different = 0
    for case in cases(name, ROUNDS):
        policy = ud.context(case["spec"], case["features"], case["actions"])
        for played in case["rounds"]:
            X = np.reshape(played["features"], (-1, case["features"]))
            sets = played["affected"] if case["sets"] else None
            known = {"baseline": played["baseline"]} if name.endswith("_bl") else {}
            chosen = policy.select(X, affected=sets, **known)
            policy.update(X, played["action"], played["payoffs"], affected=sets)
            if not case["ties"]:
                decisions += 1
                different += chosen != played["action"]
    assert decisions > 100 and different <= 0.01 * decisions
