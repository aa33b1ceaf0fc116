"""Statements that hold at every time: settled, gain over a holdout, guardrails."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Union

from numpy.typing import ArrayLike

from updraft import _updraft
from updraft._logs import PathLike, log_format
from updraft._updraft import Policy

Guardrails = Mapping[str, Union[ArrayLike, tuple[ArrayLike, float]]]


class SharedDecision(NamedTuple):
    """What Evidence.decide() decided."""

    number: int
    action: int
    probability: float
    """Of the action, in the mixture of the policy, the holdout and the probes."""
    candidate: int
    """What the policy would have taken."""
    of: str
    """Whose round it is: "policy", "holdout" or "probe"."""


class Evidence:
    """What is known of a plain policy at work, at whatever time you look.

    policy: decides and learns through this object. Affected sets that it knows make comparisons
    sharper.
    control: the action that the gain and the guardrails compare with.
    holdout: the share of rounds that take the control action.
    probe: the share of rounds that take what settles the question soonest.
    guardrails: by name, the variables whose sum must not fall, or (variables, how far it may fall).
    Without a control action they are compared with the baseline that the policy knows.
    pause: whether an action that breaks a guardrail is not taken any more.
    error: the probability with which each of the three statements may ever be wrong.

    >>> import random, updraft as ud
    >>> p = ud.policy("up_ts", actions=2, variables=3, affected=[[0], [1]])
    >>> e = Evidence(p, control=0, holdout=0.2, guardrails={"third": [2]})
    >>> draw = random.Random(1)
    >>> for day in range(300):
    ...     d = e.decide()
    ...     noise = [draw.gauss(0, 1) for _ in range(3)]
    ...     e.update(d, [noise[0], noise[1] + 2 * (d.action == 1), noise[2]])
    >>> e.settled()["settled"], e.settled()["best"]
    (True, 'action 1')
    >>> e.gain()["low"] > 0
    True
    >>> e.guardrails()
    []
    """

    def __init__(
        self,
        policy: Policy,
        *,
        control: int | None = None,
        holdout: float = 0.0,
        probe: float = 0.0,
        guardrails: Guardrails | None = None,
        pause: bool = False,
        error: float = 0.05,
        action_names: Sequence[str] = (),
    ) -> None:
        self.policy = policy
        options = _options(control, guardrails, pause, error)
        options |= {"holdout": holdout, "probe": probe}
        self._evidence = _updraft.Evidence(policy, options, list(action_names))

    def decide(self) -> SharedDecision:
        """The next decision: the policy's, or one of the holdout or the probes."""
        return SharedDecision(**self._evidence.decide(self.policy))

    def update(self, decision: SharedDecision | int, payoffs: Any) -> None:
        """The policy learns, and the evidence counts the payoffs.

        decision: of decide(), or an action that was taken otherwise; the gain leaves that out.
        """
        if isinstance(decision, SharedDecision):
            self.policy.update(decision.action, payoffs)
            self._evidence.observed(decision.action, decision.candidate, decision.of, payoffs)
        else:
            self.policy.update(decision, payoffs)
            self._evidence.observed(decision, None, "policy", payoffs)

    def settled(self) -> dict[str, Any]:
        """Whether the best action is known, or about how many more rounds it takes.

        settled, text, error, disputed, rivals; best and since; leader and more_rounds.
        """
        return json.loads(self._evidence.settled(self.policy))  # type: ignore[no-any-return]

    def gain(self) -> dict[str, Any] | None:
        """What the policy's choices gain over the control action, per round; None without holdout.

        control, text, counted, held_out, gain, low and high, which assume nothing; by_sets: the same
        if the affected sets are right; by_model: by the policy; disagree: whether these contradict
        each other.
        """
        return json.loads(self._evidence.gain(self.policy))  # type: ignore[no-any-return]

    def guardrails(self) -> list[dict[str, Any]]:
        """The alarms: guardrail, action, text, since, change, low, high, allowed, pauses."""
        return json.loads(self._evidence.guardrails())  # type: ignore[no-any-return]

    @property
    def paused(self) -> list[int]:
        """Actions that only the holdout still takes."""
        return self._evidence.paused


def evidence_of(
    path: PathLike,
    *,
    control: str | None = None,
    guardrails: Mapping[str, Iterable[str] | tuple[Iterable[str], float]] | None = None,
    affected: ArrayLike | Sequence[ArrayLike] | None = None,
    baseline: ArrayLike | None = None,
    error: float = 0.05,
    **format: Any,
) -> dict[str, Any]:
    """What a decision log proves, wherever it ends: settled, gain and guardrails, as Evidence.

    control: the name of an action; the gain is that of the log's decisions over always taking it,
    or has a refusal: why it is not known.
    guardrails: as of Evidence, with names of variables.
    format: as in read_log().

    >>> import pathlib, tempfile, updraft as ud
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "log.csv"
    >>> ud.write_log("marketing", "up_ts", path, rounds=300, explore=0.5)
    >>> found = evidence_of(path, control=ud.read_log(path)["actions"][0])
    >>> sorted(found)
    ['gain', 'guardrails', 'rounds', 'settled']
    >>> found["settled"]["text"].startswith(("settled: ", "not settled: "))
    True
    >>> folder.cleanup()
    """
    known = {k: v for k, v in (("affected", affected), ("baseline", baseline)) if v is not None}
    options = _options(control, guardrails, False, error)
    return json.loads(  # type: ignore[no-any-return]
        _updraft.evidence_of(path, options, known, log_format(format))
    )


def _options(
    control: int | str | None, guardrails: Mapping[str, Any] | None, pause: bool, error: float
) -> dict[str, Any]:
    listed = []
    for name, given in (guardrails or {}).items():
        variables, tolerance = given if isinstance(given, tuple) else (given, 0.0)
        listed.append(
            {"name": name, "variables": variables, "tolerance": tolerance, "pause": pause}
        )
    options: dict[str, Any] = {"error": error, "guardrails": listed}
    if control is not None:
        options["control"] = control
    return options
