"""Users' own policies and environments in simulations."""

import functools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import SPECS, known

import updraft as ud

OPTIONS = {"rounds": 120, "runs": 3, "seed": 5, "curve_points": 7}
NUMBERS = ("mean", "sd", "stderr", "p95", "runs", "pulls")
NUMBERS += tuple(f"curve_{key}" for key in ("round", "mean", "sd", "stderr", "p95"))


class Wrapped:
    """A policy of the library behind a class of the user's."""

    needs = (
        "baseline", "affected", "max_affected", "min_uplift", "effect_gap", "horizon", "reward_prior",
    )

    def __init__(self, spec, **knowledge):
        self.inner = ud.policy(spec, **knowledge, seed=OPTIONS["seed"])

    def select(self):
        return self.inner.select()

    def update(self, action, payoffs):
        self.inner.update(action, payoffs)


class RoundRobin:
    made = 0

    def __init__(self, actions, variables):
        type(self).made += 1
        self.actions, self.variables, self.action = actions, variables, -1

    def select(self):
        self.action = (self.action + 1) % self.actions
        return self.action

    def update(self, action, payoffs):
        assert action == self.action
        assert payoffs.shape == (self.variables,) and payoffs.dtype == np.float64


def same_numbers(one, other):
    for key in NUMBERS:
        assert np.array_equal(one[key], other[key]), key


@pytest.mark.parametrize("instance", ["gaussian", "marketing"])
def test_the_same_numbers_as_a_policy_of_the_library(instance):
    # ucb draws nothing, so it does not matter that a class of one's own is not told the run
    specs = ["ucb(alpha=2)", "up_ucb(alpha=3)", "up_ucb_l(alpha=2)", "up_ucb_ilift(alpha=0.5)"]
    built_in = ud.simulate(instance, specs, **OPTIONS)
    own = ud.simulate(instance, [functools.partial(Wrapped, spec) for spec in specs], **OPTIONS)
    same_numbers(built_in, own)
    assert own["policy"][0] == "Wrapped('ucb(alpha=2)')"


def test_own_and_built_in_policies_stand_in_the_order_given():
    wrapped = functools.partial(Wrapped, "up_ucb(alpha=3)")
    mixed = ud.simulate("gaussian", ["ucb(alpha=2)", wrapped, "up_ts", RoundRobin], **OPTIONS)
    assert list(mixed["policy"]) == ["ucb(alpha=2)", "Wrapped('up_ucb(alpha=3)')", "up_ts", "RoundRobin"]
    built_in = ud.simulate("gaussian", ["ucb(alpha=2)", "up_ucb(alpha=3)", "up_ts"], **OPTIONS)
    for key in NUMBERS:
        expected = built_in[key] if key == "curve_round" else built_in[key][:3]
        found = mixed[key] if key == "curve_round" else mixed[key][:3]
        assert np.array_equal(found, expected), key
    assert list(mixed["pulls"][3]) == [12.0] * 10
    assert mixed["mean"][3] == pytest.approx(12.0 * ud.instance("gaussian").gaps.sum())
    assert mixed.measure == "regret"
    assert mixed.to_pandas("runs").shape == (12, 3)


def test_a_new_object_plays_each_run_and_a_class_alone_will_do():
    RoundRobin.made = 0
    result = ud.simulate("gaussian", RoundRobin, **OPTIONS)
    assert list(result["policy"]) == ["RoundRobin"]
    assert RoundRobin.made == OPTIONS["runs"] + 1  # one to see whether it can be made


def test_a_policy_is_told_what_it_needs_and_no_more():
    seen = []

    class Curious(RoundRobin):
        name = "curious"
        needs = ["baseline", "horizon", "observations", "rng"]

        def __init__(self, actions, variables, **knowledge):
            super().__init__(actions, variables)
            seen.append(knowledge)

    result = ud.simulate("gaussian", [Curious], rounds=20, runs=2, seed=3)
    assert list(result["policy"]) == ["curious"]
    _, first, second = seen
    assert set(first) == set(Curious.needs)
    assert np.array_equal(first["baseline"], ud.instance("gaussian").baseline)
    assert first["horizon"] == 20
    assert (first["observations"][0] == 1000).all()
    assert first["rng"].random() != second["rng"].random()

    with pytest.raises(ValueError, match="curious.needs = baseline: is not known; known are horizon, rng"):
        ud.simulate("gaussian", [Curious], rounds=20, runs=2, tell=["horizon"])


class OutOfRange(RoundRobin):
    def select(self):
        return 10


class Negative(RoundRobin):
    def select(self):
        return -1


class Huge(RoundRobin):
    def select(self):
        return 2**200


class NoNumber(RoundRobin):
    def select(self):
        return 1.5


class Silent:
    def __init__(self, actions, variables):
        pass

    def select(self):
        return 0


class Failing(RoundRobin):
    def update(self, action, payoffs):
        raise KeyError("mine")


@pytest.mark.parametrize(
    "policy, message",
    [
        (OutOfRange, r"OutOfRange.select\(\) = 10: must be below the number of actions, 10"),
        (Negative, r"Negative.select\(\) = -1: must be below the number of actions, 10"),
        (Huge, r"Huge.select\(\) = 1606938.*: must be below the number of actions, 10"),
        (NoNumber, r"NoNumber.select\(\) = 1.5: must be a whole number"),
        (Silent, r"Silent: must have a method update\(\)"),
        (RoundRobin(10, 100), "policies = .*give its class; each run needs a new object"),
        (ud.policy("ucb(alpha=2)", 10, 100), r"policies: give the spec 'ucb\(alpha=2\)'"),
        (7, "policies = 7: must be specs, classes or functions"),
        ("ucb(alpha=-2)", r"ucb.alpha = -2: must be > 0"),
    ],
)
def test_what_cannot_play_is_refused(policy, message):
    with pytest.raises(ValueError, match=message):
        ud.simulate("gaussian", [RoundRobin, policy], rounds=20, runs=2)


def test_what_a_policy_raises_comes_through():
    with pytest.raises(KeyError, match="mine"):
        ud.simulate("gaussian", [Failing], rounds=20, runs=2)


@pytest.mark.parametrize("field, value", [("rounds", 0), ("runs", 1.5), ("seed", -1), ("curve_points", 0),
                                          ("tell", ["basline"])])
def test_options_are_refused_as_without_own_policies(field, value):
    def message(policies):
        with pytest.raises(ValueError) as refused:
            ud.simulate("gaussian", policies, **{field: value})
        return str(refused.value)

    assert message([RoundRobin]) == message(["ucb(alpha=2)"])


def test_no_policies_are_refused():
    world = ud.environment(lambda action: [0.0], 1, 1)
    with pytest.raises(ValueError, match="policies: give at least one"):
        ud.simulate(world, [])


def test_progress_goes_from_0_to_1():
    shares = []
    ud.simulate("gaussian", ["ucb(alpha=2)", RoundRobin], rounds=3000, runs=10, progress=shares.append)
    assert shares and shares == sorted(shares) and 0.0 < shares[0] and shares[-1] == 1.0


def test_code_of_the_user_runs_on_the_calling_thread():
    seen = set()

    def draw(action):
        seen.add(threading.get_ident())
        return [0.0]

    class Noting(RoundRobin):
        def select(self):
            seen.add(threading.get_ident())
            return super().select()

    ud.simulate(ud.environment(draw, 2, 1), [Noting, "ucb(alpha=1)"], rounds=5, runs=3, threads=2)
    ud.simulate("gaussian", ["ucb(alpha=1)", Noting], rounds=5, runs=3, threads=2)
    assert seen == {threading.get_ident()}


def test_other_threads_go_on_while_a_policy_of_ones_own_plays():
    """Were the interpreter's lock kept, the other thread would wait for the last round."""
    turns = threading.Event()
    threading.Thread(target=turns.set).start()

    class Waiting(RoundRobin):
        def select(self):
            assert turns.wait(timeout=30)
            return super().select()

    ud.simulate("gaussian", Waiting, rounds=5, runs=1)


class Interrupted:
    """Ctrl-C comes while this is converted."""

    def __float__(self):
        raise KeyboardInterrupt

    __array__ = __index__ = __float__


@pytest.mark.parametrize("payoffs", [Interrupted(), [Interrupted(), 1.0], ([0], Interrupted())])
def test_ctrl_c_during_a_conversion_is_not_a_bad_payoff(payoffs):
    with pytest.raises(KeyboardInterrupt):
        ud.policy("up_ts", actions=2, variables=2, affected=[[0], [1]]).update(0, payoffs)
    with pytest.raises(KeyboardInterrupt):
        ud.simulate(ud.environment(lambda action: payoffs, 2, 2), "ucb(alpha=1)", rounds=5, runs=1)


def test_ctrl_c_during_a_selection_is_not_a_bad_action():
    class Own(RoundRobin):
        def select(self):
            return Interrupted()

    with pytest.raises(KeyboardInterrupt):
        ud.simulate("gaussian", Own, rounds=5, runs=1)


@pytest.mark.parametrize(
    "world, policy",
    [
        ('"gaussian"', "Own"),
        ("ud.environment(lambda action: [0.0], 2, 1)", "Own"),
        ("ud.environment(lambda action: [0.0], 2, 1)", "'ucb(alpha=1)'"),
    ],
)
def test_ctrl_c_stops_code_of_the_user(world, policy):
    program = f"""
import updraft as ud
class Own:
    def __init__(self, actions, variables): pass
    def select(self): return 0
    def update(self, action, payoffs): pass
def ready(share):
    print("playing", flush=True)
try:
    ud.simulate({world}, {policy}, rounds=100_000_000, runs=100, progress=ready)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "playing\n"
        os.kill(child.pid, signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out.splitlines()[-1] == "stopped" and child.returncode == 0


# Environments


def instance_as_environment(name):
    """An instance behind a function of the user's. The run cannot be known, so only run 0."""
    instance = ud.instance(name)
    environment = instance.environment(seed=OPTIONS["seed"])
    knowledge = known(instance, OPTIONS["rounds"], environment)
    return ud.environment(
        lambda action, round: environment.draw(round, action), rewards=instance.rewards, **knowledge
    )


@pytest.mark.parametrize("name", SPECS)
def test_every_policy_decides_as_on_the_instance(name):
    options = {**OPTIONS, "runs": 1}
    own = ud.simulate(instance_as_environment("gaussian"), SPECS[name], **options)
    built_in = ud.simulate("gaussian", SPECS[name], **options)
    assert list(own["policy"]) == list(built_in["policy"])
    assert np.array_equal(own["pulls"], built_in["pulls"])
    assert own["curve_mean"] == pytest.approx(built_in["curve_mean"])  # gaps differ by rounding
    assert own.measure == "regret"


def shop(action, rng):
    sales = rng.normal([5.0, 3.0, 2.0, 1.0])
    sales[action] += 1.0 + action
    return sales


def test_payoffs_are_counted_where_rewards_are_not_known():
    world = ud.environment(shop, actions=3, variables=4, affected=[[0], [1], [2]])
    assert repr(world) == "<updraft.OwnEnvironment shop: 3 actions, 4 variables>"
    result = ud.simulate(world, ["up_ts", RoundRobin], rounds=60, runs=4, seed=2)
    assert result.measure == "reward" and "mean reward" in repr(result)
    assert list(result.to_pandas("runs").columns) == ["policy", "run", "reward"]
    for run in range(4):  # what RoundRobin met, by hand
        rng = np.random.default_rng([2, run, 0])
        expected = sum(shop(t % 3, rng).sum() for t in range(60))
        assert result["runs"][1, run] == pytest.approx(expected)
    again = ud.simulate(world, ["up_ts", RoundRobin], rounds=60, runs=4, seed=2)
    same_numbers(result, again)


def test_an_environment_can_be_played_by_hand_like_an_instance():
    def played(world):
        policy, environment = ud.policy("ucb(alpha=2)", **world.knowledge(20)), world.environment(seed=2)
        for t in range(20):
            action = policy.select()
            policy.update(action, environment.draw(t, action))
        return list(policy.pulls)

    for world in (ud.environment(shop, actions=3, variables=4), ud.instance("gaussian")):
        assert played(world) == list(ud.simulate(world, "ucb(alpha=2)", 20, runs=1, seed=2)["pulls"][0])


def test_payoffs_in_all_forms():
    dense = ud.environment(lambda action, round: [0.0, round + action, 0.5], 2, 3)
    sparse = ud.environment(lambda action, round: ([2, 1], [0.5, round + action]), 2, 3)
    total = ud.environment(lambda action, round: round + action + 0.5, 2, 3)
    options = {"rounds": 30, "runs": 2}
    expected = ud.simulate(dense, ["ucb(alpha=2)", RoundRobin], **options)
    same_numbers(expected, ud.simulate(sparse, ["ucb(alpha=2)", RoundRobin], **options))
    alone = ud.simulate(total, "ucb(alpha=2)", **options)
    assert np.array_equal(alone["runs"][0], expected["runs"][0])
    with pytest.raises(ValueError, match="payoffs = a total: this policy takes single payoffs"):
        ud.simulate(total, RoundRobin, **options)


@pytest.mark.parametrize(
    "payoffs, message",
    [
        ([1.0, 2.0], "length of payoffs = 2: must be the number of variables, 3"),
        ([1.0, np.nan, 2.0], r"payoffs\[1\] = nan: must be finite"),
        (([0, 3], [1.0, 1.0]), "payoffs: variable = 3: must be below the number of variables, 3"),
        (([0, -1], [1.0, 1.0]), "payoffs: variable = -1: must be a whole number"),
        (([1, 1], [1.0, 1.0]), "payoffs: variable = 1: is repeated"),
        (([0, 1], [5.0]), "length of payoffs = 1: must be the number of variable ids, 2"),
    ],
)
def test_payoffs_that_cannot_be_are_refused(payoffs, message):
    world = ud.environment(lambda action: payoffs, 2, 3)
    for policy in (RoundRobin, "ucb(alpha=2)"):
        with pytest.raises(ValueError, match=message):
            ud.simulate(world, policy, rounds=5, runs=1)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"draw": 3}, "draw = 3: must be a function"),
        ({"rewards": [1.0]}, "rewards = .*must be one finite number per action, 2"),
        ({"rewards": [1.0, np.inf]}, "rewards = .*must be one finite number per action, 2"),
        ({"baseline": [1.0]}, "baseline"),
        ({"basline": [1.0]}, "basline"),
        ({"actions": 0}, "actions"),
    ],
)
def test_environments_that_cannot_be_are_refused(arguments, message):
    given = {"draw": lambda action: [0.0] * 3, "actions": 2, "variables": 3, **arguments}
    with pytest.raises(ValueError, match=message):
        ud.environment(**given)


def test_an_environment_tells_no_more_than_it_was_told():
    world = ud.environment(shop, actions=3, variables=4, affected=[[0], [1], [2]])
    with pytest.raises(ValueError, match="baseline"):
        ud.simulate(world, "up_ucb_bl(alpha=2)", rounds=10, runs=1)
    with pytest.raises(ValueError, match="affected"):
        ud.simulate(world, "up_ucb(alpha=2)", rounds=10, runs=1, tell=[])


def test_a_policy_may_do_with_payoffs_as_it_likes():
    log = np.arange(12.0).reshape(4, 3)

    class Spoiler(RoundRobin):
        def update(self, action, payoffs):
            payoffs -= payoffs

    world = ud.environment(lambda action, round: log[round], 2, 3)
    result = ud.simulate(world, [Spoiler, "ucb(alpha=1)"], rounds=4, runs=1)
    assert list(result["runs"].ravel()) == [66.0, 66.0]
    assert log.sum() == 66.0
