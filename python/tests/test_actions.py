"""Rounds that allow only some actions; actions that are paused, resumed and retired."""

import copy
import pickle

import numpy as np
import pytest
from conftest import SPECS, known

import updraft as ud


def played(policy, environment, rounds, first=0, **allowed):
    """Plays the rounds; the actions taken."""
    taken = []
    for t in range(first, first + rounds):
        taken.append(policy.select(**allowed))
        policy.update(taken[-1], environment.draw(t, taken[-1]))
    return taken


@pytest.fixture
def made(gaussian):
    def make(spec, rounds=60):
        environment = gaussian.environment(seed=3)
        policy = ud.policy(spec, **known(gaussian, 300, environment))
        played(policy, environment, rounds)
        return policy, environment

    return make


@pytest.mark.parametrize("name", SPECS)
def test_every_policy_takes_allowed_actions_only(made, name):
    policy, environment = made(SPECS[name], rounds=0)
    assert set(played(policy, environment, 40, allowed=[1, 4])) == {1, 4}
    assert set(played(policy, environment, 5, allowed={7})) == {7}
    mask = np.zeros(policy.actions, bool)
    mask[[0, 2]] = True
    assert set(played(policy, environment, 20, allowed=mask)) <= {0, 2}


def test_the_probability_is_that_of_the_choice_among_the_allowed(made):
    policy, _ = made("up_ts", rounds=40)
    for _ in range(20):
        said = policy.explain(allowed=[2, 0])["probability"]
        assert said.sum() == pytest.approx(1.0) and set(said.nonzero()[0]) <= {0, 2}
        decision = policy.decide(allowed=[2, 0])
        assert decision.probability == said[decision.action]


def test_naming_all_actions_changes_nothing(made):
    policy, environment = made("up_ts")
    other, same = made("up_ts")
    assert played(policy, environment, 50, first=60) == played(
        other, same, 50, first=60, allowed=range(policy.actions)
    )


def test_actions_are_paused_resumed_and_retired(made):
    policy, environment = made("up_ts")
    best = int(policy.pulls.argmax())
    policy.pause(best)
    assert policy.action_status[best] == "paused"
    assert best not in played(policy, environment, 50)
    assert policy.explain()["probability"][best] == 0.0
    policy.resume(best)
    assert best in played(policy, environment, 50)
    policy.retire(best)
    assert best not in played(policy, environment, 50)
    with pytest.raises(ValueError, match=f"action = {best}: is retired, and never returns"):
        policy.resume(best)
    with pytest.raises(ValueError, match="allowed: every action in it is paused or retired"):
        policy.select(allowed=[best])
    policy.update(best, environment.draw(0, best))  # what was outstanding still counts


def test_the_last_action_stays(made):
    policy, _ = made("ts")
    for action in range(policy.actions - 1):
        policy.pause(action)
    last = policy.actions - 1
    for call in (policy.pause, policy.retire):
        with pytest.raises(ValueError, match=f"action = {last}: is the last active action"):
            call(last)
    assert policy.select() == last


def test_pickles_and_copies_keep_what_is_paused(made):
    policy, environment = made("up_ts")
    policy.pause(3)
    policy.retire(5)
    for other in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert other.action_status == policy.action_status
        decisions = [copy.deepcopy(policy).decide() for _ in range(3)]
        assert [d.action for d in decisions] == [copy.deepcopy(other).decide().action] * 3


def test_evidence_leaves_out_what_is_paused(made):
    policy, environment = made("up_ts")
    evidence = ud.Evidence(policy, control=0, holdout=0.2, probe=0.3)
    policy.pause(4)
    for t in range(60):
        decision = evidence.decide()
        assert decision.action != 4
        evidence.update(decision, environment.draw(t, decision.action))
    assert evidence.paused == [4]
    policy.resume(4)
    evidence.decide()
    assert evidence.paused == []


@pytest.mark.parametrize(
    "allowed, message",
    [([], "allowed: must have at least one action"),
     ([10], "allowed = 10: must be below the number of actions, 10"),
     ([True, False], "length of allowed = 2: a mask must have one bool per action, 10"),
     ([1, 1], "repeated"),
     ([0.5], "integers")])
def test_what_cannot_be_is_refused(made, allowed, message):
    policy, _ = made("up_ts", rounds=20)
    decisions = policy.decisions
    with pytest.raises(ValueError, match=message):
        policy.select(allowed=allowed)
    assert policy.decisions == decisions


def test_contextual_policies_take_allowed_actions_only():
    policy = ud.context("lin_up_ucb(beta=1)", features=2, actions=3)
    X = [[1.0, 0.2], [1.0, 0.9]]
    for allowed in ([2], [0, 2], [1]) * 5:
        action = policy.select(X, affected=[[0], [1], [0, 1]], allowed=allowed)
        assert action in allowed
        policy.update(X, action, [0.1, 0.7], affected=[[0], [1], [0, 1]])
    policy.pause(1)
    assert policy.select(X, affected=[[0], [1], [0, 1]]) != 1


def test_targeting_has_no_actions():
    policy = ud.targeting("c2_up_ucb(beta=2)", features=2, budget=1)
    with pytest.raises(ValueError, match="allowed: must be absent"):
        policy.select([[1.0, 0.2]], allowed=[0])
    with pytest.raises(ValueError, match="has treatments, not actions"):
        policy.pause(0)
    with pytest.raises(AttributeError):
        policy.action_status
