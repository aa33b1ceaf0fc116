"""Policies and environments that users write."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from updraft import _updraft
from updraft._updraft import Instance, Policy

Floats = NDArray[np.float64]
Payoffs = Any  # whatever Policy.update takes


class OwnPolicy(Protocol):
    """What an object must have to be a policy in simulate()."""

    def select(self) -> int:
        """The action to take next."""

    def update(self, action: int, payoffs: Floats) -> object:
        """Learns from what every variable paid in a round in which `action` was taken."""


PolicyMaker = Callable[..., OwnPolicy]


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


def _checked(maker: Any) -> PolicyMaker:
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


class OwnMaker:
    """Makes a policy of the user for each run, which knows what it needs of the world."""

    def __init__(self, maker: Any, world: Instance | OwnEnvironment, options: Mapping[str, Any]) -> None:
        self._maker = _checked(maker)
        self.name = name_of(maker)
        self._world = world
        self._options = options

    @functools.cached_property
    def _known(self) -> dict[str, Any]:
        tell = self._options["tell"]
        known = self._world.knowledge(self._options["rounds"]).items()
        always = ("actions", "variables", "observations")
        return {
            key: value
            for key, value in known
            if (key != "segments" if tell is None else key in tell) or key in always
        }

    def __call__(self, run: int) -> OwnPolicy:
        known = {name: self._known[name] for name in ("actions", "variables")}
        known |= {need: self._needed(need, run) for need in _needs(self._maker)}
        policy = self._maker(**known)
        for method in ("select", "update"):
            if not callable(getattr(policy, method, None)):
                raise ValueError(f"{self.name}: must have a method {method}()")
        return policy

    def _needed(self, need: str, run: int) -> Any:
        seed = self._options["seed"]
        if need == "rng":
            return np.random.default_rng([seed, run, 1])
        if need == "observations" and isinstance(self._world, Instance):
            return self._world.environment(seed, run).observe_baseline()
        if need not in self._known:
            known = ", ".join(sorted({*self._known, "rng"} - {"actions", "variables"}))
            raise ValueError(f"{self.name}.needs = {need}: is not known; known are {known}")
        return self._known[need]
