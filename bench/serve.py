#!/usr/bin/env python3
"""Measures the campaign service: requests a second and latencies under load, with and without group
commit; with --soak its memory over many decisions, and how long it takes to come back after kill -9.

Writes the parts of docs/performance.md between marks. Needs Python alone, and what ./dev bench builds.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from page import replace_part

ROOT = Path(__file__).resolve().parent.parent
MODES = {
    "decisions": "decision, K = 10, m = 100",
    "payoffs": "payoffs, 100 dense",
    "large-dense": "payoffs, 100,000 dense",
    "large-sparse": "payoffs, 100 of 100,000 by number",
}


def fail(message):
    sys.exit(f"serve.py: {message}")


def processor_seconds(pid, with_children=False):
    """Of a process; with the ended children that it has waited for if asked."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = sum(int(field) for field in fields[11:15 if with_children else 13])
    return ticks / os.sysconf("SC_CLK_TCK")


class Server:
    """`updraft serve` on a store, until the end of a with block."""

    def __init__(self, build, store, *further):
        self.command = [build / "updraft", "serve", "--store", store, "--listen", "127.0.0.1:0",
                        "--log-level", "warn", *further]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def start(self):
        """Seconds until it was healthy."""
        begin = time.perf_counter()
        self.process = subprocess.Popen([str(word) for word in self.command], text=True,
                                        stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        port = re.search(r"listening on http://.*:(\d+)", line)
        if not port:
            fail(f"updraft serve does not listen: {line!r}")
        self.port = int(port[1])
        while not self.healthy():
            if self.process.poll() is not None:
                fail(f"updraft serve ended with code {self.process.returncode}")
            time.sleep(0.005)
        return time.perf_counter() - begin

    def healthy(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=60) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def processor_seconds(self):
        return processor_seconds(self.process.pid)

    def rss(self):
        """Mebibytes in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def load(build, port, mode, **options):
    command = [str(build / "bench/service_load"), "--port", str(port), "--mode", mode]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(f"service_load failed with code {done.returncode}")
    return json.loads(done.stdout)


def loads(build, folder, quick, connections):
    lines = ["| request | commit | connections | requests/s | p50 | p99 | max | errors |",
             "|---|---|---|---|---|---|---|---|"]
    measured = []
    for commit, further in [("grouped", []), ("one each", ["--no-group-commit"])]:
        with Server(build, folder / f"{commit.split()[0]}.db", *further) as server:
            for mode, words in MODES.items():
                for count in connections:
                    brief = {"seconds": 1, "before": 400} if quick else {"seconds": 5}
                    row = load(build, server.port, mode, connections=count, seed=count, **brief)
                    measured.append({"commit": commit, **row})
                    lines.append(f"| {words} | {commit} | {count} | {row['per_second']:,.0f} "
                                 f"| {row['p50_ms']:.2f} ms | {row['p99_ms']:.2f} ms "
                                 f"| {row['max_ms']:.1f} ms | {row['errors']} |")
                    print(lines[-1], flush=True)
    return measured, lines


def soak(build, folder, decisions, connections):
    """Decisions with payoffs, m = 10, two by number."""
    samples = []
    over = threading.Event()
    store = folder / "soak.db"
    with Server(build, store) as server:
        begin = time.perf_counter()

        def sample():
            while True:
                samples.append((time.perf_counter() - begin, server.rss()))
                print(f"{samples[-1][0]:.0f} s: {samples[-1][1]:.0f} MiB", flush=True)
                if over.wait(5):
                    return

        sampler = threading.Thread(target=sample)
        sampler.start()
        try:
            row = load(build, server.port, "rounds", connections=connections, requests=decisions)
        finally:
            over.set()
            sampler.join()
        samples.append((time.perf_counter() - begin, server.rss()))
        server.kill()
        size = sum(path.stat().st_size for path in folder.glob("soak.db*")) / 2**20
        back = server.start()
        after = server.rss()
    shown = [samples[round(j * (len(samples) - 1) / 4)] for j in range(5)]
    lines = ["| soak | |", "|---|---|",
             f"| decisions with payoffs | {decisions:,}, {row['errors']} errors |",
             f"| requests/s, {connections} connections | {row['per_second']:,.0f} |",
             f"| p50, p99, max | {row['p50_ms']:.2f}, {row['p99_ms']:.2f}, {row['max_ms']:.1f} ms |",
             "| memory, at times | " + ", ".join(f"{rss:.0f} MiB ({when:.0f} s)" for when, rss in shown) + " |",
             f"| store | {size:,.0f} MiB |",
             f"| healthy again after kill -9 | {back:.2f} s, {after:.0f} MiB |"]
    return {"rows": row, "samples": samples, "healthy_after": back, "rss_after": after}, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build")
    parser.add_argument("--soak", type=int, nargs="?", const=1_000_000, metavar="N",
                        help="N decisions with payoffs (1,000,000) in place of the loads")
    parser.add_argument("--connections", type=int, action="append", help="1, 8 and 32 unless given")
    parser.add_argument("--folder", type=Path, help="where the stores are made; a temporary one unless given")
    parser.add_argument("--quick", action="store_true", help="shorter, rough, printed only")
    parser.add_argument("--no-docs", action="store_true", help="print only")
    options = parser.parse_args()
    build = options.build_dir.resolve()
    for program in ["updraft", "bench/service_load"]:
        if not os.access(build / program, os.X_OK):
            fail(f"{program} is not built: run ./dev bench")
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="updraft-serve-") as folder:
        if options.soak:
            name = "service-soak"
            _, lines = soak(build, Path(folder), options.soak, max(options.connections or [8]))
        else:
            name = "service"
            _, lines = loads(build, Path(folder), options.quick, options.connections or [1, 8, 32])
    print("\n".join(lines))
    if not options.quick and not options.no_docs:
        replace_part(name, lines)


if __name__ == "__main__":
    main()
