#!/usr/bin/env python3
"""Measures what a crowd of idle and slow connections does to the latency of others: runs
bench/service_load alone and beside the crowd, in turns, and prints the ratio of the 99th percentiles.

Needs Python alone, and what ./dev bench builds.
"""

import argparse
import json
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from serve import ROOT, Server

# A request whose body comes byte by byte; the service takes it for a campaign.
SLOW_HEAD = b"POST /v1/campaigns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
PER_ADDRESS = 500


def connected(port, number):
    """From one of many addresses of this machine, as the service limits connections per address."""
    one = socket.socket()
    address = number // PER_ADDRESS
    one.bind((f"127.0.{1 + address // 250}.{1 + address % 250}", 0))
    one.connect(("127.0.0.1", port))
    return one


class Crowd:
    """Idle connections and slow senders, until the end of a with block."""

    def __init__(self, port, idle, slow):
        self.port = port
        self.numbers = idle, slow

    def __enter__(self):
        idle, slow = self.numbers
        self.idle = [connected(self.port, i) for i in range(idle)]
        self.slow = [connected(self.port, idle + i) for i in range(slow)]
        for one in self.slow:
            one.sendall(SLOW_HEAD)
        self.ended = threading.Event()
        self.sender = threading.Thread(target=self.send)
        self.sender.start()
        return self

    def send(self):
        while not self.ended.wait(1):
            for one in self.slow:
                one.send(b" ")

    def __exit__(self, *_):
        self.ended.set()
        self.sender.join()
        for one in self.idle + self.slow:
            one.close()


def load(build, port, arguments, seed):
    command = [build / "bench" / "service_load", "--port", port, "--mode", "decisions",
               "--connections", arguments.connections, "--seconds", arguments.seconds, "--seed", seed]
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"crowd.py: {done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--slow", type=int, default=1_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="shorter and rough")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.repeats = 1, 2
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    alone, beside = [], []
    with tempfile.TemporaryDirectory() as folder, \
            Server(arguments.build, Path(folder) / "campaigns.db") as server:
        for turn in range(arguments.repeats):
            alone.append(load(arguments.build, server.port, arguments, 2 * turn + 1))
            with Crowd(server.port, arguments.idle, arguments.slow):
                beside.append(load(arguments.build, server.port, arguments, 2 * turn + 2))
    errors = sum(one["errors"] for one in alone + beside)
    for name in "p50_ms", "p99_ms", "per_second":
        before = statistics.median(one[name] for one in alone)
        after = statistics.median(one[name] for one in beside)
        print(f"{name}: {before:.3g} alone, {after:.3g} beside {arguments.idle} idle and "
              f"{arguments.slow} slow connections, ratio {after / before:.2f}")
    print(f"errors: {errors}")


if __name__ == "__main__":
    main()
