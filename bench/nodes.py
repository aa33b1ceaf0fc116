#!/usr/bin/env python3
"""Decisions a second of one, two and three nodes on one PostgreSQL, over many campaigns and of one
campaign, beside single-row inserts of pgbench in the same database, in turns.

Nodes, database and load share this machine, so more nodes add nothing where its processors are busy:
what can be carried over to other machines is the processor time of each part for a decision, the bytes
of PostgreSQL's log, and how many decisions share a commit. docs/many-nodes.md calculates with them.

Needs Debian's postgresql-15 (with pgbench) and what ./dev bench builds. As root, the database runs as
the user postgres.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from against_postgres import PROGRAMS, Postgres, run
from serve import ROOT, Server, processor_seconds

NODES = 3
LEASES = ROOT / "src" / "store" / "postgres_leases.cc"
# As every node asks once a second.
ORPHANS = re.sub(r'"\s*"|"', "", re.search(r'kOrphans =\s*(".*?");', LEASES.read_text(), re.DOTALL)[1])


def database_seconds(postmaster):
    """Of all processes of a server."""
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    total = processor_seconds(postmaster, with_children=True)
    for child in children:
        try:
            total += processor_seconds(child)
        except FileNotFoundError:  # it has just ended, and its time is the server's next time
            pass
    return total


class Bench:
    def __init__(self, build, postgres, nodes, seconds):
        self.build, self.postgres, self.nodes, self.seconds = build, postgres, nodes, seconds
        self.postmaster = int((postgres.data / "postmaster.pid").read_text().split()[0])
        self.seeds = range(0)  # of the campaigns of the last phase

    def sql(self, text):
        return run(["psql", "-X", "-q", "-At", "-h", self.postgres.folder, "-U", "bench", "-d",
                    "postgres", "-c", text]).strip()

    def counts(self):
        commits, log = self.sql("SELECT pg_snapshot_xmax(pg_current_snapshot()), "
                                "pg_current_wal_insert_lsn() - '0/0'").split("|")
        return {"commits": int(commits), "log": int(log),
                "database": database_seconds(self.postmaster),
                "nodes": sum(node.processor_seconds() for node in self.nodes),
                "load": sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])}

    def load(self, ports, connections, seeds, first=0):
        """One campaign for each seed, over the ports in turn, at the same time."""
        each = connections // len(seeds)
        loads = [subprocess.Popen(
            [str(word) for word in
             (self.build / "bench" / "service_load", "--port", ports[i % len(ports)], "--mode",
              "decisions", "--connections", each, "--seconds", self.seconds, "--seed", seed,
              "--from", first)], stdout=subprocess.PIPE, text=True)
            for i, seed in enumerate(seeds)]
        said = [one.communicate()[0] for one in loads]
        if any(one.returncode != 0 for one in loads):
            sys.exit("nodes.py: service_load failed")
        return [json.loads(one) for one in said]

    def decisions(self, ports, connections, campaigns, again=False):
        """The row of a phase. `again`: those of the last campaigns go on, through other ports."""
        if not again:
            self.seeds = range(self.seeds.stop, self.seeds.stop + campaigns)
        before = self.counts()
        rows = self.load(ports, connections, self.seeds, first=10_000_000 if again else 0)
        after = self.counts()
        moved = {name: after[name] - before[name] for name in before}
        requests = sum(row["requests"] for row in rows)
        return {"per_second": sum(row["per_second"] for row in rows),
                "p99_ms": max(row["p99_ms"] for row in rows),
                "errors": sum(row["errors"] for row in rows),
                "together": requests / max(moved["commits"], 1),
                "log_bytes": moved["log"] / requests,
                **{f"{name}_us": 1e6 * moved[name] / requests
                   for name in ("nodes", "database", "load")}}

    def inserts(self, connections):
        before = self.counts()
        rate = self.postgres.inserts_per_second(connections, self.seconds)
        after = self.counts()
        inserted = max(after["commits"] - before["commits"], 1)
        return {"per_second": rate, "p99_ms": 0.0, "errors": 0, "together": 1.0,
                "log_bytes": (after["log"] - before["log"]) / inserted, "nodes_us": 0.0,
                "database_us": 1e6 * (after["database"] - before["database"]) / inserted,
                "load_us": 1e6 * (after["load"] - before["load"]) / inserted}


def measure(bench, connections, campaigns, repeats):
    """Rows by phase; all phases in turn, `repeats` times."""
    ports = [node.port for node in bench.nodes]
    phases = {f"pgbench, {connections} connections": lambda: bench.inserts(connections)}
    for count in range(1, NODES + 1):
        phases[f"{count} node{'s' if count > 1 else ''}, {campaigns} campaigns"] = (
            lambda count=count: bench.decisions(ports[:count], connections, campaigns))
    phases["one campaign"] = lambda: bench.decisions(ports[:1], connections, 1)
    phases["one campaign, 1 connection"] = lambda: bench.decisions(ports[:1], 1, 1)
    phases["the same, by another node"] = lambda: bench.decisions(ports[1:2], 1, 1, again=True)
    rows = {name: [] for name in phases}
    for _ in range(repeats):
        for name, phase in phases.items():
            rows[name].append(phase())
    return rows


def show(rows):
    yardstick = [row["per_second"] for row in next(iter(rows.values()))]
    print("| what | decisions/s | to pgbench | p99 | decisions in a commit | log, bytes | processor "
          "time: nodes | database | load | errors |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, turns in rows.items():
        middle = {key: statistics.median(row[key] for row in turns) for key in turns[0]}
        ratios = [row["per_second"] / other for row, other in zip(turns, yardstick)]
        print(f"| {name} | {middle['per_second']:,.0f} | {statistics.median(ratios):.2f} "
              f"({min(ratios):.2f} to {max(ratios):.2f}) | {middle['p99_ms']:.1f} ms "
              f"| {middle['together']:.1f} | {middle['log_bytes']:.0f} | {middle['nodes_us']:.0f} µs "
              f"| {middle['database_us']:.0f} µs | {middle['load_us']:.0f} µs "
              f"| {sum(row['errors'] for row in turns)} |")


def show_search(bench, nodes, campaigns):
    """What it takes to look for campaigns without an owner, which every node does once a second."""
    bench.sql(f"INSERT INTO updraft.nodes SELECT 'none-' || i, '', 0, now() + interval '1 day' FROM "
              f"generate_series(1, {nodes}) AS i; INSERT INTO updraft.leases SELECT 1000000 + i, 1, "
              f"'none-' || (1 + i % {nodes}), 0, 0 FROM generate_series(1, {campaigns}) AS i; ANALYZE "
              "updraft.leases, updraft.nodes")
    times = []
    for _ in range(5):
        said = bench.sql(f"PREPARE search AS {ORPHANS}; EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE search(16, 1)")
        times.append(json.loads(said)[0]["Execution Time"])
    print(f"search for campaigns without an owner, {nodes} nodes and {campaigns:,} campaigns: "
          f"{statistics.median(times):.1f} ms")


def show_idle(bench, seconds):
    before = bench.counts()
    time.sleep(seconds)
    after = bench.counts()
    print(f"{NODES} nodes at rest: {1e3 * (after['database'] - before['database']) / seconds:.1f} ms "
          f"of processor time a second in the database, "
          f"{1e3 * (after['nodes'] - before['nodes']) / seconds:.1f} ms in the nodes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--connections", type=int, default=24)
    parser.add_argument("--campaigns", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="shorter and rough")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.repeats = 2, 1
    if arguments.connections % arguments.campaigns != 0:
        parser.error("--connections: must be a multiple of --campaigns")
    build = arguments.build.resolve()
    if not (PROGRAMS / "initdb").exists() or not shutil.which("pgbench"):
        sys.exit("nodes.py: install postgresql-15")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "postgres").mkdir()
        postgres = stack.enter_context(Postgres(folder / "postgres"))
        (folder / "secret").write_text("what-all-nodes-know\n")
        store = f"postgresql://bench@/postgres?host={postgres.folder}"
        nodes = [stack.enter_context(Server(build, store, "--node", f"n{i}", "--node-secret-file",
                                            folder / "secret")) for i in range(NODES)]
        bench = Bench(build, postgres, nodes, arguments.seconds)
        show(measure(bench, arguments.connections, arguments.campaigns, arguments.repeats))
        show_idle(bench, 5 * arguments.seconds)
        show_search(bench, 100, 100_000)


if __name__ == "__main__":
    main()
