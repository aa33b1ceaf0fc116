#!/usr/bin/env python3
"""Plays Updraft and its Python yardsticks side by side and shows who is how much faster.

For every instance and policy: checks that each yardstick decides as Updraft does on the same
payoffs, times the yardsticks, then Updraft, all on one thread and over the same rounds. There are
two groups: straightforward yardsticks, against which the goals are set, and the strongest we could
write. Rates are rounds per second. All goes to bench/results.json, a table to docs/performance.md.
A full comparison takes about 8 minutes.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # leave no files beside the sources

from page import replace_part  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="INSTANCE/POLICY",
        help="compare this one only, for example gaussian/ucb; may be repeated",
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds: rough figures")
    parser.add_argument("--build-dir", default="build", help="where Updraft was built (build)")
    parser.add_argument(
        "--out",
        help="where to write the results (bench/results.json; with --only or --quick: nowhere)",
    )
    parser.add_argument(
        "--no-docs",
        action="store_true",
        help="leave docs/performance.md alone, as --only and --quick do",
    )
    return parser.parse_args()


def wanted_cases(only, updraft):
    from yardsticks.cases import PARAMETERS, POLICIES, Case

    names = [f"{instance}/{policy}" for instance in PARAMETERS for policy in POLICIES]
    for name in only or ():
        if name not in names:
            sys.exit(f"compare.py: no {name}; there are {', '.join(names)}")
    wanted = [name for name in names if not only or name in only]
    instances = {}
    for name in wanted:
        instance, policy = name.split("/")
        if instance not in instances:
            instances[instance] = updraft.instance(instance)
        yield Case(instances[instance], policy)


def compare(case, updraft, quick):
    """Checks and times everything for one case; returns its entry of the results."""
    from yardsticks.cases import STRAIGHTFORWARD, STRONGEST
    from yardsticks.catalogue import contenders_of
    from yardsticks.replay import Differs, check, read_trace
    from yardsticks.report import short, summarise
    from yardsticks.timing import measure

    print(f"{case.instance.name}, {case.spec}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        updraft.trace(case, case.checked_rounds, folder)
        trace = read_trace(folder, case)
    measured = []
    for contender in contenders_of(case):
        yardstick = contender.make(case)
        try:
            rounds, ties = check(yardstick, trace)
        except Differs as difference:
            sys.exit(f"compare.py: {case.name}: {contender.group}: {difference}")
        result = measure(yardstick, contender.group, case.span, quick)
        measured.append((contender, yardstick.title, result))
        print(
            f"  {contender.group:15} {yardstick.title:30} {short(result.rate):>7}/s over "
            f"{result.rounds} rounds, best of {result.repetitions}; "
            f"same decisions in {rounds} rounds, {ties} ties",
            flush=True,
        )
    entry = summarise(case, measured, updraft.rate(case, quick))
    plain, strongest = entry[STRAIGHTFORWARD], entry[STRONGEST]
    print(f"  {'Updraft':46} {short(entry['updraft_rounds_per_second']):>7}/s, best of 3")
    print(
        f"  {plain['ratio']:.1f} times {plain['best']} (goal: {case.goal}, "
        f"{'reached' if entry['reached'] else 'not reached'}), "
        f"{strongest['ratio']:.1f} times the strongest {strongest['best']}\n",
        flush=True,
    )
    return entry


def main():
    arguments = parse_arguments()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from yardsticks.packages import ensure_packages

    ensure_packages({"numpy": "python3-numpy", "numba": "python3-numba"})
    for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{name}_NUM_THREADS"] = "1"  # before numpy is loaded
    from yardsticks import report
    from yardsticks.updraft import Updraft

    partial = bool(arguments.only) or arguments.quick
    out = arguments.out or (None if partial else ROOT / "bench" / "results.json")
    if out and not Path(out).resolve().parent.is_dir():
        sys.exit(f"compare.py: cannot write {out}: there is no such folder")
    updraft = Updraft(ROOT / arguments.build_dir)
    cases = list(wanted_cases(arguments.only, updraft))
    entries = [compare(case, updraft, arguments.quick) for case in cases]
    facts = report.machine(updraft.compiler())
    text = report.text(entries, facts)
    print(text)

    if out:
        report.write_results(out, facts, entries, arguments.quick)
    if partial or arguments.no_docs:
        print("\ndocs/performance.md is left alone.")
        return
    replace_part("compare", text.splitlines())
    print("\ndocs/performance.md: table replaced.")


if __name__ == "__main__":
    main()
