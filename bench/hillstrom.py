#!/usr/bin/env python3
"""Evaluates "always Mens E-Mail" on Hillstrom's randomised e-mails, and compares the estimates with
the raw mean and the raw difference to no e-mail: docs/evaluation.md.

  bench/hillstrom.py hillstrom.csv.gz [build/updraft]

Each customer is a decision with the probability 1/3, and what was spent is the payoff.
"""

import csv
import gzip
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MENS, NONE = "Mens E-Mail", "No E-Mail"


def main(data: str, program: str = "build/updraft") -> None:
    spent: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        with gzip.open(data, "rt") as rows, log.open("w") as out:
            out.write("action,probability,spend\n")
            for row in csv.DictReader(rows):
                spent.setdefault(row["segment"], []).append(float(row["spend"]))
                out.write(f"{row['segment']},{1 / 3!r},{row['spend']}\n")
        command = [program, "evaluate", str(log), "--control", NONE, "--json"]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    means = {name: statistics.fmean(of) for name, of in spent.items()}
    errors = {name: statistics.stdev(of) / math.sqrt(len(of)) for name, of in spent.items()}
    values = {policy["policy"].removeprefix("always "): policy for policy in found["policies"]}
    print(f"raw: {means[MENS]:.4f} +- {errors[MENS]:.4f}, {means[MENS] - means[NONE]:.4f} more "
          f"than none")
    for estimator in ("ips", "snips", "dr"):
        mens, none = (values[name][estimator] for name in (MENS, NONE))
        print(f"{estimator}: {mens['value']:.4f} +- {mens['stderr']:.4f}, "
              f"{mens['value'] - none['value']:.4f} more than none")
    print(found["settled"]["text"])
    print(found["gain"]["text"])


if __name__ == "__main__":
    main(*sys.argv[1:])
