"""Monitors of policies: what they see, what they say, what they refuse."""

import copy
import gc
import pickle

import numpy as np
import pytest

import updraft as ud

SETS = {"actions": 3, "variables": 6, "affected": [[0, 1], [2, 3], [4, 5]]}


def play(policy, rounds, outside=0.0, seed=1):
    """Normal payoffs; action 0 moves its own variables by 1, and variable 4 by `outside`."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        action = policy.select()
        payoffs = rng.normal(size=6)
        if action == 0:
            payoffs[:2] += 1.0
            payoffs[4] += outside
        policy.update(action, payoffs)


@pytest.mark.parametrize("outside", [0.0, 2.0])
def test_it_warns_of_variables_outside_the_sets_and_of_nothing_else(outside):
    policy = ud.policy("up_ucb_bl(alpha=1)", baseline=[0.0] * 6, **SETS)
    monitor = policy.monitor(action_names=["news", "call", "mail"], variable_names=list("abcdef"))
    play(policy, 600, outside)
    found = monitor.warnings()
    if outside == 0.0:
        assert found == []
        return
    assert [(w["kind"], w["action"]) for w in found] == [("outside_declared", 0)]
    assert found[0]["message"].startswith("Action 'news' seems to move 1 variable outside")
    assert "most of all 'e'" in found[0]["message"]
    assert "Make a new policy" in found[0]["advice"]


def test_it_says_that_the_scale_is_off():
    policy = ud.policy("ucb(alpha=1e-9)", actions=3, variables=6)
    monitor = policy.monitor()
    play(policy, 100)
    assert [(w["kind"], w["action"]) for w in monitor.warnings()] == [("scale", None)]


def test_estimates_are_those_of_the_policy():
    policy = ud.policy("up_ts", **SETS)
    monitor = policy.monitor()
    before = monitor.estimates()
    assert np.isnan(before["estimate"]).all() and np.isnan(before["interval"]).all()
    play(policy, 50)
    now, explained = monitor.estimates(), policy.explain()
    assert now["quantity"] == "uplift" and now["interval_text"] == "95 % confidence intervals"
    assert now["quantity_text"].startswith("The uplift of an action is")
    assert np.array_equal(now["estimate"], explained["uplift"])
    assert np.array_equal(now["interval"], explained["interval"])
    assert np.array_equal(now["decided"], policy.pulls)
    assert "reference_action" not in now


def test_differences_have_a_reference():
    policy = ud.policy("up_ucb_l(alpha=1)", actions=3, variables=6, max_affected=2)
    monitor = policy.monitor()
    play(policy, 30)
    now = monitor.estimates()
    assert now["quantity"] == "difference"
    assert now["reference_action"] == policy.pulls.argmax()
    assert "the action with most payoffs so far" in now["quantity_text"]


def test_the_history_has_a_point_per_event_at_first():
    policy = ud.policy("up_ucb(alpha=1)", **SETS)
    play(policy, 10)
    monitor = policy.monitor()
    assert len(monitor.history()["decisions"]) == 0
    play(policy, 20)
    history = monitor.history()
    assert list(history["decisions"]) == [(j + 2) // 2 for j in range(40)]  # only what it saw
    assert list(history["observations"]) == [(j + 1) // 2 for j in range(40)]
    assert history["decided"].shape == history["estimate"].shape == (40, 3)
    assert history["interval"].shape == (40, 3, 2)
    assert (history["decided"].sum(axis=1) == history["decisions"]).all()
    assert np.array_equal(history["estimate"][-1], monitor.estimates()["estimate"])
    play(policy, 2000)
    assert len(monitor.history()["decisions"]) <= 256


def test_decisions_are_the_same_with_a_monitor():
    plain, watched = ud.policy("up_ts", **SETS), ud.policy("up_ts", **SETS)
    monitor = watched.monitor()
    for policy in (plain, watched):
        play(policy, 100)
    assert pickle.dumps(plain) == pickle.dumps(watched)
    assert plain.decide().action == watched.decide().action
    assert monitor.estimates()["decided"].sum() == 101


def test_sparse_payoffs_may_come_in_any_order():
    monitors = []
    for order in ([0, 2, 5], [5, 0, 2]):
        policy = ud.policy("up_ucb(alpha=1)", **SETS)
        monitors.append(policy.monitor())
        for action in range(3):
            policy.update(action, (order, [1.0 + i for i in order]))
    one, other = (m.estimates() for m in monitors)
    assert np.array_equal(one["estimate"], other["estimate"], equal_nan=True)
    assert monitors[0].warnings() == monitors[1].warnings()


def test_totals_are_refused_as_long_as_there_is_a_monitor():
    policy = ud.policy("ucb(alpha=1)", actions=2, variables=3)
    monitor = policy.monitor()
    with pytest.raises(ValueError, match="the policy has a monitor"):
        policy.update(0, 3.0)
    assert policy.observations == 0
    del monitor
    gc.collect()
    policy.update(0, 3.0)
    assert policy.observations == 1


def test_names_must_be_one_for_each():
    policy = ud.policy("up_ts", **SETS)
    with pytest.raises(ValueError, match="action_names = 1 names: must be one for each of 3"):
        policy.monitor(action_names=["news"])


def test_a_monitor_keeps_its_policy_and_copies_have_none():
    monitor = ud.policy("up_ts", **SETS).monitor()
    gc.collect()
    assert repr(monitor) == "<updraft.Monitor of up_ts>"
    policy = ud.policy("up_ucb(alpha=1)", **SETS)
    monitor = policy.monitor()
    play(copy.copy(policy), 10)
    assert monitor.estimates()["decided"].sum() == 0
