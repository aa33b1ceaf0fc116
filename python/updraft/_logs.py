"""Decision logs: write, read, evaluate policies on them, learn from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from numpy.typing import ArrayLike

from updraft import _updraft
from updraft._simulate import InstanceLike, as_instance
from updraft._updraft import Policy

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

PathLike = Union[str, "os.PathLike[str]"]
_FORMAT = ("columns", "payoff_columns", "absent", "actions", "variables")


class Evaluation(list[dict[str, Any]]):
    """Estimates of what policies would have paid per round: a dict for each policy and estimator.

    Each has policy, estimator, value, stderr, low and high (95 %), and the same of the gain over the
    policy of the log: gain, gain_low, gain_high. The first is "as logged".
    picked_because: by policy that auto picked, why, with what the theorem's alpha can cost.
    refusals: by policy, why it has no estimates.
    effective_rounds: by policy, the effective sample size.
    overlap_rounds: by policy, the rounds in which the log could have taken its actions.
    """

    rounds: int
    picked_because: dict[str, str]
    refusals: dict[str, str]
    effective_rounds: dict[str, float]
    overlap_rounds: dict[str, int]

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame with a row for each policy and estimator."""
        import pandas

        return pandas.DataFrame(list(self))


def write_log(
    instance: InstanceLike,
    policy: str,
    path: PathLike,
    rounds: int = 1000,
    *,
    explore: float = 0.0,
    holdout: tuple[str, float] | None = None,
    long: bool = False,
    seed: int = 1,
    tell: Iterable[str] | None = None,
) -> None:
    """Plays a policy on an instance and writes its decisions as a decision log.

    path: ends in .csv or .ndjson, and in .gz if the log is to be packed.
    explore: the share of decisions that are taken uniformly at random.
    holdout: the name of a control action, and the share of decisions that take it.
    long: a row for each payoff instead of one for each decision.
    tell: as in simulate().

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "log.csv.gz"
    >>> write_log("marketing", "up_ts", path, rounds=200, explore=0.2)
    >>> log = read_log(path)
    >>> log["payoffs"].shape == (200, len(log["variables"]))
    True
    >>> bool((log["probability"] >= 0.2 / len(log["actions"])).all())
    True
    >>> folder.cleanup()
    """
    options = {
        "rounds": rounds,
        "seed": seed,
        "explore": explore,
        "holdout": holdout,
        "long": long,
        "tell": None if tell is None else [tell] if isinstance(tell, str) else list(tell),
    }
    _updraft.write_log(as_instance(instance), policy, path, options)


def read_log(path: PathLike, **format: Any) -> dict[str, Any]:
    """Reads a decision log, all of it, into arrays.

    Returns actions and variables (names), action (ids), probability (NaN if the log has none),
    probabilities (rounds x actions, if the log has those of all actions) and payoffs (rounds x
    variables).

    columns: names of columns in the file by what they mean: {"action": "arm", "probability": "p"}.
    payoff_columns: the columns that are variables, if the file has others too.
    absent: "zero" if variables without a payoff paid 0; otherwise all must have one.
    actions, variables: their names in order of id; others are refused.
    """
    return _updraft.read_log(path, log_format(format))


def evaluate(
    path: PathLike,
    policies: str | Iterable[str] = (),
    *,
    fixed: Mapping[str, ArrayLike] | None = None,
    affected: ArrayLike | Sequence[ArrayLike] | None = None,
    baseline: ArrayLike | None = None,
    seed: int = 1,
    knowledge: Mapping[str, Any] | None = None,
    **format: Any,
) -> Evaluation:
    """Estimates from a decision log what other policies would have paid.

    "always NAME" of every action comes first. Probabilities must be those with which the log took
    its actions.

    policies: specs of policies that learn; they are replayed on the log.
    fixed: by name, policies that take each action with a fixed probability.
    affected: per action, the variables that it affects. With them there is an estimator that leaves
    out the noise of all other variables, "uplift_dr".
    baseline: mean payoff of every variable if nothing is done.
    knowledge: what else policies may know, as in policy().
    format: as in read_log().

    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "log.csv"
    >>> world = as_instance("marketing")
    >>> write_log(world, "up_ts", path, rounds=400, explore=0.5)
    >>> names = read_log(path)["actions"]
    >>> e = evaluate(path, "ts", fixed={"coin": [1 / len(names)] * len(names)})
    >>> e[0]["policy"], e[1]["estimator"], e[-1]["estimator"]
    ('as logged', 'ips', 'replay')
    >>> bool(e[1]["low"] < e[1]["value"] < e[1]["high"])
    True
    >>> folder.cleanup()
    """
    known = dict(knowledge or {})
    known |= {k: v for k, v in (("affected", affected), ("baseline", baseline)) if v is not None}
    listed = [policies] if isinstance(policies, str) else list(policies)
    found = _updraft.evaluate(path, listed, dict(fixed or {}), known, log_format(format), seed)
    result = Evaluation(found["rows"])
    result.rounds = found["rounds"]
    result.picked_because = found["picked_because"]
    result.refusals = found["refusals"]
    result.effective_rounds = found["effective_rounds"]
    result.overlap_rounds = found["overlap_rounds"]
    return result


def fit(policy: Policy, path: PathLike, **format: Any) -> int:
    """Lets a plain policy learn from every decision of a log; returns their number.

    Without `actions` and `variables`, names in the log must be ids: 0, 1, ... The policy learns
    nothing unless the whole log is valid. Also called as policy.fit(path).
    """
    return _updraft.fit(policy, path, log_format(format))


def log_format(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given of the options of logs. Others are refused."""
    for name in given:
        if name not in _FORMAT:
            raise TypeError(f"{name} is not an option of logs; there are {', '.join(_FORMAT)}")
    return {name: value for name, value in given.items() if value is not None}


setattr(Policy, "fit", fit)  # a method; _updraft.pyi declares it
