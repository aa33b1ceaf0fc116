"""Decisions from Python are those of the command line and of simulations."""

import numpy as np
import pytest
from conftest import SPECS, established, known

import updraft as ud

ROUNDS = 300


def drive(policy, environment, rounds):
    """Plays the rounds with dense payoffs; the actions taken."""
    taken = []
    for t in range(rounds):
        taken.append(policy.select())
        policy.update(taken[-1], environment.draw(t, taken[-1]))
    return taken


def test_every_policy_is_listed_here():
    assert set(SPECS) == established("plain")
    assert ud.policies() == ud.policies("plain")
    for kind in ("plain", "targeting", "contextual"):
        assert {policy["kind"] for policy in ud.policies(kind)} == {kind}
    with pytest.raises(ValueError, match="kind = targetting: .*did you mean targeting"):
        ud.policies("targetting")


def check_a_loop_against_a_simulation(instance, spec, rounds):
    seed, run = 7, 2
    result = ud.simulate(instance, spec, rounds=rounds, runs=run + 1, seed=seed)
    environment = instance.environment(seed=seed, run=run)
    knowledge = known(instance, rounds, environment)
    policy = ud.policy(spec, **knowledge, seed=seed, run=run)
    regret = 0.0
    for action in drive(policy, environment, rounds):
        regret += instance.gaps[action]
    assert regret == result["runs"][0, run]
    assert policy.spec == result["policy"][0]


@pytest.mark.parametrize("name", SPECS)
def test_a_loop_in_python_takes_the_actions_of_a_simulation(gaussian, name):
    check_a_loop_against_a_simulation(gaussian, SPECS[name], ROUNDS)


@pytest.mark.parametrize("spec", ["ucb(alpha=7e-7)", "up_ts", "up_ucb_l(alpha=8e-4)"])
def test_the_same_with_payoffs_of_0_and_1(spec):
    check_a_loop_against_a_simulation(ud.instance("criteo"), spec, rounds=60)


CONTEXT_SPECS = ["lin_up_ucb(beta=1)", "lin_up_ucb_bl(delta=0.05)", "lin_ucb(beta=0.5)"]


@pytest.mark.parametrize(
    "instance, specs",
    [("gaussian-weak", list(SPECS.values())), ("marketing", list(SPECS.values())),
     ("contextual-linear", CONTEXT_SPECS),
     ("contextual-linear(actions=3, groups=4, variables=9, noise_sd=0.5)", CONTEXT_SPECS)])
def test_simulate_gives_the_numbers_of_the_command_line(run_cli, instance, specs):
    said = run_cli("simulate", "--instance", instance, "--policy", *specs, "--rounds", "150",
                   "--runs", "3", "--seed", "5", "--curve-points", "7", "--quiet")
    result = ud.simulate(instance, specs, rounds=150, runs=3, seed=5, curve_points=7)
    for row, policy in enumerate(said["policies"]):
        assert result["policy"][row] == policy["spec"]
        for key in ("mean", "sd", "stderr", "p95"):
            assert result[key][row] == policy["final_regret"][key]
        assert list(result["runs"][row]) == policy["final_regret"]["runs"]
        assert list(result["pulls"][row]) == policy["pulls"]
        assert list(result["curve_round"]) == policy["curve"]["round"]
        for key in ("mean", "stderr", "p95"):
            assert list(result[f"curve_{key}"][row]) == policy["curve"][key]


def test_bounds_are_those_of_the_command_line(run_cli):
    said = run_cli("bounds", "--instance", "gaussian", "--rounds", "5000", "--delta", "0.1",
                   "--max-affected", "15")
    found = ud.bounds("gaussian", rounds=5000, delta=0.1, max_affected=15)
    assert found == {bound["name"]: bound["value"] for bound in said["bounds"]}


@pytest.mark.parametrize("name", SPECS)
def test_every_policy_explains_itself(gaussian, name):
    policy = ud.policy(SPECS[name], **known(gaussian, ROUNDS))
    before = policy.explain()
    taken = drive(policy, gaussian.environment(), 40)
    after = policy.explain()
    for explained in (before, after):
        for key in ("pulls", "index", "radius"):
            assert explained[key].shape == (gaussian.actions,)
    assert list(after["pulls"]) == list(np.bincount(taken, minlength=gaussian.actions))
    assert list(policy.pulls) == list(after["pulls"])
    assert not np.isnan(after["index"]).any()  # infinite where an action has been eliminated
    assert policy.decisions == policy.observations == 40
    assert policy.spec in repr(policy) and "rounds seen 40" in repr(policy)


def test_what_is_explained():
    knowledge = ud.instance("gaussian").knowledge(1000)
    environment = ud.instance("gaussian").environment()

    unknown_sets = ud.policy("up_ucb_l(alpha=2)", **knowledge)
    drive(unknown_sets, environment, 200)
    explained = unknown_sets.explain()
    assert len(explained["identified"]) == len(explained["padding"]) == 10
    assert all(ids.dtype == np.int64 for ids in explained["identified"])
    assert explained["reference_action"] == unknown_sets.pulls.argmax()
    assert "uplift" not in explained  # over that action, which may affect the variables, too
    assert explained["difference"][explained["reference_action"]] == 0.0

    learnt_noise = ud.policy("up_ts", **knowledge)
    drive(learnt_noise, environment, 200)
    explained = learnt_noise.explain()
    assert explained["interval"].shape == (10, 2)
    assert (explained["interval"][:, 0] < explained["interval"][:, 1]).all()
    assert explained["probability_best"].sum() == pytest.approx(1.0)
    assert explained["weights"].shape[0] == 10
    assert explained["degrees_of_freedom"] > 0
    assert 0.0 <= explained["shrinkage"] <= 1.0

    eliminating = ud.policy("up_ucb_ilift(alpha=0.5)", **knowledge)
    assert eliminating.explain()["active"].all()


def test_nothing_is_claimed_of_noise_that_no_round_shows():
    policy = ud.policy("up_ts", actions=2, variables=1, affected=[[0], [0]])
    policy.update(0, [1.0])
    policy.update(1, [2.0])
    explained = policy.explain()
    for key in ("probability_best", "difference_error"):
        assert key not in explained
    assert np.isinf(explained["difference_interval"]).all()
    policy.update(0, [1.5])
    assert (policy.explain()["probability_best"] < 1.0).all()


def test_a_payoff_is_no_uplift():
    """Three actions that all move every variable: the uplifts are 65.7, 131.3 and 197, and a reward
    is not one of them. The intervals of the differences hold the truth in 95 % of the runs."""
    uplifts = np.array([1.0, 2.0, 3.0]) * 197 / 3
    held, runs = np.zeros(2), 400
    for run in range(runs):
        rng = np.random.default_rng(run)
        policy = ud.policy("up_ts", actions=3, variables=4, affected=[range(4)] * 3)
        for day in range(60):
            policy.update(day % 3, rng.normal((751 + uplifts[day % 3]) / 4, 1.0, size=4))
        explained = policy.explain()
        for key in ("uplift", "standard_error", "interval"):
            assert key not in explained
        low, high = explained["difference_interval"][1:].T
        held += (low <= uplifts[1:] - uplifts[0]) & (uplifts[1:] - uplifts[0] <= high)
    assert explained["reward"] == pytest.approx(751 + uplifts, abs=3)
    assert explained["reference_action"] == 0
    assert explained["difference"] == pytest.approx(uplifts - uplifts[0], abs=4)
    assert explained["difference_error"][0] == 0.0 and (explained["difference_error"][1:] > 0).all()
    assert explained["probability_best"][2] == 1.0
    # A standard deviation of 1.1 % for each.
    assert (0.93 <= held / runs).all() and (held / runs <= 0.98).all(), held / runs

    known = ud.policy("up_ts_bl", actions=3, variables=4, affected=[range(4)] * 3, baseline=[187.75] * 4)
    for day in range(60):
        known.update(day % 3, rng.normal((751 + uplifts[day % 3]) / 4, 1.0, size=4))
    assert known.explain()["uplift"] == pytest.approx(uplifts, abs=3)


def test_a_decision_is_what_select_gives_with_its_probability():
    given = dict(actions=3, variables=6, affected=[[0, 1], [2, 3], [4, 5]])
    deciding, selecting = ud.policy("up_ts", **given), ud.policy("up_ts", **given)
    rng = np.random.default_rng(1)
    drawn = 0
    for round in range(60):
        expected = deciding.explain()["probability"]
        decision = deciding.decide()
        assert decision.action == selecting.select()
        assert decision.number == round and decision.revision >= 1
        assert decision.probability == expected[decision.action]
        assert expected.sum() == 1.0
        drawn += 0.0 < decision.probability < 1.0
        payoffs = rng.normal(size=6)
        deciding.update(decision.action, payoffs)
        selecting.update(decision.action, payoffs)
    assert drawn > 30
    assert repr(decision) == (
        f"Decision(number=59, action={decision.action}, probability={decision.probability})"
    )


def test_a_policy_that_does_not_draw_has_probability_1():
    p = ud.policy("ucb(alpha=1)", actions=3, variables=2)
    assert [p.decide().probability for _ in range(3)] == [1.0, 1.0, 1.0]
