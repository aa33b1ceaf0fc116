"""Uplifting bandits: find the best action from many small payoffs.

>>> import updraft as ud
>>> p = ud.policy("up_ts", actions=2, variables=4, affected=[[0, 1], [2, 3]])
>>> for day in range(100):
...     campaign = p.select()
...     p.update(campaign, [1.0, 2.0, 3.5 if campaign == 1 else 3.0, 4.0])
>>> p
<updraft.Policy up_ts: 2 actions, 4 variables, rounds seen 100>
>>> int(p.pulls.argmax())
1
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Union

from numpy.typing import ArrayLike

from updraft import _updraft
from updraft._progress import ProgressBar
from updraft._results import Bounds, SimulationResult
from updraft._updraft import CampaignPolicy, Environment, Instance, Policy

__all__ = [
    "Bounds",
    "CampaignPolicy",
    "Environment",
    "Instance",
    "Policy",
    "SimulationResult",
    "bounds",
    "campaign",
    "campaign_policies",
    "instance",
    "instances",
    "load",
    "policies",
    "policy",
    "save",
    "simulate",
    "version",
]

version: str = _updraft.version
__version__ = version

InstanceLike = Union[Instance, str, "os.PathLike[str]", Mapping[str, Any]]


def _as_instance(source: InstanceLike) -> Instance:
    if isinstance(source, Instance):
        return source
    if isinstance(source, Mapping):
        return _updraft.parse_instance(json.dumps(source))
    return _updraft.load_instance(os.fspath(source))


def policy(
    spec: str,
    actions: int,
    variables: int,
    *,
    affected: ArrayLike | Sequence[ArrayLike | Set[int]] | None = None,
    baseline: ArrayLike | None = None,
    max_affected: int | None = None,
    min_uplift: float | None = None,
    horizon: int | None = None,
    reward_prior: tuple[float, float] | None = None,
    observations: tuple[ArrayLike, ArrayLike] | None = None,
    seed: int = 1,
    run: int = 0,
) -> Policy:
    """A policy that knows what it is told here, and nothing else.

    spec: such as "up_ucb(alpha=3)"; policies() lists them. "auto" picks one by what is known.
    affected: per action the variables that it affects, as ids or as a mask of bools.
    baseline: mean payoff of every variable when nothing is done.
    max_affected: L, the most variables that an action affects.
    min_uplift: Delta, the least size of an individual uplift.
    horizon: the number of rounds to be played.
    reward_prior: mean and variance of the actions' expected rewards.
    observations: per variable, how often it was seen without any action, and the mean of these.
    seed, run: where the policy's own draws come from, if it draws.

    Knowledge that the policy does not use is left aside. Raises ValueError where it lacks some, and
    says which policies would do with what is known.

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
    told = {
        "actions": actions,
        "variables": variables,
        "affected": affected,
        "baseline": baseline,
        "max_affected": max_affected,
        "min_uplift": min_uplift,
        "horizon": horizon,
        "reward_prior": reward_prior,
        "observations": observations,
    }
    known = {name: value for name, value in told.items() if value is not None}
    return Policy(spec, known, seed, run)


def campaign(
    spec: str, features: int, budget: int, treatments: int = 1, *, seed: int = 1, run: int = 0
) -> CampaignPolicy:
    """A policy for targeted campaigns: who of a pool of people gets which treatment.

    spec: such as "c2_up_ucb(beta=2)"; campaign_policies() lists them.
    features: how many numbers describe a person.
    budget: how many people may be treated in a round.
    seed, run: as in policy().

    >>> c = campaign("c2_up_ucb(beta=2)", features=2, budget=1)
    >>> X = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.5]]
    >>> z = c.select(X)                          # the treatment of each person, 0 = none
    >>> c.update(X, z, [0.1, 0.7, 0.3])          # what everyone paid
    >>> c
    <updraft.CampaignPolicy c2_up_ucb(beta=2): 2 features, 1 treatment, budget 1, rounds seen 1>
    """
    return CampaignPolicy(spec, (features, budget, treatments), seed, run)


def instance(source: InstanceLike) -> Instance:
    """An instance to simulate on: a shipped one by name, a file, or a dict.

    Files and dicts are in the format updraft-instance/1.

    >>> instance("gaussian")
    <updraft.Instance gaussian: 10 actions, 100 variables>
    """
    return _as_instance(source)


def instances() -> dict[str, str]:
    """The shipped instances: name and summary.

    >>> "criteo" in instances()
    True
    """
    return _updraft.instances()


def simulate(
    instance: InstanceLike,
    policies: str | Iterable[str],
    rounds: int = 1000,
    runs: int = 10,
    *,
    seed: int = 1,
    threads: int = 0,
    curve_points: int = 100,
    tell: Iterable[str] | None = None,
    progress: bool | Callable[[float], object] = False,
) -> SimulationResult:
    """Plays policies against an instance and measures their regret.

    Every policy is told exactly what it needs, and all policies of a run meet the same noise. The
    result is the same for any number of threads; 0 takes all. Ctrl-C stops it. Other Python threads
    go on meanwhile.

    tell: the most that policies are told ("baseline", "affected", ...) in place of all that the
    instance knows; an empty list is nothing.
    progress: True shows it on stderr; a function is called now and then with the share done.

    >>> r = simulate("gaussian", ["ucb(alpha=2)", "up_ucb(alpha=3)"], rounds=300, runs=4)
    >>> list(r["policy"])
    ['ucb(alpha=2)', 'up_ucb(alpha=3)']
    >>> r["runs"].shape                          # policies x runs: regret after the last round
    (2, 4)
    >>> bool(r["mean"][1] < r["mean"][0])
    True
    """
    played = _as_instance(instance)
    specs = [policies] if isinstance(policies, str) else list(policies)
    options = {
        "rounds": rounds,
        "runs": runs,
        "seed": seed,
        "threads": threads,
        "curve_points": curve_points,
        "tell": None if tell is None else [tell] if isinstance(tell, str) else list(tell),
    }
    if progress is True:
        with ProgressBar() as bar:
            return SimulationResult(_updraft.simulate(played, specs, {**options, "progress": bar}))
    if progress is not False and not callable(progress):
        raise ValueError(f"progress = {progress!r}: must be True, False or a function")
    told = None if progress is False else progress
    return SimulationResult(_updraft.simulate(played, specs, {**options, "progress": told}))


def bounds(
    instance: InstanceLike,
    rounds: int,
    delta: float = 0.05,
    *,
    max_affected: int | None = None,
    min_uplift: float | None = None,
) -> Bounds:
    """The regret bounds of the theory on an instance, by the name of the policy they hold for.

    An upper bound holds with probability 1 - delta; NaN where it needs Delta and the instance has
    none. max_affected and min_uplift replace the true L and Delta.

    >>> b = bounds("gaussian", rounds=20000)
    >>> bool(b["up_ucb_bl"] < b["up_ucb"] < b["ucb"])
    True
    """
    options = {
        "rounds": rounds,
        "delta": delta,
        "max_affected": max_affected,
        "min_uplift": min_uplift,
    }
    return Bounds(_updraft.bounds(_as_instance(instance), options))


def policies() -> list[dict[str, Any]]:
    """All policies for policy(): name, aliases, summary, index, reference, status, what each needs
    to know, and its parameters.

    >>> [p["needs"] for p in policies() if p["name"] == "up_ucb_bl"]
    [['baseline', 'affected']]
    """
    return _updraft.policies()


def campaign_policies() -> list[dict[str, Any]]:
    """The same for campaign().

    >>> campaign_policies()[0]["name"]
    'c2_up_ucb'
    """
    return _updraft.campaign_policies()


def save(policy: Policy | CampaignPolicy, path: str | os.PathLike[str]) -> None:
    """Saves a policy in the library's own format, which C++ programs read as well.

    The file is replaced as a whole or not at all. It holds all that was told and learnt, but not the
    seed (a pickle does).

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "policy"
    ...     save(policy("ucb(alpha=2)", actions=3, variables=1), path)
    ...     load(path)
    <updraft.Policy ucb(alpha=2): 3 actions, 1 variable, rounds seen 0>
    """
    if isinstance(policy, CampaignPolicy):
        _updraft.save_campaign_policy(policy, path)
    else:
        _updraft.save_policy(policy, path)


def load(path: str | os.PathLike[str], *, seed: int = 1, run: int = 0) -> Any:
    """The Policy or CampaignPolicy as it was saved: the same next choices, bit for bit, given the
    same seed.

    Raises ValueError where the file is foreign or damaged, RuntimeError where it cannot be read.
    """
    if _updraft.is_campaign_policy(path):
        return _updraft.load_campaign_policy(path, seed, run)
    return _updraft.load_policy(path, seed, run)
