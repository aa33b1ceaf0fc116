"""Which yardsticks play which case."""

from dataclasses import dataclass
from functools import partial
from typing import Callable

from .batched import Batched
from .cases import STRAIGHTFORWARD, STRONGEST, UNKNOWN_SETS
from .jitted import Jitted
from .jitted_each_round import JittedEachRound
from .one_run import OnTotals, Plain, Tuned
from .seen_only import borrowers_of


@dataclass
class Contender:
    group: str
    make: Callable  # of a case
    borrows: bool = False  # Updraft's idea


def contenders_of(case):
    if not case.instance.binary:
        both = [Tuned, Batched]
    elif case.policy in UNKNOWN_SETS:
        both = [Tuned]
    else:
        both = [OnTotals]
    plain = [Plain, *(partial(make, each_round=True) for make in both), JittedEachRound]
    if OnTotals in both:
        plain.insert(1, partial(Tuned, each_round=True))
    strongest = [*(partial(make, each_round=False) for make in both), Jitted]
    return (
        [Contender(STRAIGHTFORWARD, make) for make in plain]
        + [Contender(STRONGEST, make) for make in strongest]
        + [Contender(STRONGEST, make, borrows=True) for make in borrowers_of(case)]
    )
