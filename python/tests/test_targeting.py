"""Targeting policies: whom to treat with what."""

import math

import numpy as np
import pytest
from conftest import TARGETING_SPECS, established

import updraft as ud

FEATURES, TREATMENTS, BUDGET, PEOPLE = 3, 2, 5, 20


def made(spec="c2_up_ucb(beta=2)", **options):
    return ud.targeting(spec, features=FEATURES, budget=BUDGET, treatments=TREATMENTS, **options)


class World:
    """Pools of people; treatment 2 works, on those whose first feature is large."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def pool(self):
        X = self._rng.uniform(size=(PEOPLE, FEATURES))
        return {"X": X, "baseline": 0.3 * X[:, 1]}

    def payoffs(self, pool, z):
        gained = np.where(z == 2, 0.5 * pool["X"][:, 0], 0.0)
        return (self._rng.uniform(size=PEOPLE) < pool["baseline"] + gained).astype(float)


def play(policy, rounds, seed=1):
    world = World(seed)
    decisions = []
    for _ in range(rounds):
        pool = world.pool()
        decisions.append(policy.select(**pool))
        policy.update(pool["X"], decisions[-1], world.payoffs(pool, decisions[-1]))
    return np.array(decisions)


def test_every_targeting_policy_is_listed_here():
    assert set(TARGETING_SPECS) == established("targeting")


@pytest.mark.parametrize("name", TARGETING_SPECS)
def test_every_targeting_policy_can_be_driven(name):
    policy = made(TARGETING_SPECS[name])
    decisions = play(policy, 30)
    assert decisions.shape == (30, PEOPLE)
    assert decisions.dtype == np.int64
    assert ((decisions > 0).sum(axis=1) <= BUDGET).all()
    assert 0 <= decisions.min() and decisions.max() <= TREATMENTS
    assert policy.decisions == policy.observations == 30
    assert np.array_equal(decisions, play(made(TARGETING_SPECS[name]), 30))
    assert name in repr(policy) and "rounds seen 30" in repr(policy)


@pytest.mark.parametrize("name", TARGETING_SPECS)
def test_every_targeting_policy_explains_itself(name):
    policy = made(TARGETING_SPECS[name])
    world, everything = World(2), np.arange(PEOPLE) % (TREATMENTS + 1)
    pool = world.pool()
    policy.update(pool["X"], everything, world.payoffs(pool, everything))
    play(policy, 10)
    explained = policy.explain(**World(3).pool())
    for key in ("treatment", "index", "chosen", "reason"):
        assert explained[key].shape == (PEOPLE,)
    for key, interval in (("uplift", "interval"), ("payoff", "payoff_interval")):
        nobody = name == "random" or (name, key) in (("c2_ucb", "uplift"),)
        assert (key in explained) == (interval in explained) == (not nobody)
        if not nobody:
            assert explained[key].shape == (PEOPLE,)
            assert explained[interval].shape == (PEOPLE, 2)
            known = ~np.isnan(explained[key])
            assert known.any() and (known == ~np.isnan(explained[interval][:, 0])).all()
            assert (explained[interval][known, 0] <= explained[key][known]).all()


@pytest.mark.parametrize("name", TARGETING_SPECS)
def test_a_decision_is_what_select_gives_with_its_probability(name):
    deciding, selecting = made(TARGETING_SPECS[name]), made(TARGETING_SPECS[name])
    world, drawn = World(4), 0
    for round in range(40):
        pool = world.pool()
        decision = deciding.decide(**pool)
        assert decision.number == round and decision.revision >= 1
        assert np.array_equal(decision.treatments, selecting.select(**pool))
        assert 0.0 < decision.probability <= 1.0
        drawn += decision.probability < 1.0
        payoffs = world.payoffs(pool, decision.treatments)
        for policy in (deciding, selecting):
            policy.update(X=pool["X"], treatments=decision.treatments, payoffs=payoffs)
    assert (drawn > 0) == (name in ("random", "eps_greedy", "eps_greedy_bl"))
    if name == "random":
        among = math.comb(PEOPLE, BUDGET) * TREATMENTS**BUDGET
        assert decision.probability == pytest.approx(1 / among)
    with pytest.raises(AttributeError, match="action: targeting has treatments"):
        decision.action


def test_the_probability_is_how_often_a_decision_is_made():
    """Two people, one mail, no feedback: greedy takes person 0, and chance either. Over 4,000 seeds
    a share of 0.75 has a standard deviation of 0.0068; 6 of them are rarer than 1e-8."""
    taken = []
    for seed in range(4000):
        policy = ud.targeting("eps_greedy(eps=0.5, fill=yes)", features=1, budget=1, seed=seed)
        decision = policy.decide([[1.0], [1.0]])
        assert decision.probability == pytest.approx([0.75, 0.25][decision.treatments.argmax()])
        taken.append(decision.treatments[0])
    assert abs(np.mean(taken) - 0.75) < 6 * 0.0068


def test_a_policy_has_the_sizes_of_its_kind():
    policy = made()
    assert policy.kind == "targeting"
    assert (policy.features, policy.treatments, policy.budget) == (FEATURES, TREATMENTS, BUDGET)
    assert policy.knowledge == {"features": FEATURES, "treatments": TREATMENTS, "budget": BUDGET}
    assert repr(ud.targeting(policy.spec, **policy.knowledge)) == repr(policy)
    for name in ("actions", "variables", "pulls"):
        with pytest.raises(AttributeError, match="a targeting policy has none"):
            getattr(policy, name)


def test_a_payoff_is_no_uplift():
    """Everybody pays 5 untreated and 5.5 treated: c2_ucb knows the 5.5, and not the uplift of 0.5."""
    X = np.ones((50, 1))
    z = np.arange(50) % 2
    explained = {}
    for spec in ("c2_ucb(beta=1)", "c2_up_ucb(beta=1)"):
        policy = ud.targeting(spec, features=1, budget=10)
        for _ in range(20):
            policy.update(X, z, 5 + 0.5 * z)
        explained[spec[:6]] = policy.explain(X)
    assert "uplift" not in explained["c2_ucb"] and "interval" not in explained["c2_ucb"]
    assert explained["c2_ucb"]["payoff"] == pytest.approx(5.5, abs=0.05)
    assert explained["c2_up_"]["uplift"] == pytest.approx(0.5, abs=0.05)


def test_nothing_is_said_of_features_that_were_not_seen():
    policy = ud.targeting("greedy", features=2, budget=1)
    assert "payoff" not in policy.explain([[1, 0]])
    policy.update([[1, 0], [1, 1], [1, 0]], [1, 1, 0], [1.0, 0.0, 0.5])
    explained = policy.explain([[1, 0], [1, 1], [2, 0]])
    assert not np.isnan(explained["payoff"]).any()
    assert list(np.isnan(explained["uplift"])) == [False, True, False]
    assert np.isnan(explained["interval"][1]).all()


def test_explained_choices_are_those_of_select():
    policy = made()
    play(policy, 10)
    pool = World(3).pool()
    explained = policy.explain(pool["X"])
    z = policy.select(pool["X"])
    assert np.array_equal(z > 0, explained["chosen"])
    assert np.array_equal(z[z > 0], explained["treatment"][z > 0])


def test_linear_decisions_are_those_of_plain_numpy():
    """c2_up_ucb with one treatment, as its formula has it: index = upper(1, x) - upper(0, x)."""
    beta, lam, rng = 0.5, 1.0, np.random.default_rng(5)
    policy = ud.targeting(f"c2_up_ucb(beta={beta}, lambda={lam}, fill=yes)", FEATURES, BUDGET)
    V = [lam * np.eye(FEATURES) for _ in range(2)]
    b = [np.zeros(FEATURES) for _ in range(2)]
    for _ in range(40):
        X = rng.uniform(size=(PEOPLE, FEATURES))
        upper = []
        for z in range(2):
            inverse = np.linalg.inv(V[z])
            width = np.sqrt(np.einsum("ij,jk,ik->i", X, inverse, X))
            upper.append(X @ (inverse @ b[z]) + beta * width)
        expected = np.zeros(PEOPLE, dtype=int)
        expected[np.argsort(-(upper[1] - upper[0]), kind="stable")[:BUDGET]] = 1
        z = policy.select(X)
        if policy.observations > 0:  # before, all indices are 0 but for rounding
            assert np.array_equal(z, expected)
        y = X @ np.array([0.1, 0.5, 0.2]) + 0.4 * z * X[:, 0] + 0.1 * rng.normal(size=PEOPLE)
        policy.update(X, z, y)
        for treatment in range(2):
            rows = X[z == treatment]
            V[treatment] += rows.T @ rows
            b[treatment] += rows.T @ y[z == treatment]


def test_pools_of_every_kind():
    X = np.arange(12.0).reshape(4, 3) / 12
    y = [1, 0, 0, 1]
    uplifts = []
    for kind in (X, X.astype(np.float32).astype(float), np.asfortranarray(X), X.tolist()):
        policy = ud.targeting("greedy", features=3, budget=2)
        policy.update(kind, [0, 1, 0, 1], y)
        policy.update(kind, np.array([True, False, True, False]), np.array(y, dtype=bool))
        uplifts.append(policy.explain(kind)["uplift"])
    for other in uplifts[2:]:
        assert np.array_equal(uplifts[0], other)
    assert np.allclose(uplifts[0], uplifts[1], atol=1e-5)


@pytest.mark.parametrize(
    "X, z, y, message",
    [
        (np.zeros(3), [0], [0.0], r"shape of X = \(3,\): must have 2 dimensions"),
        (np.zeros((2, 4)), [0, 0], [0.0, 0.0], "4"),
        ([[0, 0, np.nan]], [0], [0.0], "nan"),
        (np.zeros((2, 3)), [0], [0.0, 0.0], "treatments"),
        (np.zeros((2, 3)), [0, 3], [0.0, 0.0], "3"),
        (np.zeros((2, 3)), [0, -1], [0.0, 0.0], "treatments = -1: must be a whole number"),
        (np.zeros((2, 3)), [0.0, 1.0], [0.0, 0.0], "treatments = float64"),
        (np.zeros((2, 3)), [0, 1], [0.0], "payoffs"),
        (np.zeros((2, 3)), [0, 1], [0.0, np.inf], r"payoffs\[1\] = inf"),
    ],
    ids=str,
)
def test_refused_updates_change_nothing(X, z, y, message):
    policy = made()
    with pytest.raises(ValueError, match=message):
        policy.update(X, z, y)
    assert policy.observations == 0


def test_refused_selections():
    with pytest.raises(ValueError, match="pool"):
        made().select(np.zeros((BUDGET - 1, FEATURES)))
    with pytest.raises(ValueError, match="baseline"):
        made("greedy_bl").select(np.zeros((PEOPLE, FEATURES)))
    with pytest.raises(ValueError, match="X: must be given: c2_up_ucb decides by the features"):
        made().select()
    with pytest.raises(ValueError, match="affected: must be absent"):
        made().select(np.zeros((PEOPLE, FEATURES)), affected=[[0], [1]])
    with pytest.raises(ValueError, match="X: must be given"):
        made().update([0] * PEOPLE, [0.0] * PEOPLE)


@pytest.mark.parametrize(
    "spec, shape, message",
    [
        ("c2_up_ucb", (3, 5, 1), "beta"),
        ("up_ucb(alpha=1)", (3, 5, 1), "up_ucb"),
        ("oracle", (3, 5, 1), "must know the truth: it can only be simulated"),
        ("greedy", (0, 5, 1), "features"),
        ("greedy", (3, 0, 1), "budget"),
        ("greedy", (3, 5, 0), "treatments"),
        ("greedy", (3, -5, 1), "budget = -5: must be a whole number"),
    ],
)
def test_refused_targeting(spec, shape, message):
    with pytest.raises(ValueError, match=message):
        ud.targeting(spec, *shape)
