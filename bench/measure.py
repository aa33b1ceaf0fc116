#!/usr/bin/env python3
"""Measures Updraft by itself: observe() against memory, the gain of each step, vectors, threads,
memory, how the time of a round grows, and what Python adds. Needs Python, numpy and gnuplot.

Writes bench/measured.json, the figure docs/performance-growth.svg and the parts of
docs/performance.md between marks. `./dev bench` builds what it needs and runs it.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from page import replace_part

ROOT = Path(__file__).resolve().parent.parent
FIGURE = ROOT / "docs" / "performance-growth.svg"
POLICIES = ["ucb", "ts", "up_ucb_bl", "up_ucb", "up_ucb_l_bl", "up_ucb_l"]


def fail(message):
    sys.exit(f"measure.py: {message}")


def run(command, **options):
    """Standard output of a program that must succeed."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        fail(f"{Path(command[0]).name} failed with code {done.returncode}")
    return done.stdout


def google_benchmarks(build, pattern, seconds):
    """name -> (nanoseconds, bytes per second or None), the best of three. `seconds`: of each, unless a
    benchmark says itself how often it repeats.
    """
    command = [build / "bench/updraft_bench", f"--benchmark_filter={pattern}",
               "--benchmark_repetitions=3", "--benchmark_format=json"]
    if seconds:
        command.append(f"--benchmark_min_time={seconds}")
    text = run(command, stderr=subprocess.DEVNULL)
    scale = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
    best = {}
    for entry in json.loads(text)["benchmarks"]:
        if entry["run_type"] != "iteration":
            continue
        name = entry["run_name"]
        value = entry["cpu_time"] * scale[entry["time_unit"]]
        if name not in best or value < best[name][0]:
            best[name] = (value, entry.get("bytes_per_second"))
    return best


def observe(build, seconds):
    rates = google_benchmarks(build, "^(memory|observe)/", seconds)
    read = rates["memory/read"][1]
    rows = {name: rate for name, (_, rate) in rates.items() if name != "memory/read"}
    lines = ["| dense payoffs, m = 100,000 | GB/s | share of reading memory |", "|---|---|---|",
             f"| reading memory (memchr) | {read / 1e9:.1f} | |"]
    lines += [f"| `observe()` of {name.split('/')[-1]} | {rate / 1e9:.1f} | {100 * rate / read:.0f} % |"
              for name, rate in rows.items()]
    return {"read": read, **rows}, lines


STEPS = {
    "1-sums-over-atoms": "sums over atoms instead of single variables (up_ucb, criteo)",
    "2-noise-shared-by-a-grid/gaussian": "noise drawn once for a grid of 10 values (up_ucb_bl, gaussian)",
    "2-noise-shared-by-a-grid/criteo": "noise drawn once for a grid of 7 values (up_ucb_l_bl, criteo)",
    "3-sparse-payoffs": "sparse payoffs instead of dense ones (up_ucb_l_bl, criteo)",
    "4-counts/up_ucb_l": "counts of 16 bits and bounds on indices, not doubles (up_ucb_l, criteo)",
    "5-levels-of-the-baseline": "counts by level of the baseline, not single indices (up_ucb_l_bl, criteo)",
    "6-selection/100": "selection by ranks, not nth_element: 100 values",
    "6-selection/100000": "the same: 100,000 values",
}


def steps(build, seconds):
    times = {name: value for name, (value, _) in google_benchmarks(build, "^steps/", seconds).items()}
    gains = {}
    for step in STEPS:
        base, _, size = step.partition("/") if "selection" in step else (step, "", "")
        names = [f"steps/{base}/{side}" + (f"/{size}" if size else "") for side in ("before", "after")]
        gains[step] = times[names[0]] / times[names[1]]
    lines = ["| step | gain |", "|---|---|"]
    lines += [f"| {text} | {gains[step]:.1f}x |" for step, text in STEPS.items()]
    return gains, lines


def kernels(build, seconds):
    times = {tuple(name.split("/")[1:]): value
             for name, (value, _) in google_benchmarks(build, "^kernel/", seconds).items()}
    names = list(dict.fromkeys(name for name, _ in times))
    targets = list(dict.fromkeys(target for _, target in times))
    lines = ["| kernel | " + " | ".join(targets) + " |", "|---" * (len(targets) + 1) + "|"]
    for name in names:
        plain = times[name, "SCALAR"]
        lines.append(f"| {name} | " + " | ".join(f"{plain / times[name, t]:.1f}x" for t in targets) + " |")
    return {f"{n}/{t}": v for (n, t), v in times.items()}, lines


def learning(build, seconds):
    """One round of a policy that learns the noise, beside one of up_ucb on the same numbers."""
    times = {tuple(name.split("/")[1:]): value / 5000
             for name, (value, _) in google_benchmarks(build, "^learning/", seconds).items()}
    policies = list(dict.fromkeys(policy for policy, _ in times))
    atoms = list(dict.fromkeys(count for _, count in times))
    lines = ["| one round, K = 10 | " + " | ".join(f"G = {count}" for count in atoms) + " |",
             "|---" * (len(atoms) + 1) + "|"]
    for policy in policies:
        cells = [f"{duration(times[policy, c])}, {times[policy, c] / times['up_ucb', c]:.0f}x"
                 for c in atoms]
        lines.append(f"| {policy} | " + " | ".join(cells) + " |")
    return {f"{p}/{c}": v for (p, c), v in times.items()}, lines


def threads(build, runs):
    seconds = {}
    for count in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            run([build / "updraft", "run", "gaussian", "--runs", runs, "--threads", count, "--quiet",
                 "--out", Path(folder) / "run"], stderr=subprocess.DEVNULL)
            seconds[count] = time.perf_counter() - begin
    ratio = seconds[1] / seconds[2]
    lines = [f"`updraft run gaussian --runs {runs}` took {seconds[1]:.1f} s on one thread and "
             f"{seconds[2]:.1f} s on two: **{ratio:.2f}x**."]
    return {"seconds": seconds, "ratio": ratio}, lines


def memory(build):
    peaks = {}
    for spec in ("up_ucb(alpha=1)", "up_ucb_bl(alpha=1)", "up_ucb_l(alpha=1)", "up_ucb_l_bl(alpha=1)"):
        text = run([build / "bench/memory", spec])
        peaks[f"{spec}, m = 10,000,000, K = 20, dense payoffs"] = float(re.search(r"peak (\d+)", text)[1])
    with tempfile.TemporaryDirectory() as folder:
        command = [build / "updraft", "run", "criteo", "--policies", "UpUCB-L", "--runs", "100", "--rounds", "30", "--quiet",
                   "--out", Path(folder) / "run"]
        child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            fail("updraft run criteo failed")
    peaks["updraft run criteo, UpUCB-L, 100 runs x 28 values, 2 threads"] = usage.ru_maxrss / 1024
    lines = ["| work | peak memory |", "|---|---|"]
    lines += [f"| {name} | {value:,.0f} MiB |" for name, value in peaks.items()]
    return peaks, lines


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def python_calls(updraft, spec, rounds=1000, calls=100_000):
    """Nanoseconds of a select() and an update() of 100 dense payoffs, loop included."""
    instance = updraft.instance("gaussian")
    environment = instance.environment()
    payoffs = [environment.draw(t, 0) for t in range(rounds)] * (calls // rounds)
    policy = updraft.policy(spec, **instance.knowledge(rounds))

    def play():
        for y in payoffs:
            policy.update(policy.select(), y)

    return 1e9 * seconds_of(play) / calls


def python(build, turns):
    """What Python adds to a call, and to a simulation by the command line; all in turns."""
    sys.path.insert(0, str(build / "python"))
    import updraft

    specs = ["ucb(alpha=2)", "up_ucb(alpha=3)", "up_ucb_l(alpha=3)"]
    calls = {spec: {"cpp": math.inf, "python": math.inf} for spec in specs}
    for _ in range(turns):
        in_cpp = google_benchmarks(build, "^calls/", None)
        for spec, best in calls.items():
            best["cpp"] = min(best["cpp"], in_cpp[f"calls/{spec}/iterations:100000"][0])
            best["python"] = min(best["python"], python_calls(updraft, spec))
    lines = ["| select() and update(), 100 dense payoffs | C++ | Python | Python adds |", "|---|---|---|---|"]
    lines += [f"| {spec} | {duration(best['cpp'])} | {duration(best['python'])} "
              f"| {duration(best['python'] - best['cpp'])} |" for spec, best in calls.items()]

    spec, rounds, runs = "up_ucb(alpha=8e-5)", 5000, 200 * turns
    command = [build / "updraft", "simulate", "--instance", "criteo", "--policy", spec, "--rounds", rounds,
               "--runs", runs, "--threads", 1, "--json", "--quiet"]
    simulate = {"command line": [], "ud.simulate": []}
    for _ in range(turns):
        simulate["command line"].append(seconds_of(lambda: run(command)))
        simulate["ud.simulate"].append(seconds_of(
            lambda: updraft.simulate("criteo", spec, rounds=rounds, runs=runs, threads=1)))
    best = {name: min(times) for name, times in simulate.items()}
    ratio = best["ud.simulate"] / best["command line"]
    lines += ["", f"`updraft simulate` of {spec} on criteo, {rounds:,} rounds, {runs} runs, one thread: "
              f"{best['command line']:.2f} s; `ud.simulate`: {best['ud.simulate']:.2f} s, **{ratio:.3f}** "
              f"of it (best of {turns} turns each)."]
    return {"calls": calls, "simulate": simulate, "ratio": ratio}, lines


def slope(points):
    """Least squares of log time against log size, over the upper half of the sizes."""
    upper = sorted(points)[len(points) // 2 - 1:]
    x = [math.log(size) for size, _ in upper]
    y = [math.log(value) for _, value in upper]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


def growth(build):
    text = run([build / "bench/growth"])
    points = {}
    for line in text.splitlines()[1:]:
        policy, axis, size, value = line.split(",")
        points.setdefault((axis, policy), []).append((int(size), float(value)))
    draw(points)
    lines = ["| policy | slope in m | slope in K | m = 100 | m = 100,000 | m = 10,000,000 | K = 1,000 |",
             "|---|---|---|---|---|---|---|"]
    for policy in POLICIES:
        along_m, along_k = dict(points["m", policy]), dict(points["K", policy])
        lines.append(f"| {policy} | {slope(points['m', policy]):.2f} | {slope(points['K', policy]):.2f} | "
                     + " | ".join(duration(t) for t in (along_m[100], along_m[100000],
                                                         along_m[10000000], along_k[1000])) + " |")
    return {f"{axis}/{policy}": value for (axis, policy), value in points.items()}, lines


def duration(nanoseconds):
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")):
        if nanoseconds >= unit:
            return f"{nanoseconds / unit:.3g} {name}"


def draw(points):
    if shutil.which("gnuplot") is None:
        fail("gnuplot is missing: install gnuplot-nox")
    colours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"]
    script = [f'set terminal svg size 960,420 font "sans,12" background "#ffffff"',
              f'set output "{FIGURE}"', "set logscale xy", 'set format x "10^{%L}"', 'set format y "10^{%L}"',
              'set ylabel "nanoseconds a round"', "set grid", "set multiplot layout 1,2"]
    for axis, label, key in (("m", "variables m (10 actions)", "top left"),
                             ("K", "actions K (10,000 variables)", "bottom right")):
        script += [f'set xlabel "{label}"', f"set key {key}"]
        for policy in POLICIES:
            script += [f"${axis}_{policy} << EOD"]
            script += [f"{size} {value}" for size, value in points[axis, policy]] + ["EOD"]
        script += ["plot " + ", ".join(
            f'${axis}_{policy} with linespoints pt 7 ps 0.5 lw 1.5 lc rgb "{colour}" '
            f'title "{policy}" noenhanced' for policy, colour in zip(POLICIES, colours))]
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build")
    parser.add_argument("--only", action="append",
                        choices=["observe", "steps", "kernels", "learning", "threads", "memory",
                                 "growth", "python"],
                        help="measure only this part; may be repeated")
    parser.add_argument("--quick", action="store_true", help="shorter, rough, printed only")
    parser.add_argument("--no-docs", action="store_true", help="print only")
    options = parser.parse_args()
    build = options.build_dir.resolve()
    if not (build / "bench/updraft_bench").exists():
        fail("the benchmarks are not built: run ./dev bench")
    seconds = 0.05 if options.quick else 0.5
    parts = {
        "observe": lambda: observe(build, seconds),
        "steps": lambda: steps(build, seconds),
        "kernels": lambda: kernels(build, seconds),
        "learning": lambda: learning(build, seconds),
        "threads": lambda: threads(build, 4 if options.quick else 40),
        "memory": lambda: memory(build),
        "growth": lambda: growth(build),
        "python": lambda: python(build, 2 if options.quick else 8),
    }
    path = ROOT / "bench/measured.json"
    measured = json.loads(path.read_text()) if path.exists() else {}
    for name in options.only or parts:
        print(f"\n{name}", flush=True)
        measured[name], lines = parts[name]()
        print("\n".join(lines), flush=True)
        if not (options.no_docs or options.quick):
            replace_part(name, lines)
            path.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
