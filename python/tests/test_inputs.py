"""What may be given, and what is refused with which words."""

import tracemalloc

import numpy as np
import pytest

import updraft as ud

VARIABLES = 4
SETS = [[0, 1], [2, 3]]


def made(spec="up_ucb_l(alpha=2)", **known):
    return ud.policy(spec, actions=2, variables=VARIABLES, **{"max_affected": 2, **known})


def uplift_after(payoffs):
    """What a policy makes of payoffs: the same for the same numbers."""
    policy = made("up_ucb_bl(alpha=1)", affected=SETS, baseline=[0.0] * VARIABLES)
    policy.update(1, payoffs)
    return policy.explain()["uplift"][1]


class Odd:
    """Has nothing to do with numbers."""


@pytest.mark.parametrize(
    "payoffs",
    [
        np.array([0.0, 1.0, 0.0, 1.0]),
        np.array([0, 1, 0, 1], dtype=np.float32),
        np.array([0, 1, 0, 1], dtype=np.float16),
        np.array([0, 1, 0, 1], dtype=">f8"),
        np.array([0, 1, 0, 1], dtype=np.int64),
        np.array([0, 1, 0, 1], dtype=np.uint8),
        np.array([False, True, False, True]),
        np.array([0.0, 9.0, 1.0, 9.0, 0.0, 9.0, 1.0, 9.0])[::2],
        np.frombuffer(b"x" + np.array([0.0, 1.0, 0.0, 1.0]).tobytes(), offset=1),
        [0, 1, 0, 1],
        [0.0, True, 0, 1.0],
        (0.0, 1.0, 0.0, 1.0),
        ([1, 3], [1.0, 1.0]),
        (np.array([3, 1], dtype=np.uint32), np.array([1, 1], dtype=np.float32)),
        ([3], [True]),
        ((1, 3), (1, 1)),
    ],
    ids=str,
)
def test_payoffs_of_every_kind(payoffs):
    assert uplift_after(payoffs) == 1.0


def test_two_numbers_in_a_tuple_are_two_payoffs():
    policy = ud.policy("up_ucb_l(alpha=2, max_affected=1)", actions=2, variables=2)
    policy.update(0, (0.25, 0.5))
    assert policy.observations == 1


@pytest.mark.parametrize("bounds", [[1, 2], (1, 2), np.array([1, 2])], ids=str)
def test_one_bound_per_action(bounds):
    policy = made(max_affected=bounds)
    assert list(policy.knowledge["max_affected"]) == [1, 2]
    assert made(max_affected=2).knowledge["max_affected"] == 2


def test_no_payoffs_but_zeros():
    assert uplift_after(([], [])) == 0.0


def test_a_total_is_enough_for_those_who_look_at_nothing_else():
    one, other = made("ucb(alpha=2)"), made("ucb(alpha=2)")
    one.update(0, np.array([1.0, 2.0, 0.5, 0.0]))
    other.update(np.int8(0), np.float32(3.5))
    assert one.explain()["reward"][0] == other.explain()["reward"][0] == 3.5
    with pytest.raises(ValueError, match="payoffs = a total: this policy takes single payoffs"):
        made().update(0, 3.5)


def test_float64_is_read_in_place_and_the_rest_is_converted():
    policy = ud.policy("ucb(alpha=2)", actions=2, variables=1_000_000)
    payoffs = np.ones(1_000_000)
    narrow = payoffs.astype(np.float32)
    peaks = []
    for given in (payoffs, narrow):
        tracemalloc.start()
        policy.update(0, given)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 10_000 < 8_000_000 <= peaks[1]
    assert payoffs.flags.writeable


@pytest.mark.parametrize(
    "payoffs, message",
    [
        (np.zeros(3), "length of payoffs = 3: must be the number of variables, 4"),
        ([], "length of payoffs = 0: must be the number of variables, 4"),
        (np.zeros((4, 1)), r"shape of payoffs = \(4, 1\): must have 1 dimension"),
        (np.array(1.0), r"shape of payoffs = \(\): must have 1 dimension"),
        ([0, np.nan, 0, 0], r"payoffs\[1\] = nan: must be finite"),
        ([0, 0, -np.inf, 0], r"payoffs\[2\] = -inf: must be finite"),
        (["0", "1", "0", "1"], "payoffs = <U1: must be an array of numbers"),
        ([0, None, 0, 1], "payoffs = object: must be an array of numbers"),
        ([0, 1j, 0, 1], "payoffs = complex128: must be an array of numbers"),
        ([[0, 1], [0]], "payoffs: must be an array of numbers, all rows equally long"),
        (None, "payoffs = object: must be an array of numbers"),
        (Odd(), "payoffs = object: must be an array of numbers"),
        (1j, "payoffs = 1j: must be a number"),
        ([[0, 1], [1.0, 2.0]], r"shape of payoffs = \(2, 2\): must have 1 dimension"),
        (([1, 1], [1.0, 2.0]), "payoffs: variable = 1: is repeated"),
        (([4], [1.0]), "payoffs: variable = 4: must be below the number of variables, 4"),
        (([-1], [1.0]), "payoffs: variable = -1: must be a whole number from 0"),
        (([2**40], [1.0]), "payoffs: variable = 1099511627776: must be a whole number from 0"),
        (([0.5], [1.0]), "payoffs: variable = float64: must be an array of integers"),
        (([0, 1], [1.0]), "length of payoffs = 1: must be the number of variable ids, 2"),
        (([0], [np.nan]), r"payoffs\[0\] = nan: must be finite"),
    ],
    ids=str,
)
def test_refused_payoffs_change_nothing(payoffs, message):
    policy = made()
    with pytest.raises(ValueError, match=message):
        policy.update(0, payoffs)
    assert policy.observations == 0


@pytest.mark.parametrize("action", [2, -1, 2**70, 0.0, "0", None])
def test_refused_actions(action):
    policy = made()
    with pytest.raises(ValueError, match="action = "):
        policy.update(action, np.zeros(VARIABLES))
    assert policy.observations == 0


@pytest.mark.parametrize(
    "sets",
    [
        [[0, 1], [2, 3]],
        [{0, 1}, frozenset({3, 2})],
        [range(2), np.array([3, 2], dtype=np.uint16)],
        np.array([[0, 1], [2, 3]]),
        np.array([[True, True, False, False], [False, False, True, True]]),
        ([True, True, False, False], (2, 3)),
    ],
    ids=str,
)
def test_affected_sets_of_every_kind(sets):
    known = made("up_ucb(alpha=1)", affected=sets).knowledge["affected"]
    assert [list(ids) for ids in known] == SETS


def test_an_action_may_affect_nothing():
    known = made("up_ucb(alpha=1)", affected=[[], [2]]).knowledge["affected"]
    assert [list(ids) for ids in known] == [[], [2]]


@pytest.mark.parametrize(
    "known, message",
    [
        ({"affected": [[0], [4]]}, r"affected.* = 4"),
        ({"affected": [[0], [1, 1]]}, r"affected\[1\].* = 1.*repeated"),
        ({"affected": [[0], [-1]]}, r"affected\[1\] = -1: must be a whole number"),
        ({"affected": [[0], [0.5]]}, r"affected\[1\] = float64: must be an array of integers"),
        ({"affected": [[0], [True]]}, r"length of affected\[1\] = 1: a mask must have one bool"),
        ({"affected": [[0]]}, "affected"),
        ({"affected": 3}, "affected: must be a list with one set of variables per action"),
        ({"baseline": [0.0]}, "length of baseline = 1: must be the number of variables, 4"),
        ({"baseline": [0, 0, np.nan, 0]}, r"baseline\[2\] = nan: must be finite"),
        ({"max_affected": 5}, "max_affected = 5"),
        ({"max_affected": -1}, "max_affected = -1: must be a whole number"),
        ({"max_affected": 1.5}, "max_affected = 1.5: must be a whole number"),
        ({"max_affected": [1]}, "max_affected = 1 numbers: must have one for each of the 2 actions"),
        ({"max_affected": [1, 5]}, r"max_affected\[1\] = 5: must be from 0 to the number of"),
        ({"max_affected": [0, 0]}, "max_affected: must not be 0 for all actions"),
        ({"max_affected": [1, -1]}, "max_affected = -1: must be a whole number"),
        ({"max_affected": "12"}, "max_affected = '12'"),
        ({"min_uplift": 0.0}, "min_uplift = 0: must be > 0"),
        ({"min_uplift": np.nan}, "min_uplift = nan"),
        ({"effect_gap": 0.0}, "effect_gap = 0: must be > 0"),
        ({"min_uplift": "a"}, "min_uplift = 'a': must be a number"),
        ({"horizon": 0}, "horizon = 0"),
        ({"reward_prior": 3.0}, "reward_prior: must be a pair: mean and variance"),
        ({"reward_prior": (0.0, -1.0)}, "reward_prior"),
        ({"segments": ["a", "b"]}, "length of segments = 2: must be the number of variables, 4"),
        ({"segments": 3}, "segments: must be a list or an array with a label for each variable"),
        ({"observations": ([1, 1, 1, 1], [0.0])}, "observations"),
        ({"seed": -1}, "seed = -1: must be a whole number from 0 to 18446744073709551615"),
    ],
    ids=str,
)
def test_refused_knowledge(known, message):
    with pytest.raises(ValueError, match=message):
        made(**known)


@pytest.mark.parametrize(
    "spec, message",
    [
        ("up_ucb(alpha=-1)", "up_ucb.alpha = -1: must be > 0"),
        ("up_cub", "unknown; did you mean"),
        ("up_ucb(alpha=1)", "affected"),
        ("c2_up_ucb(beta=2)", "c2_up_ucb"),
    ],
)
def test_refused_specs(spec, message):
    with pytest.raises(ValueError, match=message):
        made(spec)


@pytest.mark.parametrize("shape", [(0, 4), (2, 0), (-1, 4), (2, 2**40), ("2", 4)])
def test_refused_shapes(shape):
    with pytest.raises(ValueError, match="actions = |variables = "):
        ud.policy("ucb(alpha=2)", *shape)


def test_knowledge_comes_back_as_keywords():
    known = dict(affected=SETS, baseline=[0.0, 1.0, 2.0, 3.0])
    policy = made("up_ucb_bl(alpha=1)", **known)
    again = ud.policy(policy.spec, **policy.knowledge)
    assert list(again.knowledge["baseline"]) == known["baseline"]
    assert [list(ids) for ids in again.knowledge["affected"]] == SETS


@pytest.mark.parametrize("given", [{"X": [[1.0]]}, {"baseline": [1.0] * VARIABLES}, {"affected": SETS}])
def test_plain_policies_take_no_features(given):
    policy = made()
    with pytest.raises(ValueError, match="round: must be empty|affected"):
        policy.select(**given)
    with pytest.raises(ValueError, match="round: must be empty"):
        policy.update([[1.0]], 0, [0.0])
    with pytest.raises(AttributeError, match="budget: a plain policy has none"):
        policy.budget
    assert (policy.kind, policy.decisions, policy.observations) == ("plain", 0, 0)


def test_segments_are_those_of_the_instance():
    known = ud.instance("marketing").knowledge(rounds=10)
    sizes = np.bincount(known["segments"])
    assert sizes.tolist() == [120, 110, 95, 105, 90, 60, 130, 70, 65, 85, 40, 30]
    ud.policy("ts", **known)
    ud.policy("ts", actions=2, variables=4, segments=["north", "south", "north", "west"])
    assert "segments" not in ud.instance("gaussian").knowledge(rounds=10)
