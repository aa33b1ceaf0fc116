#!/usr/bin/env python3
"""Compares the service with an earlier build of it under the same load, in turns: 100,000 dense payoffs
over 8 connections unless told otherwise. Prints both rates and their ratio, and the same of the processor
time of the service for a request, which load on the machine changes less.

Needs Python alone, and bench/service_load and updraft in both build folders.
"""

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from serve import MODES, ROOT, Server, load


def milliseconds_of_processor(pid):
    """Those of the process so far, in user and kernel mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("earlier", type=Path, help="the build folder of the earlier program")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--mode", choices=MODES, default="large-dense")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="shorter and rough")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.repeats = 1, 2
    rates = {"earlier": [], "now": []}
    costs = {"earlier": [], "now": []}
    for turn in range(arguments.repeats):
        for name, build in ("earlier", arguments.earlier.resolve()), ("now", arguments.build.resolve()):
            with tempfile.TemporaryDirectory(prefix="updraft-bench-") as folder, \
                    Server(build, Path(folder) / "campaigns.db") as server:
                row = load(arguments.build.resolve(), server.port, arguments.mode,
                           connections=arguments.connections, seconds=arguments.seconds, seed=turn + 1)
                cost = milliseconds_of_processor(server.process.pid)
            if row["errors"]:
                raise SystemExit(f"against_earlier.py: {name}: {row['errors']} errors")
            rates[name].append(row["per_second"])
            costs[name].append(cost / row["requests"])
        print(f"turn {turn + 1}: {rates['earlier'][-1]:.0f} earlier, {rates['now'][-1]:.0f} now, ratio "
              f"{rates['now'][-1] / rates['earlier'][-1]:.2f}; {costs['earlier'][-1]:.2f} ms of processor "
              f"earlier, {costs['now'][-1]:.2f} now, ratio {costs['now'][-1] / costs['earlier'][-1]:.2f}", flush=True)
    ratios = [now / earlier for earlier, now in zip(rates["earlier"], rates["now"])]
    print(f"{MODES[arguments.mode]}, {arguments.connections} connections: "
          f"{statistics.median(rates['earlier']):.0f} requests a second earlier, "
          f"{statistics.median(rates['now']):.0f} now, median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
