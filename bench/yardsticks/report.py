"""The table and the results file."""

import json
import os
import platform

import numba
import numpy

from .cases import STRAIGHTFORWARD, STRONGEST

GROUPS = (
    "*Straightforward* yardsticks are vectorised or compiled Python as one would write it: numbers "
    "are drawn round by round, with numpy's default generator or numba's own. The *strongest we "
    "could write* take the same decisions with every trick we found: numpy's fastest generator, "
    "numbers drawn in blocks of many rounds, only the ids of ones among 0/1 payoffs, selections "
    "that start where the last one ended."
)


def summarise(case, measured, updraft_rate):
    """One entry of the results. `measured`: (contender, title, Measured) of every yardstick."""
    groups = {STRAIGHTFORWARD: {}, STRONGEST: {}, "borrowing": {}}
    for contender, title, result in measured:
        groups["borrowing" if contender.borrows else contender.group][title] = result.rate
    entry = {
        "instance": case.instance.name,
        "policy": case.policy,
        "spec": case.spec,
        "rounds": case.span,
        "yardsticks": [
            {
                "group": contender.group,
                "name": title,
                "borrows_our_idea": contender.borrows,
                "rounds_per_second": result.rate,
                "rounds": result.rounds,
                "repetitions": result.repetitions,
            }
            for contender, title, result in measured
        ],
        "updraft_rounds_per_second": updraft_rate,
    }
    for group, rates in groups.items():
        entry[group] = None
        if rates:
            best = max(rates, key=rates.get)
            ratio = updraft_rate / rates[best]
            entry[group] = {"best": best, "rounds_per_second": rates[best], "ratio": ratio}
    entry["goal"] = case.goal
    entry["reached"] = entry[STRAIGHTFORWARD]["ratio"] >= case.goal
    return entry


def short(rate):
    """1234567 -> 1.23M"""
    for unit, suffix in ((1e6, "M"), (1e3, "k"), (1.0, "")):
        if rate >= unit or unit == 1.0:
            value = rate / unit
            digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
            return f"{value:.{digits}f}{suffix}"


def table(entries):
    """A Markdown table that is readable as it is."""
    head = ["case", "best straightforward", "Updraft", "ratio", "goal"]
    rows = [head + ["strongest we could write", "ratio"]]
    for entry in entries:
        plain, strongest = entry[STRAIGHTFORWARD], entry[STRONGEST]
        rows.append(
            [
                _name(entry),
                f"{plain['best']}, {short(plain['rounds_per_second'])}",
                short(entry["updraft_rounds_per_second"]),
                f"{plain['ratio']:.1f}x",
                f"{entry['goal']}x",
                f"{strongest['best']}, {short(strongest['rounds_per_second'])}",
                f"{strongest['ratio']:.1f}x",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, ["-" * width for width in widths])
    lines = ("| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows)
    return "\n".join(lines)


def _name(entry):
    return f"{entry['instance']} {entry['policy']}"


def note(entries):
    """How to read the table, and what it leaves out."""
    text = "Rounds of policy and environment per second, on one thread."
    borrowing = [entry for entry in entries if entry["borrowing"]]
    if borrowing:
        faster = [_name(entry) for entry in borrowing if entry["borrowing"]["ratio"] < 1.0]
        text += (
            " The table leaves out yardsticks that borrow Updraft's idea and draw only the sums of "
            "payoffs a policy can tell apart; bench/results.json has them. They are faster than "
            f"Updraft in: {', '.join(faster) or 'no case'}."
        )
    return text


def text(entries, facts):
    """All that the page shows."""
    return "\n\n".join((GROUPS, table(entries), note(entries), describe(facts)))


def machine(compiler):
    """What the rates depend on, without a trace of which machine it was."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "compiler": compiler,
    }


def _cpu_model():
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def describe(facts):
    """The machine in one sentence."""
    parts = [facts["cpu"], f"{facts['cores']} cores"]
    packages = ("python", "numpy", "numba", "scikit-learn")
    parts += [f"{name} {facts[name]}" for name in packages if name in facts]
    if "blas" in facts:
        parts.append(facts["blas"])
    if facts["compiler"]:
        parts.append(facts["compiler"])
    return "Measured on: " + ", ".join(parts) + "."


def write_results(path, facts, entries, quick):
    with open(path, "w") as file:
        json.dump({"machine": facts, "quick": quick, "entries": entries}, file, indent=2)
        file.write("\n")
