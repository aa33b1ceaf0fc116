"""How fast a yardstick plays."""

import time
from dataclasses import dataclass

from .draws import generator


@dataclass
class Measured:
    rate: float  # rounds (of one run) per second, the best of the repetitions
    rounds: int  # 0, 1, ..., rounds - 1 of each repetition were played
    repetitions: int


def measure(yardstick, group, span, quick):
    """Plays `span` rounds from a fresh start, several times.

    A yardstick that would take far too long gives up early: then `rounds` is less than `span`.
    """
    enough, most = (0.5, 2) if quick else (4.0, 5)
    trial, longest = (0.5, 1.0) if quick else (2.0, 40.0)
    yardstick.start()
    yardstick.advance(min(span, 30), generator(group, 0))  # compiles, and touches the memory
    best, spent = Measured(0.0, 0, 0), 0.0
    for repetition in range(1, most + 1):
        rounds, seconds = _play(yardstick, span, trial, longest, generator(group, repetition))
        spent += seconds
        rate = rounds * getattr(yardstick, "runs", 1) / seconds
        best = Measured(max(rate, best.rate), rounds, repetition)
        if spent > enough:
            break
    return best


def _play(yardstick, span, trial, longest, rng):
    """Plays on while the trial lasts, and after it if all would end within `longest` seconds."""
    yardstick.start()
    done, chunk, seconds = 0, max(1, span // 50), 0.0
    begin = time.perf_counter()
    while done < span and (seconds < trial or seconds * span < longest * done):
        rounds = min(chunk, span - done)
        yardstick.advance(rounds, rng)
        done += rounds
        before, seconds = seconds, time.perf_counter() - begin
        if seconds - before < 0.05:
            chunk *= 2
    return done, seconds
