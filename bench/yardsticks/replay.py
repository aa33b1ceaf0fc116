"""Checks that a yardstick decides as Updraft does on the same payoffs."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TIE = 1e-9  # indices this close, relatively, count as equal


@dataclass
class Trace:
    actions: np.ndarray  # [round]
    payoffs: np.ndarray  # [round, variable], of the action taken
    normals: np.ndarray  # [round, action], or None: what ts drew


def read_trace(folder, case):
    """The trace that Updraft wrote into `folder`."""
    folder = Path(folder)
    actions = np.fromfile(folder / "actions.i32", dtype="<i4")
    name, kind = ("payoffs.u8", "u1") if case.instance.binary else ("payoffs.f64", "<f8")
    payoffs = np.fromfile(folder / name, dtype=kind).reshape(-1, case.instance.variables)
    normals = None
    if case.policy == "ts":
        normals = np.fromfile(folder / "draws.f64", dtype="<f8").reshape(-1, case.instance.actions)
    for values in (payoffs, normals):
        if values is not None and len(values) != len(actions):
            raise SystemExit(f"compare.py: the trace of {case.name} has parts of different lengths")
    return Trace(actions, payoffs, normals)


class Differs(Exception):
    """A yardstick took another action and the indices do not tie."""


def check(yardstick, trace, rows=3, seconds=5.0):
    """Replays the trace; returns how many rounds, and how many of them met a tie.

    Slow yardsticks stop after some seconds, not counting round 0, which compiles. One that plays
    many runs at once replays the same rounds in `rows` of them.
    """
    batched = getattr(yardstick, "batched", False)
    if batched:
        yardstick.start(rows)
    else:
        yardstick.start()
    ties = 0
    for t in range(len(trace.actions)):
        if t == 1:
            end = time.perf_counter() + seconds
        elif t > 0 and t % 20 == 0 and time.perf_counter() > end:
            return t, ties
        wanted = int(trace.actions[t])
        normals = None if trace.normals is None else trace.normals[t]
        if batched and normals is not None:
            normals = np.tile(normals, (rows, 1))
        taken = np.atleast_1d(yardstick.choose(normals))
        if (taken != wanted).any():
            indices = np.atleast_2d(yardstick.indices(normals))
            for action, index in zip(taken, indices):
                if action != wanted:
                    _require_tie(yardstick, t, index, int(action), wanted)
            ties += 1
        payoffs = trace.payoffs[t].copy()
        if batched:
            wanted, payoffs = np.full(rows, wanted), np.tile(payoffs, (rows, 1))
        yardstick.observe(wanted, yardstick.feedback(wanted, payoffs))
    return len(trace.actions), ties


def _require_tie(yardstick, t, index, taken, wanted):
    a, b = float(index[taken]), float(index[wanted])
    if not abs(a - b) <= TIE * max(abs(a), abs(b)):
        raise Differs(
            f"round {t}: {yardstick.title} takes action {taken} (index {a!r}), "
            f"Updraft took {wanted} (index {b!r})"
        )
