"""Simulations."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Union

from updraft import _updraft
from updraft._own import OwnEnvironment, OwnMaker, PolicyMaker
from updraft._progress import ProgressBar
from updraft._results import SimulationResult
from updraft._updraft import Instance

InstanceLike = Union[Instance, str, "os.PathLike[str]", Mapping[str, Any]]
Report = Callable[[float], object]


def as_instance(source: InstanceLike) -> Instance:
    """The instance that a name, a file or a dict describes."""
    if isinstance(source, Instance):
        return source
    if isinstance(source, Mapping):
        return _updraft.parse_instance(json.dumps(source))
    return _updraft.load_instance(os.fspath(source))


def simulate(
    instance: InstanceLike | OwnEnvironment,
    policies: str | PolicyMaker | Iterable[str | PolicyMaker],
    rounds: int = 1000,
    runs: int = 10,
    *,
    seed: int = 1,
    threads: int = 0,
    curve_points: int = 100,
    batch: int = 1,
    tell: Iterable[str] | None = None,
    progress: bool | Report = False,
) -> SimulationResult:
    """Runs policies on an instance and measures their regret.

    Every policy knows exactly what it needs, and all policies of a run meet the same noise. The
    result is the same for any number of threads; 0 takes all. Ctrl-C stops it. Other Python threads
    go on meanwhile.

    policies: specs; or classes of your own with select() and update(action, payoffs), of which one
    object plays each run. It is made with the keywords actions and variables, and those that its
    attribute `needs` names: any knowledge that policy() takes, and "rng" (a numpy Generator).
    instance: anything that instance() takes, or what environment() made; or "contextual-linear", a
    contextual bandit for the policies of context(), with other sizes or noise in parentheses:
    "contextual-linear(noise_sd=2, actions=4)".
    tell: the most that policies may know ("baseline", "affected", ...) instead of everything that
    the instance knows but segments; with an empty list or "nothing", nothing.
    batch: how many decisions policies make at once; their payoffs come after the last of them.
    progress: True shows it on stderr; a function is called now and then with the share done.

    Warns if the theorem of a policy does not hold: it was made with `delta` and the noise of the
    instance is wider than the theorem allows, or its `max_affected`, `min_uplift` or `effect_gap` is
    not true of the instance; and if "auto" picks a policy with the alpha of its theorem, which can
    cost a lot. `warnings` of the result has the same texts.

    >>> r = simulate("gaussian", ["ucb(alpha=2)", "up_ucb(alpha=3)"], rounds=300, runs=4)
    >>> list(r["policy"])
    ['ucb(alpha=2)', 'up_ucb(alpha=3)']
    >>> r["runs"].shape                          # policies x runs: regret after the last round
    (2, 4)
    >>> bool(r["mean"][1] < r["mean"][0])
    True

    >>> class RoundRobin:
    ...     def __init__(self, actions, variables):
    ...         self.actions, self.action = actions, -1
    ...     def select(self):
    ...         self.action = (self.action + 1) % self.actions
    ...         return self.action
    ...     def update(self, action, payoffs):
    ...         pass
    >>> simulate("gaussian", [RoundRobin, "up_ucb(alpha=3)"], rounds=300, runs=4)["mean"].argmax()
    0
    """
    given = _listed(policies)
    options = {
        "rounds": rounds,
        "runs": runs,
        "seed": seed,
        "threads": threads,
        "curve_points": curve_points,
        "batch": batch,
        "tell": None if tell is None else [tell] if isinstance(tell, str) else list(tell),
    }
    contextual = isinstance(instance, str) and _updraft.names_contexts(instance)
    world: Any = instance if contextual or isinstance(instance, OwnEnvironment) else as_instance(instance)
    entries = [p if contextual or isinstance(p, str) else OwnMaker(p, world, options) for p in given]
    with _reporting(progress) as report:
        table = _updraft.simulate(world, entries, options, report)
    notes = table.pop("warnings")
    result = SimulationResult(table)
    result.warnings = notes
    if isinstance(world, OwnEnvironment) and world.gaps is None:
        result.measure = "reward"
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return result


def _listed(policies: str | PolicyMaker | Iterable[str | PolicyMaker]) -> list[str | PolicyMaker]:
    if isinstance(policies, (str, type)) or not isinstance(policies, Iterable):
        return [policies]
    return list(policies)


@contextmanager
def _reporting(progress: bool | Report) -> Iterator[Report | None]:
    if progress is True:
        with ProgressBar() as bar:
            yield bar
    elif progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        raise ValueError(f"progress = {progress!r}: must be True, False or a function")
