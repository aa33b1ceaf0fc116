#!/usr/bin/env python3
"""Measures the dashboard on a large campaign: 20 actions, 100,000 variables, 50,000 decisions. How long
its page takes to open, beside that of a service without campaigns in the same browser, and the memory
that the page takes.

Writes the part of docs/performance.md between marks. Needs Debian's chromium-driver and
python3-selenium, and what ./dev build builds.
"""

import argparse
import http.client
import json
import random
import statistics
import tempfile
import threading
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from page import replace_part
from serve import ROOT, Server

ACTIONS = 20
VARIABLES = 100_000
AFFECTED = VARIABLES // ACTIONS
BUYERS = 100  # of a round
CLIENTS = 4
TIMES = 7

# Whether there are as many rows of actions as asked for and charts that can be seen, with the history.
DRAWN = """
const rows = document.querySelectorAll('main tbody tr').length;
const charts = [...document.querySelectorAll('canvas')].filter((one) => one.getClientRects().length > 0).length;
const history = performance.getEntriesByType('resource').some((one) => one.name.endsWith('/history') && one.responseEnd > 0);
return rows >= arguments[0] && charts >= arguments[1] && history ? performance.now() : null;
"""
EMPTY = "return document.querySelector('main')?.textContent.includes('curl') ? performance.now() : null;"


def call(connection, method, path, body):
    connection.request(method, path, json.dumps(body))
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status} {text[:200]}")
    return json.loads(text)


def create(port):
    sets = [list(range(a * AFFECTED, (a + 1) * AFFECTED)) for a in range(ACTIONS)]
    call(http.client.HTTPConnection("127.0.0.1", port), "POST", "/v1/campaigns", {
        "name": "large", "policy": "up_ucb(alpha=0.0001)", "knowledge": {"affected": sets},
        "actions": [f"strategy {a}" for a in range(ACTIONS)],
        "variables": [f"customer-{i:06d}" for i in range(VARIABLES)]})


def play(port, decisions, seed):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    draw = random.Random(seed)
    for _ in range(decisions):
        decided = call(connection, "POST", "/v1/campaigns/large/decisions", {})
        own = decided["action"] * AFFECTED
        buyers = {draw.randrange(VARIABLES) for _ in range(BUYERS)}
        buyers |= {draw.randrange(own, own + AFFECTED) for _ in range(decided["action"])}
        path = f"/v1/campaigns/large/decisions/{decided['decision']}/payoffs"
        call(connection, "PUT", path, {"indices": sorted(buyers), "values": [1] * len(buyers)})


def browser():
    options = Options()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                 "--enable-precise-memory-info", "--window-size=1280,900"):
        options.add_argument(flag)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def open_page(driver, address, ready, *arguments):
    """Milliseconds from the start of the navigation until the page shows everything."""
    driver.get("about:blank")
    driver.get(address)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        shown = driver.execute_script(ready, *arguments)
        if shown is not None:
            return shown
        time.sleep(0.005)
    raise RuntimeError(f"{address} does not show what it should")


def descendants(parent):
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    waiting = [parent]
    while waiting:
        process = waiting.pop()
        yield process
        waiting.extend(children.get(process, []))


def private_mib(driver):
    """Of the browser's process that shows the page: what it shares with no other."""
    largest = 0
    for process in descendants(driver.service.process.pid):
        try:
            command = Path(f"/proc/{process}/cmdline").read_text()
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        if "--type=renderer" not in command:
            continue
        private = sum(int(line.split()[1]) for line in rollup.splitlines()
                      if line.startswith("Private_"))
        largest = max(largest, private / 1024)
    return largest


def measure(ports, stay):
    empty, large = (f"http://127.0.0.1:{port}/" for port in ports)
    rows = {}
    driver = browser()
    try:
        for name, address, ready in (("no campaigns", empty, (EMPTY,)),
                                     ("the campaign", large + "#/large", (DRAWN, ACTIONS, 2))):
            times = [open_page(driver, address, *ready) for _ in range(TIMES)]
            rows[name] = (statistics.median(times), max(times), *watch(driver, ports[1], stay))
    finally:
        driver.quit()
    return rows


def watch(driver, port, seconds):
    """The largest memory of the page's scripts and of its process, while the campaign goes on."""
    heap, private = 0.0, 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        play(port, 10, time.monotonic_ns())
        heap = max(heap, driver.execute_script("return performance.memory.usedJSHeapSize") / 2**20)
        private = max(private, private_mib(driver))
        time.sleep(0.5)
    return heap, private


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--quick", action="store_true",
                        help="2,000 decisions; prints, and leaves the page as it is")
    parser.add_argument("--watch", type=float, default=60, help="seconds")
    options = parser.parse_args()
    decisions = 2_000 if options.quick else 50_000
    with tempfile.TemporaryDirectory() as folder:
        with Server(options.build, Path(folder) / "empty.db") as empty, \
                Server(options.build, Path(folder) / "large.db") as large:
            create(large.port)
            clients = [threading.Thread(target=play, args=(large.port, decisions // CLIENTS, seed))
                       for seed in range(CLIENTS)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            rows = measure((empty.port, large.port), options.watch)
    ratio = rows["the campaign"][0] / rows["no campaigns"][0]
    table = ["| page | opens in (median) | worst | script's memory | memory of its process |",
             "|---|---:|---:|---:|---:|"]
    for name, (median, worst, heap, private) in rows.items():
        table.append(f"| {name} | {median:.0f} ms | {worst:.0f} ms | {heap:.1f} MiB | {private:.0f} MiB |")
    table += ["", f"The campaign takes {ratio:.1f} times as long as no campaigns."]
    print("\n".join(table))
    if not options.quick:
        replace_part("dashboard", table)


if __name__ == "__main__":
    main()
