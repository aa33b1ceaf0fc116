#!/usr/bin/env python3
"""Puts faults into Updraft, one at a time, and says which of them the tests notice.

A test that passes whatever the code does proves nothing. The files *.toml beside this one list
faults that an engineer could make, each with the tests that must fail because of it. A fault is a
copy of one source file with one text replaced. The copy is compiled and linked in front of the
library, so neither the sources nor the build folder change. A fault in the command line (apps/),
or whose tests are all in tests/cli, tests/serve and tests/nodes, makes a program of its own, which
these tests run in place of updraft.
docs/faults.md has the results.

  tests/faults/run.py                   put in all faults
  tests/faults/run.py kmeans-seed ...   these only; a name may have wildcards
  tests/faults/run.py --check           only check that every fault still fits its source file

The build folder must be made for Ninja, as ./dev build makes it. Exit status: 0 if all faults were
noticed, 1 if not, 2 if the list is wrong or something does not build.
"""

import argparse
import fnmatch
import functools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
PROGRAM = "updraft_tests"
COMMAND = "updraft"  # built from apps/
COMMAND_TESTS = {  # by their folders
    "cli": "tests/cli/updraft_cli_tests",
    "serve": "tests/serve/updraft_service_tests",
    "nodes": "tests/serve/updraft_service_tests",
}
DOCS = ROOT / "docs" / "faults.md"
DOCS_MARK = "<!-- Written by tests/faults/run.py --write-docs. -->\n"


class WrongList(Exception):
    """The list of faults, or what a run needs, is not as it should be."""


@dataclass(frozen=True)
class Fault:
    part: str  # of the library: the name of the file that lists it
    name: str
    file: str  # the source file, from the root of the project
    was: str  # a text that occurs once in it
    becomes: str
    says: str  # what is wrong then
    tests: list[str]  # patterns of the tests that must notice

    @property
    def in_command(self) -> bool:
        """Whether its tests run the program."""
        folders = folders_of(self.tests)
        return self.file.startswith("apps/") or bool(folders) and folders <= COMMAND_TESTS.keys()


@dataclass(frozen=True)
class Outcome:
    fault: Fault
    word: str  # caught, survived or does not build
    detail: str  # the test that failed, or the compiler's words
    seconds: float


# The list.


def load_faults() -> list[Fault]:
    faults = []
    for path in sorted(FOLDER.glob("*.toml")):
        with path.open("rb") as file:
            document = tomllib.load(file)
        for entry in document.get("fault", []):
            try:
                faults.append(Fault(part=path.stem, **entry))
            except TypeError as error:
                raise WrongList(f"{path.name}: {entry.get('name', entry)}: {error}") from error
    return faults


def test_files() -> dict[str, list[str]]:
    """The files of each test suite, from the root of the project."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("*_test.cc")):
        for suite in set(re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),", path.read_text(), re.MULTILINE)):
            found.setdefault(suite, []).append(str(path.relative_to(ROOT)))
    return found


@functools.cache
def folders_of_suites() -> dict[str, set[str]]:
    """The folders below tests/ of each test suite."""
    return {suite: {file.split("/")[1] for file in files} for suite, files in test_files().items()}


def folders_of(patterns: Iterable[str]) -> set[str]:
    """The folders below tests/ with the suites that the patterns mean."""
    known = folders_of_suites()
    return {f for pattern in patterns for suite in suites_of(pattern, known) for f in known[suite]}


def suites_of(pattern: str, known: Iterable[str]) -> list[str]:
    """The suites that a pattern of tests means."""
    return fnmatch.filter(known, pattern.split(".")[0].split("/")[-1])


def patched(fault: Fault) -> str:
    """The text of the source file with the fault in it."""
    path = ROOT / fault.file
    if not fault.file.startswith(("src/", "apps/")) or path.suffix != ".cc" or not path.is_file():
        raise WrongList(f"{fault.name}: {fault.file} is no source file of library or command line")
    text = path.read_text()
    count = text.count(fault.was)
    if count != 1:
        raise WrongList(
            f"{fault.name}: the text occurs {count} times in {fault.file}, not once: {fault.was}"
        )
    if fault.was == fault.becomes:
        raise WrongList(f"{fault.name}: changes nothing")
    return text.replace(fault.was, fault.becomes)


def runs(fault: Fault, files: list[str]) -> bool:
    """Whether a program that is run for the fault has the tests of one of the files."""
    folders = {file.split("/")[1] for file in files}
    in_command = folders & COMMAND_TESTS.keys()
    return bool(in_command if fault.in_command else folders - in_command)


def check_list(faults: list[Fault]) -> list[str]:
    """What is wrong with the list."""
    wrong = []
    names = [fault.name for fault in faults]
    wrong += [f"{name}: is repeated" for name in sorted(set(names)) if names.count(name) > 1]
    known = test_files()
    for fault in faults:
        try:
            patched(fault)
        except WrongList as error:
            wrong.append(str(error))
        if not fault.tests:
            wrong.append(f"{fault.name}: names no tests")
        for pattern in fault.tests:
            if not [s for s in suites_of(pattern, known) if runs(fault, known[s])]:
                wrong.append(f"{fault.name}: no test suite matches {pattern}")
    return wrong


# A run.


class Workbench:
    """Compiles, links and runs with the commands of a build folder, for faults in the library.

    Of the unit tests only the files that hold tests of `faults` are compiled and linked.
    """

    def __init__(self, build: Path, faults: list[Fault], program: str = PROGRAM):
        self.build = build
        self.program = program
        self.ninja("build.ninja")  # which knows of new files then
        commands = json.loads((build / "compile_commands.json").read_text())
        self.compile_commands = {str(Path(entry["file"]).resolve()): entry for entry in commands}
        link = self.ninja("-t", "commands", program).splitlines()[-1]
        self.link_words = self.needed(link.split(" "), faults)
        inputs = [w for w in self.link_words if w.endswith((".o", ".a")) and not w.startswith("/")]
        self.ninja(*inputs)

    def ninja(self, *words: str) -> str:
        """What Ninja says."""
        ended = subprocess.run(
            ["ninja", "-C", str(self.build), *words], capture_output=True, text=True
        )
        if ended.returncode != 0:
            said = (ended.stdout + ended.stderr)[-2000:]
            raise WrongList(f"the build folder {self.build} does not build:\n{said}")
        return ended.stdout

    @staticmethod
    def needed(words: list[str], faults: list[Fault]) -> list[str]:
        """A link command without the test files that no fault asks for."""
        known = test_files()
        suites = {s for fault in faults for test in fault.tests for s in suites_of(test, known)}
        files = {file.removeprefix("tests/") for suite in suites for file in known[suite]}
        return [
            word
            for word in words
            if not word.endswith("_test.cc.o") or any(word.endswith(f"/{f}.o") for f in files)
        ]

    def compile(self, fault: Fault, folder: Path) -> Path:
        """The object file of the faulty source. Headers are the project's own."""
        source = folder / fault.file
        source.parent.mkdir(parents=True)
        source.write_text(patched(fault))
        entry = self.compile_commands.get(str(ROOT / fault.file))
        if entry is None:
            raise WrongList(f"{fault.name}: the build folder does not compile {fault.file}")
        words = shlex.split(entry["command"])
        compiled = folder / "faulty.o"
        words[words.index("-o") + 1] = str(compiled)
        words[words.index("-c") + 1] = str(source)
        # Kernels include their own file by its path below src/, once for each kind of vector.
        own = folder / "src" if fault.file.startswith("src/") else (ROOT / fault.file).parent
        first = next(j for j, word in enumerate(words) if word.startswith("-"))
        words.insert(first, f"-I{own}")
        subprocess.run(words, cwd=entry["directory"], check=True, capture_output=True, text=True)
        return compiled

    def words_with(self, fault: Fault) -> list[str]:
        """Those of a link command to which the faulty object is added."""
        return list(self.link_words)

    def link(self, folder: Path, fault: Fault | None = None, *compiled: Path) -> Path:
        """The program. Given objects come first, so the library's own are not taken."""
        program = folder / self.program
        words = self.words_with(fault) if fault else list(self.link_words)
        output = words.index("-o") + 1
        words[output : output + 1] = [shlex.quote(str(path)) for path in (program, *compiled)]
        subprocess.run(
            " ".join(words), shell=True, cwd=self.build, check=True, capture_output=True, text=True
        )
        return program

    def run(self, program: Path, tests: list[str], limit: float) -> tuple[bool, str]:
        """Whether the tests fail, and which does first."""
        return self.run_tests([program], tests, limit, None)

    def run_tests(
        self, programs: list[Path], tests: list[str], limit: float, tested: Path | None
    ) -> tuple[bool, str]:
        """The same for the tests that any of the test programs has, of the program `tested`."""
        ran = False
        for program in programs:
            known, fails, test = self.run_one(program, tests, limit, tested)
            ran |= known
            if fails:
                return True, test
        if not ran:
            raise WrongList(f"no test matches {':'.join(tests)}")
        return False, ""

    def run_one(
        self, program: Path, tests: list[str], limit: float, tested: Path | None
    ) -> tuple[bool, bool, str]:
        """Whether the test program has such tests, whether they fail, and which does first."""
        command = [str(program), "--gtest_fail_fast", f"--gtest_filter={':'.join(tests)}"]
        environment = {**os.environ, **({"TESTED_UPDRAFT": str(tested)} if tested else {})}
        try:
            ended = subprocess.run(
                command,
                cwd=self.build,
                env=environment,
                timeout=limit,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
            output, status = ended.stdout, ended.returncode
        except subprocess.TimeoutExpired as expired:
            output, status = (expired.stdout or b"").decode(errors="replace"), None
        started = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        if status == 0 or not started:
            return bool(started), False, ""
        failed = re.search(r"^\[  FAILED  \] (\S+?),? ", output, re.MULTILINE)
        if failed:
            return True, True, failed.group(1)
        return True, True, f"{started[-1]} {'hangs' if status is None else 'crashes'}"


class CommandBench(Workbench):
    """The same for faults in the command line."""

    def __init__(self, build: Path, faults: list[Fault]):
        super().__init__(build, [], COMMAND)
        folders = {folder for fault in faults for folder in folders_of(fault.tests)}
        test_programs = sorted({p for f, p in COMMAND_TESTS.items() if f in folders})
        self.ninja(*test_programs)
        self.test_programs = [build / program for program in test_programs]

    def words_with(self, fault: Fault) -> list[str]:
        """Without the object that the fault replaces, which is not in a library."""
        return [word for word in self.link_words if not word.endswith(f"/{fault.file}.o")]

    def run(self, program: Path, tests: list[str], limit: float) -> tuple[bool, str]:
        return self.run_tests(self.test_programs, tests, limit, program)


def put_in(fault: Fault, bench: Workbench, limit: float) -> Outcome:
    start = time.monotonic()

    def outcome(word: str, detail: str = "") -> Outcome:
        return Outcome(fault, word, detail, time.monotonic() - start)

    with tempfile.TemporaryDirectory(prefix="updraft-fault-") as name:
        folder = Path(name).resolve()
        try:
            program = bench.link(folder, fault, bench.compile(fault, folder))
        except subprocess.CalledProcessError as error:
            lines = [line for line in error.stderr.splitlines() if "error" in line]
            return outcome("does not build", lines[0] if lines else error.stderr[:200])
        fails, test = bench.run(program, fault.tests, limit)
        return outcome("caught", test) if fails else outcome("survived")


def check_sound(faults: list[Fault], bench: Workbench, limit: float) -> None:
    """All tests named must pass if there is no fault."""
    tests = sorted({test for fault in faults for test in fault.tests})
    with tempfile.TemporaryDirectory(prefix="updraft-fault-") as name:
        program = bench.link(Path(name).resolve())
        fails, test = bench.run(program, tests, limit * len(faults))
    if fails:
        raise WrongList(f"{test} fails without any fault")


# What is shown.


def write_docs(outcomes: list[Outcome]) -> None:
    lines = ["| part | faults | caught |", "|---|---:|---:|"]
    parts = sorted({outcome.fault.part for outcome in outcomes})
    for part in parts:
        words = [outcome.word for outcome in outcomes if outcome.fault.part == part]
        lines.append(f"| {part.replace('_', ' ')} | {len(words)} | {words.count('caught')} |")
    caught = sum(outcome.word == "caught" for outcome in outcomes)
    lines.append(f"| all | {len(outcomes)} | {caught} |")
    for part in parts:
        lines += ["", f"### {part.replace('_', ' ').capitalize()}", ""]
        lines += ["| fault | file | noticed by |", "|---|---|---|"]
        for outcome in outcomes:
            if outcome.fault.part != part:
                continue
            file = outcome.fault.file.removeprefix("src/")
            noticed = f"`{outcome.detail}`" if outcome.word == "caught" else f"**{outcome.word}**"
            says = outcome.fault.says.replace("|", "\\|")
            lines.append(f"| {says} | `{file}` | {noticed} |")
    head, mark, _ = DOCS.read_text().partition(DOCS_MARK)
    if not mark:
        raise WrongList(f"{DOCS.name} has no line {DOCS_MARK}")
    DOCS.write_text(head + mark + "\n" + "\n".join(lines) + "\n")


def selected(faults: list[Fault], names: list[str]) -> list[Fault]:
    if not names:
        return faults
    for name in names:
        if not any(fnmatch.fnmatchcase(fault.name, name) for fault in faults):
            raise WrongList(f"no fault is named {name}; --list shows all")
    return [f for f in faults if any(fnmatch.fnmatchcase(f.name, name) for name in names)]


def run_all(faults: list[Fault], options: argparse.Namespace) -> list[Outcome]:
    build = options.build.resolve()
    in_library = [fault for fault in faults if not fault.in_command]
    in_command = [fault for fault in faults if fault.in_command]
    benches = {}
    if in_library:
        benches[False] = Workbench(build, in_library)
        check_sound(in_library, benches[False], options.limit)
    if in_command:
        benches[True] = CommandBench(build, in_command)
        check_sound(in_command, benches[True], options.limit)
    outcomes = []
    with ThreadPoolExecutor(options.jobs) as pool:
        put_in_one = lambda fault: put_in(fault, benches[fault.in_command], options.limit)
        for outcome in pool.map(put_in_one, faults):
            outcomes.append(outcome)
            print(
                f"{outcome.word:<9} {outcome.fault.part}: {outcome.fault.name:<32} "
                f"{outcome.detail} ({outcome.seconds:.0f} s)",
                flush=True,
            )
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to put in; none: all")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that tests may take")
    parser.add_argument("--check", action="store_true", help="only check the list")
    parser.add_argument("--list", action="store_true", help="only show the list")
    parser.add_argument("--write-docs", action="store_true", help="write the results to docs/")
    options = parser.parse_args()
    if options.write_docs and options.names:
        parser.error("--write-docs is for all faults, without names")
    try:
        faults = load_faults()
        wrong = check_list(faults)
        if wrong:
            raise WrongList("\n".join(wrong))
        faults = selected(faults, options.names)
        if options.check:
            return 0
        if options.list:
            for fault in faults:
                print(f"{fault.part}: {fault.name}: {fault.says}")
            return 0
        outcomes = run_all(faults, options)
        if options.write_docs:
            write_docs(outcomes)
    except WrongList as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"run.py: {error}\n{error.stderr}", file=sys.stderr)
        return 2
    caught = sum(outcome.word == "caught" for outcome in outcomes)
    print(f"{caught} of {len(outcomes)} caught")
    if any(outcome.word == "does not build" for outcome in outcomes):
        return 2
    return 0 if caught == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
