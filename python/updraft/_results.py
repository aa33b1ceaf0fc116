"""The results of simulations and bounds: dicts that can become tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

_SUMMARY = ("mean", "sd", "stderr", "p95")


class SimulationResult(dict[str, Any]):
    """Regrets of P policies over R runs, as a dict of arrays.

    policy (P): their specs, with the policy that "auto" picked in its place
    mean, sd, stderr, p95 (P): of the regret after the last round, over runs
    runs (P x R): that regret, run by run
    pulls (P x actions): how often each action was taken, mean over runs
    curve_round (C): the rounds of the curves
    curve_mean, curve_sd, curve_stderr, curve_p95 (P x C): of the regret after these rounds

    If an environment of your own does not give the expected rewards, `measure` is "reward" instead
    of "regret", and the numbers are those of the payoffs collected: more is better.
    """

    measure: str = "regret"
    warnings: list[str] = []  # policies whose theorem does not hold, and why

    def to_pandas(self, what: str = "summary") -> pandas.DataFrame:
        """A pandas DataFrame: "summary" has a row per policy, "runs" one per policy and run,
        "curve" one per policy and round of its curve.
        """
        import pandas

        if what == "summary":
            return pandas.DataFrame({key: self[key] for key in ("policy", *_SUMMARY)})
        if what == "runs":
            policies, runs = self["runs"].shape
            columns = {
                "policy": np.repeat(self["policy"], runs),
                "run": np.tile(np.arange(runs), policies),
                self.measure: self["runs"].ravel(),
            }
        elif what == "curve":
            policies, points = self["curve_mean"].shape
            columns = {
                "policy": np.repeat(self["policy"], points),
                "round": np.tile(self["curve_round"], policies),
            }
            columns |= {key: self[f"curve_{key}"].ravel() for key in _SUMMARY}
        else:
            raise ValueError(f"what = {what}: must be summary, runs or curve")
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        width = max(len(spec) for spec in self["policy"])
        lines = [
            f"  {spec:{width}}  {mean:.6g} ± {error:.2g}"
            for spec, mean, error in zip(self["policy"], self["mean"], self["stderr"])
        ]
        rounds, runs = self["curve_round"][-1], self["runs"].shape[1]
        head = f"<updraft.SimulationResult: mean {self.measure} after {rounds} rounds, {runs} runs"
        return "\n".join([head, *lines]) + ">"


class Bounds(dict[str, float]):
    """Bounds on the regret: name -> value. to_pandas() has their kinds, formulas and sources.

    alpha: the alpha of the policy for which an upper bound holds
    expected: bounds on the expected regret, if the policy is given delta = 1/rounds
    """

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        super().__init__((row["name"], row["value"]) for row in rows)
        self.alpha = {row["name"]: row["alpha"] for row in rows if "alpha" in row}
        self.expected = {row["name"]: row["expected"] for row in rows if "expected" in row}
        self._rows = rows

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame with a row per bound."""
        import pandas

        return pandas.DataFrame(self._rows)
