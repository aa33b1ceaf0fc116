#!/usr/bin/env python3
"""Measures the memory that one large request takes: how far the peak of the service grows, over the size
of the body, in a new process for each kind of body.

Needs Python alone, and what ./dev bench builds.
"""

import argparse
import http.client
import json
import re
import tempfile
from pathlib import Path

from serve import ROOT, Server

MEBIBYTE = 1 << 20


def peak(server):
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def ask(port, method, path, body):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    client.request(method, path, body)
    answer = client.getresponse()
    text = answer.read().decode()
    client.close()
    return answer.status, text


def campaign(name, variables):
    return json.dumps({"name": name, "policy": "up_ucb(alpha=1)", "actions": 2, "variables": variables,
                       "knowledge": {"affected": [[0], [1]]}})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--mib", type=int, default=57, help="size of the bodies")
    parser.add_argument("--quick", action="store_true", help="bodies of 30 MiB")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.mib = 30
    size = arguments.mib * MEBIBYTE
    amounts = ",".join(f"{(7 * i) % 1000 / 100:.2f}" for i in range(size // 5))
    bodies = {
        "lists that are empty": "{\"x\":[" + ",".join(["[]"] * (size // 3)) + "]}",
        "objects that are empty": "{\"x\":[" + ",".join(["{}"] * (size // 3)) + "]}",
        "payoffs, one digit": "{\"payoffs\":[" + ",".join(["1"] * (size // 2)) + "]}",
        "payoffs, two decimals": "{\"payoffs\":[" + amounts + "]}",
        "many keys": "{" + ",".join(f'"{i}":0' for i in range(size // 12)) + "}",
        "payoffs, 17 digits": "{\"payoffs\":[" + ",".join(["0.1234567890123456"] * (size // 19)) + "]}",
    }
    for words, body in bodies.items():
        numbers = body.count(",") + 1
        fits = words.startswith("payoffs") and numbers <= 10_000_000
        with tempfile.TemporaryDirectory() as folder, \
                Server(arguments.build.resolve(), Path(folder) / "campaigns.db") as server:
            status, text = ask(server.port, "POST", "/v1/campaigns", campaign("c", numbers if fits else 1000))
            assert status == 201, text
            ask(server.port, "POST", "/v1/campaigns/c/decisions", "{\"decision\":\"a\"}")
            if fits:  # the sums of the campaign are part of it, not of the request
                ask(server.port, "PUT", "/v1/campaigns/c/decisions/a/payoffs", "{\"indices\":[0],\"values\":[1]}")
                ask(server.port, "POST", "/v1/campaigns/c/decisions", "{\"decision\":\"b\"}")
            before = peak(server)
            target = "b" if fits else "a"
            status, _ = ask(server.port, "PUT", f"/v1/campaigns/c/decisions/{target}/payoffs", body)
            grown = peak(server) - before
            print(f"{words}: {len(body) / MEBIBYTE:.0f} MiB, answer {status}, peak + {grown / MEBIBYTE:.0f} MiB, "
                  f"{grown / len(body):.2f} times the body", flush=True)


if __name__ == "__main__":
    main()
