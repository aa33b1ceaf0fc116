"""Uplifting bandits: find the best action from many small payoffs.

>>> import updraft as ud
>>> p = ud.policy("up_ts", actions=2, variables=4, affected=[[0, 1], [2, 3]])
>>> for day in range(100):
...     offer = p.select()
...     p.update(offer, [1.0, 2.0, 3.5 if offer == 1 else 3.0, 4.0])
>>> p
<updraft.Policy up_ts: 2 actions, 4 variables, rounds seen 100>
>>> int(p.pulls.argmax())
1
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence, Set
from typing import Any

from numpy.typing import ArrayLike

from updraft import _updraft
from updraft._evidence import Evidence, SharedDecision, evidence_of
from updraft._logs import Evaluation, evaluate, read_log, write_log
from updraft._own import OwnEnvironment, OwnPolicy
from updraft._results import Bounds, SimulationResult
from updraft._simulate import InstanceLike, as_instance, simulate
from updraft._updraft import Decision, Environment, Instance, Monitor, Policy

__all__ = [
    "Bounds",
    "Decision",
    "Environment",
    "Evaluation",
    "Evidence",
    "Instance",
    "Monitor",
    "OwnEnvironment",
    "OwnPolicy",
    "Policy",
    "SharedDecision",
    "SimulationResult",
    "bounds",
    "context",
    "environment",
    "evaluate",
    "evidence_of",
    "instance",
    "instances",
    "load",
    "policies",
    "policy",
    "read_log",
    "save",
    "simulate",
    "targeting",
    "targeting_bounds",
    "version",
    "write_log",
]

version: str = _updraft.version
__version__ = version


def policy(
    spec: str,
    actions: int,
    variables: int,
    *,
    affected: ArrayLike | Sequence[ArrayLike | Set[int]] | None = None,
    baseline: ArrayLike | None = None,
    max_affected: int | ArrayLike | None = None,
    min_uplift: float | None = None,
    effect_gap: float | None = None,
    horizon: int | None = None,
    reward_prior: tuple[float, float] | None = None,
    segments: ArrayLike | Sequence[object] | None = None,
    observations: tuple[ArrayLike, ArrayLike] | None = None,
    seed: int = 1,
    run: int = 0,
) -> Policy:
    """A plain policy, which knows what it is told here and nothing else.

    spec: such as "up_ucb(alpha=3)"; policies() lists them. "auto" picks one by what is known.
    affected: per action the variables that it affects, as ids or as a mask of bools.
    baseline: mean payoff of every variable if nothing is done.
    max_affected: L, the most variables that an action affects; or a list with one L per action.
    min_uplift: Delta, the least size of an individual uplift.
    effect_gap: the least distance between the means of a variable under two actions of which one
    affects it.
    horizon: the number of rounds.
    reward_prior: mean and variance of the actions' expected rewards.
    segments: for each variable the label of its segment: variables with the same label tend to be
    moved together.
    observations: for each variable, how often it was observed without any action, and the mean of
    these payoffs.
    seed, run: determine the policy's own random draws, if it draws.

    The policy ignores knowledge that it does not use. If it lacks some, raises ValueError that says
    which policies would work with what is known. Warns if "auto" picks a policy with the alpha of its
    theorem, which can cost a lot.

    >>> p = policy("up_ucb(alpha=3)", actions=2, variables=5, affected=[[0, 1], {2, 4}])
    >>> p.select()
    0
    >>> p.update(0, [0.5, 1.0, 0.0, 0.0, 0.2])   # one payoff per variable
    >>> p.update(1, ([2, 4], [1.5, 1.0]))        # or those that did not pay 0
    >>> p.explain()["pulls"]
    array([1, 1])
    >>> policy("up_ucb(alpha=-1)", actions=2, variables=5)
    Traceback (most recent call last):
    ValueError: up_ucb.alpha = -1: must be > 0
    """
    given = {
        "actions": actions,
        "variables": variables,
        "affected": affected,
        "baseline": baseline,
        "max_affected": max_affected,
        "min_uplift": min_uplift,
        "effect_gap": effect_gap,
        "horizon": horizon,
        "reward_prior": reward_prior,
        "segments": segments,
        "observations": observations,
    }
    known = {name: value for name, value in given.items() if value is not None}
    return Policy(spec, known, seed, run)


def targeting(
    spec: str, features: int, budget: int, treatments: int = 1, *, seed: int = 1, run: int = 0
) -> Policy:
    """A targeting policy: it chooses who of a pool of people gets which treatment.

    spec: such as "c2_up_ucb(beta=2)"; policies("targeting") lists them.
    features: how many numbers describe a person.
    budget: how many people may be treated in a round.
    seed, run: as in policy().

    >>> c = targeting("c2_up_ucb(beta=2)", features=2, budget=1)
    >>> X = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.5]]
    >>> z = c.select(X)                          # the treatment of each person, 0 = none
    >>> c.update(X, z, [0.1, 0.7, 0.3])          # what everyone paid
    >>> c.decide(X)
    Decision(number=1, treatments=[0 1 0], probability=1)
    >>> c
    <updraft.Policy c2_up_ucb(beta=2): 2 features, 1 treatment, budget 1, rounds seen 1>
    """
    known = {"features": features, "budget": budget, "treatments": treatments}
    return Policy(spec, known, seed, run)


def campaign(*arguments: Any, **keywords: Any) -> Policy:
    """Deprecated: the earlier name of targeting()."""
    warnings.warn("updraft.campaign() is now updraft.targeting()", DeprecationWarning, stacklevel=2)
    return targeting(*arguments, **keywords)


def campaign_bounds(*arguments: Any, **keywords: Any) -> Bounds:
    """Deprecated: the earlier name of targeting_bounds()."""
    warnings.warn(
        "updraft.campaign_bounds() is now updraft.targeting_bounds()",
        DeprecationWarning,
        stacklevel=2,
    )
    return targeting_bounds(*arguments, **keywords)


def context(spec: str, features: int, actions: int, *, seed: int = 1, run: int = 0) -> Policy:
    """A contextual policy: it takes one action for all variables, which have features.

    spec: such as "lin_up_ucb(beta=1)"; policies("contextual") lists them.
    features: how many numbers describe a variable.
    seed, run: as in policy().

    >>> c = context("lin_up_ucb(beta=1)", features=2, actions=2)
    >>> X = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.5]]             # variables x features
    >>> affected = [[0], [1, 2]]                             # in this round
    >>> a = c.select(X, affected=affected)
    >>> c.update(X, a, [0.1, 0.7, 0.3], affected=affected)   # what every variable paid
    >>> c
    <updraft.Policy lin_up_ucb(beta=1): 2 features, 2 actions, rounds seen 1>
    """
    return Policy(spec, {"features": features, "actions": actions}, seed, run)


def instance(source: InstanceLike) -> Instance:
    """Returns an instance to simulate on: a shipped one by name, a file, or a dict.

    Files and dicts are in the format updraft-instance/1.

    >>> instance("gaussian")
    <updraft.Instance gaussian: 10 actions, 100 variables>
    """
    return as_instance(source)


def environment(
    draw: Callable[..., Any],
    actions: int,
    variables: int,
    *,
    rewards: ArrayLike | None = None,
    **knowledge: Any,
) -> OwnEnvironment:
    """Makes an environment of your own for simulate() from a function that returns payoffs.

    draw: called as draw(action) in each round, for one policy and run after the other; returns
    what Policy.update() takes. If it has a parameter `rng`, it gets a numpy Generator that starts
    again with each run and policy, so that policies meet the same draws. If it has a parameter
    `round`, it gets the number of the round.
    rewards: the expected reward of each action. If they are not known, simulations measure the
    payoffs collected instead of regret.
    knowledge: what policies may know, as in policy().

    Like an instance, it has knowledge(rounds) and environment(seed, run).

    >>> def shop(action, rng):
    ...     sales = rng.normal([5.0, 3.0, 2.0, 1.0])
    ...     sales[action] += 1.0 + action
    ...     return sales
    >>> world = environment(shop, actions=3, variables=4, affected=[[0], [1], [2]])
    >>> world
    <updraft.OwnEnvironment shop: 3 actions, 4 variables>
    >>> r = simulate(world, ["up_ts", "ucb(alpha=4)"], rounds=200, runs=5)
    >>> r.measure, r["pulls"].argmax(axis=1)
    ('reward', array([2, 2]))
    """
    return OwnEnvironment(draw, {"actions": actions, "variables": variables, **knowledge}, rewards)


def instances() -> dict[str, str]:
    """Returns the shipped instances: name and summary.

    >>> "criteo" in instances()
    True
    """
    return _updraft.instances()


def bounds(
    instance: InstanceLike,
    rounds: int,
    delta: float = 0.05,
    *,
    max_affected: int | ArrayLike | None = None,
    min_uplift: float | None = None,
    effect_gap: float | None = None,
) -> Bounds:
    """Returns the regret bounds of the theory on an instance, by the policy that they hold for.

    An upper bound holds with probability 1 - delta. It is NaN if it needs the least individual
    uplift or the effect gap and the instance has none. It holds for the alpha in `alpha`: the alpha
    that the policy uses if it is given delta and the payoffs are 1-sub-Gaussian, and variance_proxy
    times as much if they are not. max_affected, min_uplift and effect_gap replace the true values.
    max_affected is L for all actions, or a list with one L(a) per action, as policies are told.
    Each must be at least the number of variables that its action affects, or no theorem holds.

    >>> b = bounds("gaussian", rounds=20000)
    >>> bool(b["up_ucb_bl"] < b["up_ucb"] < b["ucb"])
    True
    >>> bool(b["up_ucb_bl"] < b.expected["up_ucb_bl"])
    True
    """
    options = {
        "rounds": rounds,
        "delta": delta,
        "max_affected": max_affected,
        "min_uplift": min_uplift,
        "effect_gap": effect_gap,
    }
    return Bounds(_updraft.bounds(as_instance(instance), options))


def targeting_bounds(
    features: int,
    individuals: int,
    budget: int,
    rounds: int,
    delta: float = 0.05,
    *,
    treatments: int = 1,
    ridge: float | None = None,
    norm_bound: float = 1.0,
) -> Bounds:
    """Returns the regret bounds of the theory for targeting with linear payoffs.

    individuals: the number of people in a pool, of whom at most `budget` are treated.
    ridge: lambda, at least the budget; by default the budget.
    norm_bound: an upper bound on the length of a treatment's coefficients.

    They hold for features of length at most 1 and independent 1-sub-Gaussian noise, such as that of
    0/1 payoffs, if the policy is given delta, the same ridge and the same norm_bound.

    >>> list(targeting_bounds(features=12, individuals=100, budget=10, rounds=2000))
    ['c2_up_ucb']
    """
    options = {
        "features": features,
        "individuals": individuals,
        "budget": budget,
        "treatments": treatments,
        "ridge": ridge,
        "norm_bound": norm_bound,
        "rounds": rounds,
        "delta": delta,
    }
    return Bounds(_updraft.targeting_bounds(options))


def policies(kind: str = "plain") -> list[dict[str, Any]]:
    """The policies of a kind: "plain" for policy(), "targeting" for targeting(), "contextual" for
    context(). Each has name, kind, aliases, summary, index, reference, status, what it needs to
    know, and its parameters.

    >>> [p["needs"] for p in policies() if p["name"] == "up_ucb_bl"]
    [['baseline', 'affected']]
    >>> policies("contextual")[0]["name"]
    'lin_up_ucb'
    """
    return _updraft.policies(kind)


def save(policy: Policy, path: str | os.PathLike[str]) -> None:
    """Saves a policy of any kind in the library's own format, which C++ programs read as well.

    The file is replaced as a whole or not at all. It holds everything that the policy knows and has
    learnt, but not the seed (a pickle does).

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "policy"
    ...     save(policy("ucb(alpha=2)", actions=3, variables=1), path)
    ...     load(path)
    <updraft.Policy ucb(alpha=2): 3 actions, 1 variable, rounds seen 0>
    """
    _updraft.save(policy, path)


def load(path: str | os.PathLike[str], *, seed: int = 1, run: int = 0) -> Policy:
    """The policy as it was saved: the same next choices, bit for bit, given the same seed.

    Raises ValueError if the file is not a saved policy or is damaged, RuntimeError if it cannot be
    read.
    """
    return _updraft.load(path, seed, run)
