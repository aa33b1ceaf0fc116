"""Runs examples/slurm on a real Slurm: one controller and three nodes on this machine, with daemons,
keys and state of their own in a temporary folder. A worker is killed, and so is a node. The merged
results must equal those of one machine, byte for byte.

Usage: slurm_test.py UPDRAFT SOURCE_DIR. Exit code 77: Slurm or munge is not installed.
"""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NODES = ("n1", "n2", "n3")
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")
SHARDS = 6
EXPERIMENT = """\
name = "sweep"
title = "A sweep"
instance = "gaussian"
rounds = 20000
runs = 12

[[policy]]
spec = "up_ucb"
alpha = [1, 2, 3, 4]

[[policy]]
spec = "up_ts"
"""


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait_for(condition, what, seconds=240):
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.2)
    return result


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.running = {}
        controller, *ports = free_ports(1 + len(NODES))
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        user = getpass.getuser()
        nodes = "\n".join(
            f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1"
            for name, port in zip(NODES, ports)
        )
        # cred_expire also decides how long a job waits that is requeued.
        (folder / "slurm.conf").write_text(
            f"""\
ClusterName=test
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=2
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1,sched_min_interval=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdTimeout=10
ReturnToService=2
KillWait=1
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""
        )
        (folder / "state").mkdir()
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
        self.start(
            "munged", "--foreground", "--force", f"--key-file={key}",
            f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
            f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed",
        )  # fmt: skip
        wait_for((folder / "munge.socket").exists, "munged")
        self.start("slurmctld", "-D")
        for name in NODES:
            self.start_node(name)
        wait_for(lambda: self.states().count("idle") == len(NODES), "idle nodes")

    def start(self, program, *arguments, name=None):
        log = open(self.folder / f"{name or program}.out", "ab")
        self.running[name or program] = subprocess.Popen(
            [find(program), *arguments], stdout=log, stderr=log, start_new_session=True
        )

    def start_node(self, name):
        self.start("slurmd", "-D", "-N", name, name=name)

    def states(self):
        result = subprocess.run(
            ["sinfo", "-h", "-N", "-o", "%T"], capture_output=True, text=True, check=False
        )
        return result.stdout.split()

    def kill_node(self, name):
        self.running[name].send_signal(signal.SIGKILL)
        self.running[name].wait()

    def stop(self):
        subprocess.run(["scancel", "--user", getpass.getuser()], check=False)
        for process in reversed(list(self.running.values())):
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()

    def logs(self):
        for path in sorted(self.folder.glob("*.out")) + sorted(self.folder.glob("results/*.log")):
            print(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}", file=sys.stderr)


def workers(results):
    """(pid, shard) of the programs that run shards of this test."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"--shard" in words and str(results).encode() in b" ".join(words):
                if not words[0].endswith(b"bash"):
                    found.append((int(entry.name), words[words.index(b"--shard") + 1].decode()))
    return found


def node_of_job(name):
    result = subprocess.run(
        ["squeue", "-h", "-w", name, "-t", "RUNNING", "-o", "%A"], capture_output=True, text=True
    )
    return result.stdout.split()


def play(updraft, source, cluster):
    results = cluster.folder / "results"
    experiment = cluster.folder / "sweep.toml"
    experiment.write_text(EXPERIMENT)
    merge = subprocess.run(
        [source / "examples/slurm/submit.sh", experiment, str(SHARDS), results],
        env={**os.environ, "UPDRAFT": str(updraft)}, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip

    # A worker is killed in the middle of its shard.
    pid, killed = wait_for(lambda: workers(results), "a worker")[0]
    os.kill(pid, signal.SIGKILL)
    # A node dies, and the jobs on it with it; another one takes them over.
    wait_for(lambda: node_of_job(NODES[2]), "a job on the third node")
    cluster.kill_node(NODES[2])
    for pid, _ in workers(results):
        with contextlib.suppress(OSError):
            if f"SLURMD_NODENAME={NODES[2]}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                os.kill(pid, signal.SIGKILL)

    shard = killed.split("/")[0]
    log = results / f"shard-{shard}.log"
    wait_for(lambda: "starting again" in log.read_text(), "the killed worker to be noticed")
    wait_for((results / "merged/figure.svg").exists, f"job {merge}, which merges")
    return results / "merged"


def main():
    updraft, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    missing = [program for program in DAEMONS if not find(program)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="slurm-") as name:
        cluster = None
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        try:
            cluster = Cluster(folder)
            merged = play(updraft, source, cluster)
            alone = folder / "alone"
            subprocess.run(
                [updraft, "run", folder / "sweep.toml", "--out", alone, "--quiet"],
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            for file in ("final.csv", "curves.csv", "summary.md", "figure.svg"):
                assert (merged / file).read_bytes() == (alone / file).read_bytes(), file
        except BaseException:
            if cluster:
                cluster.logs()
            raise
        finally:
            if cluster:
                cluster.stop()
    print("the merged results are those of one machine")
    return 0


sys.exit(main())
