"""Policies and environments that users write, and runs with them in Python."""

from __future__ import annotations

import functools
import inspect
import operator
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from updraft import _updraft
from updraft._updraft import Instance, Policy

Floats = NDArray[np.float64]
Payoffs = Any  # whatever Policy.update takes
_OBSERVATIONS = 1000  # per variable, the default of up_ucb_obs
_REPORT_SECONDS = 0.1


class OwnPolicy(Protocol):
    """What an object must have to be a policy in simulate()."""

    def select(self) -> int:
        """The action to take next."""

    def update(self, action: int, payoffs: Floats) -> object:
        """Learns from what every variable paid in a round in which `action` was taken."""


PolicyMaker = Callable[..., OwnPolicy]


class Run(Protocol):
    """One run of a world."""

    def draw(self, round: int, action: int) -> Payoffs:
        """The payoffs of taking `action` in `round`."""


class World(Protocol):
    """What policies are simulated on: an Instance or an OwnEnvironment."""

    @property
    def actions(self) -> int: ...
    @property
    def variables(self) -> int: ...
    @property
    def gaps(self) -> Floats | None: ...
    def knowledge(self, rounds: int) -> dict[str, Any]: ...
    def environment(self, seed: int, run: int) -> Run: ...


class OwnEnvironment:
    """The payoffs of a function of yours. Made by environment(); simulate() takes it as an instance."""

    def __init__(
        self, draw: Callable[..., Payoffs], knowledge: Mapping[str, Any], rewards: ArrayLike | None
    ) -> None:
        if not callable(draw):
            raise ValueError(f"draw = {draw!r}: must be a function of the action")
        self._draw = draw
        self._wants = _named(draw, ("round", "rng"))
        self._knowledge = _updraft.checked_knowledge(knowledge)
        self.gaps = None if rewards is None else _gaps(rewards, self.actions)

    @property
    def actions(self) -> int:
        """The number of actions."""
        return int(self._knowledge["actions"])

    @property
    def variables(self) -> int:
        """The number of variables."""
        return int(self._knowledge["variables"])

    def knowledge(self, rounds: int) -> dict[str, Any]:
        """Everything that can be known, as keywords of updraft.policy()."""
        return {"horizon": rounds, **self._knowledge}

    def environment(self, seed: int = 1, run: int = 0) -> OwnRun:
        """One run, to draw payoffs from."""
        rng = {"rng": np.random.default_rng([seed, run, 0])} if "rng" in self._wants else {}
        return OwnRun(functools.partial(self._draw, **rng), "round" in self._wants)

    def __repr__(self) -> str:
        return (
            f"<updraft.OwnEnvironment {name_of(self._draw)}: "
            f"{_counted(self.actions, 'action')}, {_counted(self.variables, 'variable')}>"
        )


class OwnRun:
    """One run of an environment of your own, as Environment is one of an instance."""

    def __init__(self, draw: Callable[..., Payoffs], wants_round: bool) -> None:
        self._draw = draw
        self._wants_round = wants_round

    def draw(self, round: int, action: int) -> Payoffs:
        """The payoffs of taking `action` in `round`, as your function gives them."""
        return self._draw(action, round=round) if self._wants_round else self._draw(action)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _named(function: Callable[..., Any], names: tuple[str, ...]) -> set[str]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some compiled functions have no signature
        return set()
    return {name for name in names if name in parameters}


def _gaps(rewards: ArrayLike, actions: int) -> Floats:
    values = np.asarray(rewards, dtype=np.float64)
    if values.shape != (actions,) or not np.isfinite(values).all():
        raise ValueError(f"rewards = {rewards!r}: must be one finite number per action, {actions}")
    return np.asarray(values.max() - values)


def name_of(maker: Any) -> str:
    """The name of a policy or an environment in results: its `name`, if it has one."""
    if isinstance(maker, functools.partial):
        arguments = [repr(value) for value in maker.args]
        arguments += [f"{key}={value!r}" for key, value in maker.keywords.items()]
        return f"{name_of(maker.func)}({', '.join(arguments)})"
    name = getattr(maker, "name", None)
    return name if isinstance(name, str) else getattr(maker, "__name__", type(maker).__name__)


def check_maker(maker: Any) -> PolicyMaker:
    """The maker, if it can make a policy for each run; otherwise raises ValueError."""
    if isinstance(maker, Policy):
        raise ValueError(f"policies: give the spec '{maker.spec}'; each run needs a new policy")
    if not callable(maker):
        hint = ": give its class; each run needs a new object" if hasattr(maker, "select") else ""
        raise ValueError(
            f"policies = {maker!r}: must be specs, classes or functions that make policies{hint}"
        )
    return maker  # type: ignore[no-any-return]


def _needs(maker: Any) -> list[str]:
    while isinstance(maker, functools.partial) and not hasattr(maker, "needs"):
        maker = maker.func
    needs = getattr(maker, "needs", ())
    return [needs] if isinstance(needs, str) else list(needs)


class OwnLearner:
    """A policy of the user. Its actions and payoffs are checked."""

    def __init__(self, maker: PolicyMaker, known: Mapping[str, Any], world: World) -> None:
        self.spec = name_of(maker)
        self._policy = maker(**known)
        self._world = world
        for method in ("select", "update"):
            if not callable(getattr(self._policy, method, None)):
                raise ValueError(f"{self.spec}: must have a method {method}()")

    def select(self) -> int:
        action = self._policy.select()
        try:
            action = operator.index(action)
        except TypeError:
            raise self._wrong(action, "must be a whole number") from None
        if not 0 <= action < self._world.actions:
            raise self._wrong(action, f"must be below the number of actions, {self._world.actions}")
        return action

    def update(self, action: int, payoffs: Payoffs) -> None:
        self._policy.update(action, dense(payoffs, self._world.variables))

    def _wrong(self, action: Any, rule: str) -> ValueError:
        return ValueError(f"{self.spec}.select() = {action}: {rule}")


def is_sparse(payoffs: Payoffs) -> bool:
    """Whether these are indices and values. Two numbers are the payoffs of two variables."""
    return isinstance(payoffs, tuple) and len(payoffs) == 2 and np.ndim(payoffs[0]) == 1


def dense(payoffs: Payoffs, variables: int) -> Floats:
    """One payoff per variable. Raises ValueError if the payoffs are not valid."""
    if is_sparse(payoffs):
        ids = np.asarray(payoffs[0])
        if ids.size and not (ids.dtype.kind in "iu" and 0 <= ids.min() <= ids.max() < variables):
            raise ValueError(f"payoffs: variables must be whole numbers below {variables}")
        if np.unique(ids).size < ids.size:
            raise ValueError("payoffs: a variable is repeated")
        paid = np.asarray(payoffs[1], dtype=np.float64)
        if paid.shape != ids.shape:
            raise ValueError(f"payoffs: {ids.size} variables, but values of shape {paid.shape}")
        values = np.zeros(variables)
        values[ids.astype(np.int64)] = paid
    else:
        values = np.array(payoffs, dtype=np.float64)  # a copy, which the policy may change
    if values.shape != (variables,):
        raise ValueError(f"payoffs: must be one per variable, {variables}, not {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("payoffs: must be finite")
    return values


def total(payoffs: Payoffs) -> float:
    """Their sum."""
    return float(np.sum(payoffs[1] if is_sparse(payoffs) else payoffs))


class Makers:
    """Makes the policies of a simulation. Each knows what it needs of a world, and no more."""

    def __init__(self, world: World, options: Mapping[str, Any]) -> None:
        self._world = world
        self._seed = options["seed"]
        tell = options["tell"]
        self._known = {
            name: value
            for name, value in world.knowledge(options["rounds"]).items()
            if tell is None or name in tell or name in ("actions", "variables", "observations")
        }

    def learner(self, policy: str | PolicyMaker, run: int) -> Policy | OwnLearner:
        """A new policy for a run."""
        if isinstance(policy, str):
            return Policy(policy, self._known, self._seed, run)
        known = {name: self._known[name] for name in ("actions", "variables")}
        for need in _needs(policy):
            known[need] = self._needed(name_of(policy), need, run)
        return OwnLearner(policy, known, self._world)

    def _needed(self, policy: str, need: str, run: int) -> Any:
        if need == "rng":
            return np.random.default_rng([self._seed, run, 1])
        if need == "observations" and isinstance(self._world, Instance):
            return self._world.environment(self._seed, run).observe_baseline(_OBSERVATIONS)
        if need not in self._known:
            known = ", ".join(sorted({*self._known, "rng"} - {"actions", "variables"}))
            raise ValueError(f"{policy}.needs = {need}: is not known; known are {known}")
        return self._known[need]


class Meter:
    """Counts rounds, and now and then reports the share that is done."""

    def __init__(self, report: Callable[[float], object] | None, rounds: int) -> None:
        self._report = report
        self._rounds = rounds
        self._done = 0
        self._next = time.monotonic()

    def step(self) -> None:
        self._done += 1
        report = self._report
        if report is not None and time.monotonic() >= self._next:
            report(self._done / self._rounds)
            self._next = time.monotonic() + _REPORT_SECONDS

    def part(self, rounds: int) -> Callable[[float], object] | None:
        """A report function for other code, which runs the next `rounds` rounds."""
        before = self._done
        self._done += rounds
        if self._report is None:
            return None
        report: Callable[[float], object] = self._report
        return lambda share: report((before + share * rounds) / self._rounds)


def _play_run(
    learner: Policy | OwnLearner,
    run: Run,
    gaps: list[float] | None,
    points: list[int],
    meter: Meter,
) -> tuple[list[float], list[int]]:
    """The regret after each of the points, or the payoffs so far, and the actions taken."""
    curve: list[float] = []
    taken: list[int] = []
    so_far = 0.0
    for round in range(points[-1]):
        action = learner.select()
        payoffs = run.draw(round, action)
        so_far += total(payoffs) if gaps is None else gaps[action]
        learner.update(action, payoffs)
        taken.append(action)
        if round + 1 == points[len(curve)]:
            curve.append(so_far)
        meter.step()
    return curve, taken


def play(
    world: World,
    policy: str | PolicyMaker,
    makers: Makers,
    points: list[int],
    options: Mapping[str, Any],
    meter: Meter,
) -> dict[str, Any]:
    """The row of a policy in a SimulationResult, whose curves have `points`."""
    gaps = None if world.gaps is None else world.gaps.tolist()
    curves, pulls = [], []
    for run in range(options["runs"]):
        learner = makers.learner(policy, run)
        environment = world.environment(options["seed"], run)
        curve, taken = _play_run(learner, environment, gaps, points, meter)
        curves.append(curve)
        pulls.append(np.bincount(taken, minlength=world.actions))
    table = np.array(curves)
    summaries = _updraft.summarize(table)
    row: dict[str, Any] = {"policy": learner.spec, **{key: values[-1] for key, values in summaries.items()}}
    row |= {"runs": table[:, -1], "pulls": np.mean(pulls, axis=0)}
    return row | {f"curve_{key}": values for key, values in summaries.items()}
