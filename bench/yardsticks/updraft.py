"""Runs Updraft's own programs: the command line, the tracer and the benchmark."""

import json
import re
import subprocess
from pathlib import Path

from .instances import parse

HOW = "run ./dev bench"


class Updraft:
    def __init__(self, build):
        build = Path(build)
        self.command = build / "updraft"
        self.tracer = build / "bench" / "trace"
        self.benchmark = build / "bench" / "updraft_bench"
        self.build = build
        for program in (self.command, self.tracer, self.benchmark):
            if not program.exists():
                raise SystemExit(f"compare.py: {program} is missing; {HOW}")

    def instance(self, name):
        return parse(_run([self.command, "instance", name, "--export"]))

    def trace(self, case, rounds, folder):
        """Writes what Updraft decided and was paid in `rounds` rounds into `folder`."""
        arguments = [case.spec, case.instance.name, str(rounds), "1", str(folder)]
        _run([self.tracer, *arguments])

    def rate(self, case, quick):
        """Rounds per second, the best of three repetitions."""
        text = _run(
            [
                self.benchmark,
                "--benchmark_format=json",
                f"--benchmark_filter=^play/{case.name}$",
                f"--benchmark_min_time={0.2 if quick else 1.0}",
                "--benchmark_repetitions=3",
            ]
        )
        entries = json.loads(text)["benchmarks"] if text.strip() else []
        rates = [e["items_per_second"] for e in entries if e.get("run_type") == "iteration"]
        if not rates:
            raise SystemExit(f"compare.py: no benchmark play/{case.name} in {self.benchmark.name}")
        return max(rates)

    def compiler(self):
        return compiler_of(self.build)


def compiler_of(build):
    """The version line of the compiler that built it, or None."""
    try:
        cache = (build / "CMakeCache.txt").read_text()
        program = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE).group(1)
        return _run([program, "--version"]).splitlines()[0]
    except (OSError, AttributeError, IndexError, SystemExit):
        return None


def _run(command):
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise SystemExit(f"compare.py: cannot run {command[0]}: {error.strerror}; {HOW}") from None
    if done.returncode != 0:
        raise SystemExit(f"compare.py: {' '.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout
