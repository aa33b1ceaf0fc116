"""Contextual policies."""

import copy
import pickle

import numpy as np
import pytest
from conftest import CONTEXT_SPECS, established

import updraft as ud

FEATURES, ACTIONS, VARIABLES = 3, 4, 12
UPLIFTS = np.array([0.0, 0.2, 0.9, 0.4])  # per unit of the first feature


def rounds(count, seed=1):
    """Contexts; action 2 gains most, on the variables with a first feature."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        X = rng.uniform(size=(VARIABLES, FEATURES))
        X[rng.uniform(size=VARIABLES) < 0.5, 0] = 0.0
        noise = 0.1 * rng.normal(size=VARIABLES)
        yield X, X @ [0.0, 0.5, 0.3], [np.flatnonzero(X[:, 0])] * ACTIONS, noise


def shown(spec, baseline, affected):
    given = {} if "max_affected" in spec or "lin_ucb" in spec else {"affected": affected}
    return {**given, "baseline": baseline} if "_bl" in spec else given


def play(policy, count, seed=1):
    taken = []
    for X, baseline, affected, noise in rounds(count, seed):
        known = shown(policy.spec, baseline, affected)
        taken.append(policy.select(X, **known))
        known.pop("baseline", None)
        policy.update(X, taken[-1], baseline + UPLIFTS[taken[-1]] * X[:, 0] + noise, **known)
    return taken


def made(spec):
    return ud.context(spec, features=FEATURES, actions=ACTIONS)


def test_every_contextual_policy_is_listed_here():
    assert set(CONTEXT_SPECS) == established("contextual")


SPECS = [*CONTEXT_SPECS.values(), "lin_up_ucb(beta=1, max_affected=6)"]


@pytest.mark.parametrize("spec", SPECS)
def test_it_learns_and_explains_itself(spec):
    policy = made(spec)
    taken = play(policy, 200)
    assert np.bincount(taken).argmax() == 2
    assert policy.decisions == policy.observations == 200
    assert policy.features == FEATURES and policy.actions == ACTIONS
    assert policy.knowledge == {"features": FEATURES, "actions": ACTIONS}
    assert list(policy.pulls) == list(np.bincount(taken, minlength=ACTIONS))
    assert f"{policy.spec}: 3 features, 4 actions, rounds seen 200" in repr(policy)

    X, baseline, affected, _ = next(rounds(1, seed=9))
    known = shown(spec, baseline, affected)
    explained = policy.explain(X, **known)
    assert list(explained["pulls"]) == list(np.bincount(taken, minlength=ACTIONS))
    assert explained["chosen"].argmax() == explained["index"].argmax() == policy.select(X, **known)
    decision = policy.decide(X, **known)
    assert (decision.number, decision.probability) == (201, 1.0)
    assert decision.action == explained["chosen"].argmax()
    with pytest.raises(AttributeError, match="treatments"):
        decision.treatments
    against_an_action = "max_affected" in spec and "_bl" not in spec
    # Only variables that every action affects have a first feature: without a known baseline,
    # nothing tells what they pay if nothing is done.
    assert ("uplift" in explained) == ("interval" in explained) == ("_bl" in spec)
    assert ("difference" in explained) == ("reference_action" in explained) == against_an_action
    for kind, interval in (("uplift", "interval"), ("difference", "difference_interval")):
        if kind in explained:
            assert (explained[interval][:, 0] <= explained[kind]).all()
            assert (explained[kind] <= explained[interval][:, 1]).all()
    truth = baseline.sum() + UPLIFTS[2] * X[:, 0].sum()
    assert explained["reward"][2] == pytest.approx(truth, rel=0.1)
    assert explained["reward"].shape == (ACTIONS,)
    assert len(explained["reason"]) == ACTIONS
    assert ("identified" in explained) == ("max_affected" in spec)


@pytest.mark.parametrize("spec", SPECS)
def test_it_is_kept_as_it_is(spec, tmp_path):
    policy = made(spec)
    play(policy, 50)
    ud.save(policy, tmp_path / "policy")
    expected = None
    for again in (policy, copy.deepcopy(policy), pickle.loads(pickle.dumps(policy)),
                  ud.load(tmp_path / "policy")):
        assert again.kind == "contextual"
        after = play(again, 30, seed=2)
        expected = expected or after
        assert after == expected


def test_before_any_feedback_nothing_is_believed():
    X, _, affected, _ = next(rounds(1))
    explained = made("lin_up_ucb(beta=1)").explain(X, affected=affected)
    assert np.isinf(explained["index"]).all()
    assert not {"reward", "uplift", "interval", "difference"} & set(explained)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"X": np.ones(3)}, r"shape of X = \(3,\): must have 2 dimensions"),
        ({"X": np.ones((2, 2))}, "features"),
        ({"X": np.full((2, 3), np.nan)}, "nan"),
        ({"X": None}, "X: must be given"),
        ({"affected": None}, "affected"),
        ({"affected": [[0], [1]]}, "affected"),
        ({"affected": [[0], [1], [0], [7]]}, "7"),
    ],
)
def test_contexts_that_cannot_be_are_refused(change, message):
    policy = made("lin_up_ucb(beta=1)")
    given = {"X": np.ones((2, 3)), "affected": [[0], [1], [0], [1]], **change}
    with pytest.raises(ValueError, match=message):
        policy.select(**given)
    assert policy.decisions == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("up_ucb(alpha=1)", 3, 4), "up_ucb"),
        (("lin_up_ucb", 3, 4), "beta"),
        (("lin_up_ucb(beta=1)", 0, 4), "features"),
        (("lin_up_ucb(beta=1)", 3, -1), "actions = -1"),
    ],
)
def test_policies_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ud.context(*arguments)
