#!/usr/bin/env python3
"""Durable decisions a second beside single-row inserts of PostgreSQL on the same disk, in turns.

A decision of the service is one event on disk when it is answered, and so is an insert of pgbench with
PostgreSQL's default durability (fsync and synchronous_commit on). Both get the same number of
connections, on this machine, and their clients take part of the processors. Prints medians, the ratio,
and the 99th percentile of the service; at last that of a campaign with 230,000 outstanding decisions.

Needs Debian's postgresql-15 (with pgbench) and what ./dev bench builds. As root, the database runs as
the user postgres.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from serve import ROOT, Server

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
TABLE = ("CREATE TABLE events (number bigserial PRIMARY KEY, campaign int NOT NULL, decision text NOT "
         "NULL, time_ms bigint NOT NULL, body bytea NOT NULL)")
# As large as the event of a decision.
INSERT = ("INSERT INTO events (campaign, decision, time_ms, body) VALUES (1, 'd-' || :client_id, "
          "1700000000000, decode(repeat('00', 104), 'hex'));\n")


def run(words):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, cwd="/")
    if done.returncode != 0:
        sys.exit(f"against_postgres.py: {words[0]}: {done.stderr or done.stdout}")
    return done.stdout


class Postgres:
    """A database in a folder of its own, on a socket there, until the end of a with block."""

    def __init__(self, folder):
        self.folder = folder
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.data = folder / "data"

    def __enter__(self):
        if self.user:
            shutil.chown(self.folder, "postgres")
        run([*self.user, PROGRAMS / "initdb", "-D", self.data, "-U", "bench", "--auth=trust"])
        run([*self.user, PROGRAMS / "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o",
             f"-c listen_addresses='' -c unix_socket_directories={self.folder} "
             "-c max_connections=200", "start"])
        run(["psql", "-h", self.folder, "-U", "bench", "-d", "postgres", "-c", TABLE])
        (self.folder / "insert.sql").write_text(INSERT)
        return self

    def __exit__(self, *_):
        run([*self.user, PROGRAMS / "pg_ctl", "-D", self.data, "-m", "immediate", "stop"])

    def inserts_per_second(self, connections, seconds):
        out = run(["pgbench", "-h", self.folder, "-U", "bench", "-n", "-M", "prepared", "-f",
                   self.folder / "insert.sql", "-c", connections, "-j", min(connections, 4), "-T",
                   seconds, "postgres"])
        return float(re.search(r"tps = ([0-9.]+) \(without", out).group(1))


def decisions(build, port, connections, seed, **further):
    words = [build / "bench" / "service_load", "--port", port, "--mode", "decisions",
             "--connections", connections, "--seed", seed]
    for name, value in further.items():
        words += ["--" + name, value]
    return json.loads(run(words))


def beside_outstanding(build, port, connections, number, seconds):
    """Decisions of a campaign that waits for the payoffs of `number` others."""
    decisions(build, port, connections, 1, requests=number)
    row = decisions(build, port, connections, 1, **{"from": number, "seconds": seconds})
    print(f"{connections} connections, {number} decisions outstanding: {row['per_second']:.0f} "
          f"decisions a second, p99 {row['p99_ms']:.3g} ms, longest {row['max_ms']:.3g} ms; "
          f"errors {row['errors']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--connections", type=int, nargs="+", default=[8, 64])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--outstanding", type=int, default=230_000)
    parser.add_argument("--quick", action="store_true", help="shorter and rough")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.repeats, arguments.outstanding = 1, 2, 20_000
    build = arguments.build.resolve()
    if not (PROGRAMS / "initdb").exists() or not shutil.which("pgbench"):
        sys.exit("against_postgres.py: install postgresql-15")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "postgres").mkdir()
        with Postgres(folder / "postgres") as postgres, \
                Server(build, folder / "campaigns.db") as server:
            for connections in arguments.connections:
                ours, theirs = [], []
                for turn in range(arguments.repeats):
                    theirs.append(postgres.inserts_per_second(connections, arguments.seconds))
                    seed = 1000 * connections + turn
                    ours.append(decisions(build, server.port, connections, seed,
                                          seconds=arguments.seconds))
                errors = sum(one["errors"] for one in ours)
                mine = statistics.median(one["per_second"] for one in ours)
                other = statistics.median(theirs)
                tail = statistics.median(one["p99_ms"] for one in ours)
                ratios = [one["per_second"] / two for one, two in zip(ours, theirs)]
                print(f"{connections} connections: {mine:.0f} decisions a second, {other:.0f} inserts, "
                      f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to "
                      f"{max(ratios):.2f}); p99 of decisions {tail:.3g} ms; errors {errors}")
            beside_outstanding(build, server.port, max(arguments.connections),
                               arguments.outstanding, arguments.seconds)


if __name__ == "__main__":
    main()
