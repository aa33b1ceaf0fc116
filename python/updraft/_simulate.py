"""Simulations: built-in policies on instances in C++, everything else in Python."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Union

import numpy as np

from updraft import _updraft
from updraft._own import Makers, Meter, OwnEnvironment, PolicyMaker, World, check_maker, play
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
    the instance knows; with an empty list, nothing.
    progress: True shows it on stderr; a function is called now and then with the share done.

    Warns if the theorem of a policy does not hold: it was made with `delta` and the noise of the
    instance is wider than the theorem allows, or its `max_affected`, `min_uplift` or `effect_gap` is
    not true of the instance. `warnings` of the result has the same texts.

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
        "tell": None if tell is None else [tell] if isinstance(tell, str) else list(tell),
    }
    with _reporting(progress) as report:
        if isinstance(instance, OwnEnvironment):
            result, notes = _with_own(instance, given, options, report)
        elif isinstance(instance, str) and _updraft.names_contexts(instance):
            result, notes = _on_built_in(instance, given, options, report)
        else:
            result, notes = _on_built_in(as_instance(instance), given, options, report)
    result.warnings = notes
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


def _on_built_in(
    world: Instance | str,
    policies: list[str | PolicyMaker],
    options: Mapping[str, Any],
    report: Report | None,
) -> tuple[SimulationResult, list[str]]:
    specs = [policy for policy in policies if isinstance(policy, str)]
    if len(specs) == len(policies):
        table = _updraft.simulate(world, specs, options, report)
        notes = table.pop("warnings")
        return SimulationResult(table), notes
    if isinstance(world, str):
        raise ValueError("policies: a contextual bandit takes specs only")
    return _with_own(world, policies, options, report)


def _with_own(
    world: World,
    policies: list[str | PolicyMaker],
    options: Mapping[str, Any],
    report: Report | None,
) -> tuple[SimulationResult, list[str]]:
    if not policies:
        raise ValueError("policies: give at least one")
    options = {**options, **_updraft.checked_options(options)}
    makers = Makers(world, options)
    in_cpp = [p for p in policies if isinstance(p, str)] if isinstance(world, Instance) else []
    for policy in policies:  # refuse bad ones before the others have run for an hour
        if policy not in in_cpp:
            makers.learner(policy if isinstance(policy, str) else check_maker(policy), run=0)
    each = options["runs"] * options["rounds"]
    meter = Meter(report, each * len(policies))
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    if isinstance(world, Instance) and in_cpp:
        built_in = _updraft.simulate(world, in_cpp, options, meter.part(each * len(in_cpp)))
        del built_in["curve_round"]
        notes = built_in.pop("warnings")
        rows = [{key: built_in[key][row] for key in built_in} for row in range(len(in_cpp))]
    points = _updraft.spaced_rounds(options["rounds"], options["curve_points"])
    for place, policy in enumerate(policies):
        if policy not in in_cpp:
            rows.insert(place, play(world, policy, makers, points.tolist(), options, meter))
    result = SimulationResult({key: np.array([row[key] for row in rows]) for key in rows[0]})
    result["curve_round"] = points
    result.measure = "regret" if world.gaps is not None else "reward"
    return result, notes
