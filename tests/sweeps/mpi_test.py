"""Runs examples/mpi with a real mpirun. A rank is killed, and the same command continues. The merged
results must equal those of one machine, byte for byte.

Usage: mpi_test.py UPDRAFT SOURCE_DIR. Exit code 77: mpirun is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OPTIONS = ("--quick", "--runs", "4", "--rounds", "400")
RANKS = "3"
FILES = ("final.csv", "curves.csv", "summary.md", "figure.svg")


def main():
    updraft, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if not shutil.which("mpirun"):
        print("skipped: mpirun is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="mpi-") as name:
        folder = pathlib.Path(name)
        # The program of rank 1 kills itself the first time, after its shard has begun.
        once = folder / "updraft"
        once.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *"--shard 2/{RANKS}"*) if [ ! -e "{folder}/killed" ]; then\n'
            f'  touch "{folder}/killed"; kill -KILL $$; fi;; esac\n'
            f'exec "{updraft}" "$@"\n'
        )
        once.chmod(0o755)
        command = [source / "examples/mpi/sweep.sh", RANKS, "gaussian", folder / "results", *OPTIONS]
        environment = {
            **os.environ,
            "UPDRAFT": str(once),
            "MPIRUN": "mpirun --oversubscribe --mca btl self,vader",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        first = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert first.returncode != 0, "a rank was killed, and the sweep succeeded"
        assert not (folder / "results/merged").exists(), "shards were merged without a killed rank"
        again = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert again.returncode == 0, again.stderr
        subprocess.run(
            [updraft, "run", "gaussian", *OPTIONS, "--out", folder / "alone", "--quiet"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        for file in FILES:
            merged = (folder / "results/merged" / file).read_bytes()
            assert merged == (folder / "alone" / file).read_bytes(), file
    print("the merged results are those of one machine")
    return 0


sys.exit(main())
