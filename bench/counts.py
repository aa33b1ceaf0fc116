#!/usr/bin/env python3
"""Counts the instructions that a round takes, for fixed workloads, and compares them with
bench/counts.json. Needs valgrind and the program (`./dev counts` installs and builds both).

A count is that of a long simulation less that of a short one, per round, on one thread: starting up
drops out. valgrind runs the kernels for AVX2, so that counts do not depend on the machine, only on
the compiler and its libraries; other load does not change them. Each change of more than 5 % is
named, and makes the program end with 1. Takes about two minutes.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "bench" / "counts.json"
WORTH_NAMING = 0.05

# Instance, policy, rounds of the short and of the long simulation. Parameters are the paper's. Starting
# up varies by some 10,000 instructions, so cheap rounds need a long simulation.
WORKLOADS = [
    ("gaussian", "ucb(alpha=2)", 200, 10200),
    ("gaussian", "ts(sigma2=0.08)", 200, 10200),
    ("gaussian", "up_ucb_bl(alpha=5)", 200, 10200),
    ("gaussian", "up_ucb(alpha=3)", 200, 10200),
    ("gaussian", "up_ucb_l_bl(alpha=5)", 200, 1200),
    ("gaussian", "up_ucb_l(alpha=3)", 200, 1200),
    ("gaussian", "up_ts", 100, 300),
    ("gaussian", "up_ts_sparse", 50, 100),
    ("criteo", "ucb(alpha=7e-7)", 100, 5100),
    ("criteo", "ts(sigma2=2e-7)", 100, 5100),
    ("criteo", "up_ucb_bl(alpha=8e-5)", 100, 5100),
    ("criteo", "up_ucb(alpha=8e-5)", 100, 5100),
    ("criteo", "up_ucb_l_bl(alpha=5e-7)", 50, 150),
    ("criteo", "up_ucb_l(alpha=2e-6)", 50, 150),
    ("contextual-linear", "lin_up_ucb(beta=1)", 20, 60),
]


def fail(message):
    sys.exit(f"counts.py: {message}")


def instructions(program, instance, policy, rounds):
    """Of one simulation of one run."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, "simulate",
             "--instance", instance, "--policy", policy, "--rounds", str(rounds), "--runs", "1",
             "--seed", "1", "--threads", "1", "--json", "--quiet"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={"PATH": "/usr/bin:/bin"})
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        fail(f"{instance} {policy} failed:\n{done.stderr}")
    return int(collected.group(1))


def per_round(program, instance, policy, short, long):
    both = [instructions(program, instance, policy, rounds) for rounds in (short, long)]
    return round((both[1] - both[0]) / (long - short))


def changed(name, before, now):
    """The line of a table."""
    if before is None:
        return f"{name:45} {now:>14,} new"
    ratio = now / before
    note = "" if abs(ratio - 1) <= WORTH_NAMING else "  <- more" if ratio > 1 else "  <- fewer"
    return f"{name:45} {now:>14,} {ratio:6.3f}{note}"


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "updraft"), help="(build/updraft)")
    parser.add_argument("--only", metavar="TEXT", default="", help="workloads whose name contains this")
    parser.add_argument("--against", metavar="PROGRAM",
                        help="compare with the counts of another program, not with bench/counts.json")
    parser.add_argument("--keep", action="store_true", help="write the counts to bench/counts.json")
    given = parser.parse_args()
    if given.keep and (given.only or given.against):
        parser.error("--keep writes the counts of all workloads: not with --only or --against")
    return given


def main():
    given = parse_arguments()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    counts = {}
    named = False
    print(f"{'instructions per round':45} {'now':>14} {'ratio':>6}")
    for instance, policy, short, long in WORKLOADS:
        name = f"{instance} {policy}"
        if given.only not in name:
            continue
        counts[name] = per_round(given.program, instance, policy, short, long)
        before = kept.get(name)
        if given.against:
            before = per_round(given.against, instance, policy, short, long)
        line = changed(name, before, counts[name])
        named = named or "<-" in line
        print(line, flush=True)
    if not counts:
        fail(f"no workload contains '{given.only}'")
    if given.keep:
        KEPT.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
    elif named:
        sys.exit(1)


if __name__ == "__main__":
    main()
