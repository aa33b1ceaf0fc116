#!/usr/bin/env python3
"""Compares the service with an earlier build of it under the same load, in turns: 100,000 dense payoffs
over 8 connections unless told otherwise. Prints both rates and their ratio, and the same of the processor
time that a request takes of the service, which load on the machine changes less.

Needs Python alone, and bench/service_load and updraft in both build folders.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from serve import MODES, ROOT, Server, load


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
    times = {"earlier": [], "now": []}  # of a request, in microseconds
    for turn in range(arguments.repeats):
        for name, build in ("earlier", arguments.earlier.resolve()), ("now", arguments.build.resolve()):
            with tempfile.TemporaryDirectory(prefix="updraft-bench-") as folder, \
                    Server(build, Path(folder) / "campaigns.db") as server:
                before = server.processor_seconds()
                row = load(arguments.build.resolve(), server.port, arguments.mode,
                           connections=arguments.connections, seconds=arguments.seconds, seed=turn + 1)
                times[name].append(1e6 * (server.processor_seconds() - before) / row["requests"])
            if row["errors"]:
                raise SystemExit(f"against_earlier.py: {name}: {row['errors']} errors")
            rates[name].append(row["per_second"])
        print(f"turn {turn + 1}: {rates['earlier'][-1]:.0f} earlier, {rates['now'][-1]:.0f} now, ratio "
              f"{rates['now'][-1] / rates['earlier'][-1]:.2f}; processor time of a request "
              f"{times['earlier'][-1]:.1f} and {times['now'][-1]:.1f} µs", flush=True)
    ratios = [now / earlier for earlier, now in zip(rates["earlier"], rates["now"])]
    of_times = [now / earlier for earlier, now in zip(times["earlier"], times["now"])]
    print(f"{MODES[arguments.mode]}, {arguments.connections} connections: "
          f"{statistics.median(rates['earlier']):.0f} requests a second earlier, "
          f"{statistics.median(rates['now']):.0f} now, median ratio {statistics.median(ratios):.2f}; "
          f"processor time of a request {statistics.median(times['earlier']):.1f} µs earlier, "
          f"{statistics.median(times['now']):.1f} µs now, median ratio {statistics.median(of_times):.2f}")


if __name__ == "__main__":
    main()
