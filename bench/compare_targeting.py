#!/usr/bin/env python3
"""Sets Updraft's targeting policies beside numpy and scikit-learn.

Both sides play c2_up_ucb on the same pools and payoffs, with 12 features. First decisions are
compared: a yardstick follows Updraft's rounds and chooses for itself in each. Then both play on
their own, in turns, and the best time of each counts. One thread each, but two for choosing among a
million. All goes to bench/targeting.json, a table to docs/performance.md. Takes about 2 minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # leave no files beside the sources

from page import replace_part  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BETA = 2.0
FEATURES = 12
TIE = 1e-9  # indices this close count as equal


@dataclass
class Shape:
    features: int
    treatments: int
    budget: int
    individuals: int  # a round
    rounds: int

    @property
    def rows(self):
        return self.individuals * self.rounds


@dataclass
class Case:
    name: str
    model: str
    shape: Shape
    goal: str
    pool: int = 0  # > 0: learn from all rounds, then choose among so many

    @property
    def spec(self):
        return f"c2_up_ucb(beta={BETA:g}, model={self.model})"


def cases(quick):
    many = 100_000 if quick else 1_000_000
    choice = Shape(FEATURES, 3, many // 100, 20_000, 1)  # learns from 20,000 first
    return [
        Case("linear", "linear", Shape(FEATURES, 1, 10, 100, 200 if quick else 2000), "10x"),
        Case("logistic", "logistic", Shape(FEATURES, 1, 10, 100, 50 if quick else 200), "10x"),
        *(
            Case(f"{model}, {many:,} people", model, choice, "0.5 s", many)
            for model in ("linear", "logistic")
        ),
    ]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds: rough figures")
    parser.add_argument("--turns", type=int, default=5, help="how often both sides play (5)")
    parser.add_argument("--build-dir", default="build", help="where Updraft was built (build)")
    parser.add_argument("--no-docs", action="store_true", help="write nothing, as --quick does")
    return parser.parse_args()


def make_rounds(case, folder):
    """Draws the features of all and what each would pay; writes them for Updraft too."""
    import numpy as np

    shape, rng = case.shape, np.random.default_rng(1)
    features = rng.random((shape.rows, shape.features))
    theta = rng.normal(size=(shape.treatments + 1, shape.features))
    theta[1:] = theta[0] + 0.5 * theta[1:]
    scores = features @ theta.T
    payoffs = scores + 0.1 * rng.normal(size=scores.shape)
    if case.model == "logistic":
        payoffs = (rng.random(scores.shape) < 1.0 / (1.0 + np.exp(-scores))).astype(float)
    numbers = (shape.features, shape.treatments, shape.budget, shape.individuals, shape.rounds)
    (folder / "shape.txt").write_text(" ".join(map(str, numbers)) + "\n")
    features.tofile(folder / "features.f64")
    payoffs.tofile(folder / "payoffs.f64")
    given = rng.integers(0, shape.treatments + 1, shape.rows).astype(np.uint32)
    given.tofile(folder / "treatments.u32")
    pool = rng.random((case.pool, shape.features))
    pool.tofile(folder / "pool.f64")
    return Rounds(shape, features, payoffs, given, pool)


class Rounds:
    def __init__(self, shape, features, payoffs, given, pool):
        import numpy as np

        size = (shape.rounds, shape.individuals)
        self.features = features.reshape(*size, -1)
        self.payoffs = payoffs.reshape(*size, -1)
        self.given = given.reshape(size)
        self.pool = pool
        self.everyone = np.arange(shape.individuals)

    def __iter__(self):
        return zip(self.features, self.payoffs)

    def pay(self, payoffs, treated):
        return payoffs[self.everyone, treated]

    def learn_all(self, yardstick):
        yardstick.start()
        for pool, payoffs, given in zip(self.features, self.payoffs, self.given):
            yardstick.observe(pool, given, self.pay(payoffs, given))


def yardsticks_of(case):
    from yardsticks import targeting

    if case.model == "linear":
        kinds = [targeting.Linear, targeting.LinearByCholesky]
        if not case.pool:
            kinds.insert(0, targeting.LinearStraightforward)
        return [kind(case.shape, BETA) for kind in kinds]
    solvers = ("lbfgs", "newton-cholesky", "newton-cg")
    if case.pool:  # choosing does not depend on how the models were fitted
        return [targeting.LogisticByNewton(case.shape, BETA)]
    fitted = [targeting.LogisticBySklearn(case.shape, BETA, solver) for solver in solvers]
    return [*fitted, targeting.LogisticByNewton(case.shape, BETA)]


def updraft_seconds(program, case, folder, repetitions=2):
    mode = "select" if case.pool else "play"
    command = [program, mode, case.spec, folder, repetitions]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"compare_targeting.py: {' '.join(map(str, command))} failed:\n{done.stderr}")
    return min(map(float, done.stdout.split()))


def same_choice(yardstick, pool, ours, theirs):
    """Whether two choices are the same but for indices that tie."""
    import numpy as np

    if np.array_equal(ours, theirs):
        return True
    index = yardstick.indices(pool)
    rows = np.concatenate([np.zeros((1, len(pool))), index])
    of = [np.sort(rows[choice, np.arange(len(pool))]) for choice in (ours, theirs)]
    return bool(np.allclose(of[0], of[1], rtol=TIE, atol=TIE))


def agreement(case, rounds, yardstick, decisions):
    """The share of rounds in which a yardstick that follows Updraft's rounds chooses the same."""
    if case.pool:
        rounds.learn_all(yardstick)
        theirs = yardstick.choose(rounds.pool)
        return float(same_choice(yardstick, rounds.pool, decisions, theirs))
    yardstick.start()
    same = 0
    for (pool, payoffs), ours in zip(rounds, decisions.reshape(case.shape.rounds, -1)):
        same += same_choice(yardstick, pool, ours, yardstick.choose(pool))
        yardstick.observe(pool, ours, rounds.pay(payoffs, ours))
    return same / case.shape.rounds


def play(case, rounds, yardstick):
    """The seconds of a yardstick, playing on its own."""
    if case.pool:
        begin = time.perf_counter()
        yardstick.choose(rounds.pool)
        return time.perf_counter() - begin
    begin = time.perf_counter()
    yardstick.start()
    for pool, payoffs in rounds:
        treated = yardstick.choose(pool)
        yardstick.observe(pool, treated, rounds.pay(payoffs, treated))
    return time.perf_counter() - begin


def compare(case, program, turns):
    """Compares and times everything for one case; returns its entry of the results."""
    import numpy as np

    print(f"{case.name}: {case.spec}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rounds = make_rounds(case, folder)
        ours = [updraft_seconds(program, case, folder)]
        decisions = np.fromfile(folder / "decisions.u32", dtype="<u4")
        contenders = []
        for yardstick in yardsticks_of(case):
            same = agreement(case, rounds, yardstick, decisions)
            if case.model == "linear" and same < 1.0:
                sys.exit(f"compare_targeting.py: {case.name}: {yardstick.title} decides otherwise")
            contenders.append((yardstick, same, []))
        for _ in range(turns):
            for yardstick, _, seconds in contenders:
                seconds.append(play(case, rounds, yardstick))
                ours.append(updraft_seconds(program, case, folder))
    entry = summarise(case, contenders, min(ours))
    for one in entry["yardsticks"]:
        print(
            f"  {one['name']:42} {one['seconds']:8.4f} s, {one['ratio']:6.1f}x; "
            f"same choice in {100 * one['agreement']:.1f} % of rounds"
        )
    print(f"  {'Updraft':42} {entry['updraft_seconds']:8.4f} s\n", flush=True)
    return entry


def summarise(case, contenders, ours):
    return {
        "case": case.name,
        "spec": case.spec,
        **vars(case.shape),
        "pool": case.pool,
        "goal": case.goal,
        "updraft_seconds": ours,
        "yardsticks": [
            {
                "name": yardstick.title,
                "seconds": min(seconds),
                "agreement": same,
                "ratio": min(seconds) / ours,
            }
            for yardstick, same, seconds in contenders
        ],
    }


def table(entries):
    """For each case the yardstick of the goal, straightforward or the best with scikit-learn, and
    the best of the others."""
    lines = [
        "| case | yardstick | its time | Updraft | ratio | goal | same choice |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in entries:
        unit = 1 if entry["pool"] else entry["rounds"]
        best = {}
        for one in sorted(entry["yardsticks"], key=lambda one: -one["seconds"]):
            best[any(word in one["name"] for word in ("scikit-learn", "straightforward"))] = one
        goal = entry["goal"]
        for _, one in sorted(best.items(), reverse=True):
            lines.append(
                f"| {entry['case']} | {one['name']} | {span(one['seconds'] / unit)} "
                f"| {span(entry['updraft_seconds'] / unit)} | {one['ratio']:.1f}x | {goal} "
                f"| {100 * one['agreement']:.1f} % |"
            )
            goal = ""
    return "\n".join(lines)


def blas():
    """What numpy multiplies matrices with."""
    from threadpoolctl import threadpool_info

    found = [one for one in threadpool_info() if one["user_api"] == "blas"]
    return f"{found[0]['internal_api']} {found[0]['version']}" if found else "reference BLAS"


def span(seconds):
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit or name == "µs":
            return f"{seconds / unit:.3g} {name}"


def main():
    arguments = parse_arguments()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from yardsticks.packages import ensure_packages

    ensure_packages(
        {"numpy": "python3-numpy", "numba": "python3-numba", "sklearn": "python3-sklearn"}
    )
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{name}_NUM_THREADS"] = "1"  # before numpy is loaded
    import sklearn
    from yardsticks import report
    from yardsticks.updraft import compiler_of

    build = ROOT / arguments.build_dir
    program = build / "bench" / "targeting"
    if not program.exists():
        sys.exit(f"compare_targeting.py: {program} is missing; run ./dev bench")
    entries = [compare(case, program, arguments.turns) for case in cases(arguments.quick)]
    facts = report.machine(compiler_of(build))
    facts |= {"scikit-learn": sklearn.__version__, "blas": blas()}
    text = f"{table(entries)}\n\n{report.describe(facts)}"
    print(text)
    if arguments.no_docs or arguments.quick:
        print("\ndocs/performance.md is left alone.")
        return
    report.write_results(ROOT / "bench" / "targeting.json", facts, entries, quick=False)
    replace_part("targeting", text.splitlines())
    print("\ndocs/performance.md: table replaced.")


if __name__ == "__main__":
    main()
