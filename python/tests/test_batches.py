"""Several decisions at once."""

import numpy as np
import pytest
from conftest import CONTEXT_SPECS, SPECS, known

import updraft as ud

ROUNDS = 120


def learned(gaussian, spec):
    environment = gaussian.environment(seed=3)
    policy = ud.policy(spec, **known(gaussian, 300, environment))
    for t in range(ROUNDS):
        action = policy.select()
        policy.update(action, environment.draw(t, action))
    return policy


@pytest.mark.parametrize("name", SPECS)
def test_a_batch_begins_with_the_decision_and_counts_every_other(gaussian, name):
    one, other, third = (learned(gaussian, SPECS[name]) for _ in range(3))
    actions = one.select(20)
    assert actions.dtype == np.int64 and actions.shape == (20,)
    assert one.decisions == ROUNDS + 20
    decisions = other.decide(count=20)
    assert [decision.action for decision in decisions] == list(actions)
    assert [decision.number for decision in decisions] == list(range(ROUNDS, ROUNDS + 20))
    assert all(0 < decision.probability <= 1 for decision in decisions)
    first = third.decide()
    assert (first.action, first.probability) == (decisions[0].action, decisions[0].probability)
    assert list(third.select(1, allowed=[3])) == [3]


def test_a_batch_of_ucb_spreads():
    policy = ud.policy("ucb(alpha=1)", actions=3, variables=1)
    for payoff in [1.0, 1.0, 0.5]:
        policy.update(policy.select(), [payoff])
    assert set(policy.select(6)) == {0, 1, 2}


def test_paused_actions_are_in_no_batch(gaussian):
    policy = learned(gaussian, "ts(sigma2=50)")
    policy.pause(2)
    assert 2 not in policy.select(50)
    monitor = policy.monitor()
    policy.select(5)
    assert len(policy.decide(3)) == 3
    assert monitor is not None


def test_bad_batches_are_refused(gaussian):
    policy = learned(gaussian, "up_ts")
    for count in (0, -1, 1_000_001):
        with pytest.raises(ValueError, match=f"count = {count}: must be"):
            policy.select(count)
    with pytest.raises(ValueError, match="allowed"):
        policy.decide(2, allowed=[99])
    assert policy.decisions == ROUNDS
    contextual = ud.context(CONTEXT_SPECS["lin_ucb"], actions=2, features=1)
    with pytest.raises(ValueError, match="count = 2: cannot be used: lin_ucb decides by"):
        contextual.select(2)


def test_simulations_in_batches_are_those_of_a_loop(gaussian):
    result = ud.simulate("gaussian", "up_ucb(alpha=3)", rounds=100, runs=1, seed=7, batch=30)
    environment = gaussian.environment(seed=7, run=0)
    policy = ud.policy("up_ucb(alpha=3)", **known(gaussian, 100, environment), seed=7, run=0)
    regret, t = 0.0, 0
    while t < 100:
        actions = policy.select(min(30, 100 - t))
        payoffs = [environment.draw(t + j, int(a)).copy() for j, a in enumerate(actions)]
        for action, row in zip(actions, payoffs):
            policy.update(action, row)
            regret += gaussian.gaps[action]
        t += len(actions)
    assert result["runs"][0, 0] == pytest.approx(regret)
    with pytest.raises(ValueError, match="batch = 0"):
        ud.simulate("gaussian", "ts(sigma2=50)", rounds=10, batch=0)


def test_policies_of_ones_own_decide_a_batch_before_they_learn():
    calls = []

    class Own:
        def __init__(self, actions, variables):
            pass

        def select(self):
            calls.append("select")
            return 0

        def update(self, action, payoffs):
            calls.append("update")

    ud.simulate("gaussian", Own, rounds=5, runs=1, batch=3)
    assert calls == ["select"] * 3 + ["update"] * 3 + ["select"] * 2 + ["update"] * 2
