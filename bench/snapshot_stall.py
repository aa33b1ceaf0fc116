#!/usr/bin/env python3
"""Measures whether large snapshots hold anybody up: asks a large campaign and a small one for decisions, one
after the other, while snapshots of the large one are written, and prints the longest time of an answer.

Needs Python alone, and what ./dev bench builds.
"""

import argparse
import http.client
import json
import random
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

from serve import ROOT, Server


class Asker(threading.Thread):
    """Decisions of one campaign, one after the other, until told to end."""

    def __init__(self, port, campaign, ended):
        super().__init__()
        self.client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.campaign, self.ended, self.times = campaign, ended, []

    def run(self):
        while not self.ended.is_set():
            begin = time.perf_counter()
            self.client.request("POST", f"/v1/campaigns/{self.campaign}/decisions", "{}")
            answer = self.client.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            self.times.append(1e3 * (time.perf_counter() - begin))


def create(port, definition):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    client.request("POST", "/v1/campaigns", json.dumps(definition))
    answer = client.getresponse()
    text = answer.read()
    assert answer.status == 201, text
    return client


def pay(client, campaign, decision, variables):
    client.request("POST", f"/v1/campaigns/{campaign}/decisions", json.dumps({"decision": decision}))
    client.getresponse().read()
    body = json.dumps({"payoffs": [random.randrange(100) / 10 for _ in range(variables)]})
    client.request("PUT", f"/v1/campaigns/{campaign}/decisions/{decision}/payoffs", body)
    answer = client.getresponse()
    text = answer.read()
    assert answer.status == 200, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--variables", type=int, default=1_000_000)
    parser.add_argument("--actions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--every", type=int, default=100, help="--snapshot-every")
    parser.add_argument("--quick", action="store_true", help="shorter, with smaller snapshots")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.variables, arguments.seconds = 100_000, 5
    with tempfile.TemporaryDirectory() as folder, \
            Server(arguments.build.resolve(), Path(folder) / "campaigns.db", "--snapshot-every",
                   arguments.every) as server:
        large = create(server.port, {"name": "large", "policy": "up_ucb_l(alpha=1)",
                                     "actions": arguments.actions, "variables": arguments.variables,
                                     "knowledge": {"max_affected": 10}})
        create(server.port, {"name": "small", "policy": "ucb(alpha=1)", "actions": 2, "variables": 2})
        for action in range(arguments.actions):
            pay(large, "large", f"first-{action}", arguments.variables)
        large.request("POST", "/v1/campaigns/large/decisions", "{}")  # works out what it has learnt
        large.getresponse().read()
        ended = threading.Event()
        askers = [Asker(server.port, name, ended) for name in ("large", "small")]
        for asker in askers:
            asker.start()
        time.sleep(arguments.seconds)
        ended.set()
        for asker in askers:
            asker.join()
        store = sqlite3.connect(f"file:{folder}/campaigns.db?mode=ro", uri=True)
        size, count = store.execute(
            "SELECT ifnull(sum(length(body)), 0), count(DISTINCT number) FROM snapshot_parts").fetchone()
        whole = store.execute("SELECT ifnull(max(length(body)), 0), count(*) FROM snapshots").fetchone()
        print(f"snapshots of the large campaign: {count} in parts, {size / max(count, 1) / 2**20:.0f} MiB each; "
              f"{whole[1]} rows, at most {whole[0] / 2**20:.0f} MiB in one piece")
        for asker in askers:
            times = sorted(asker.times)
            print(f"{asker.campaign}: {len(times)} decisions, median {times[len(times) // 2]:.2f} ms, "
                  f"p99 {times[int(0.99 * len(times))]:.1f} ms, longest {times[-1]:.1f} ms")


if __name__ == "__main__":
    main()
