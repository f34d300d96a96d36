"""A Slurm of two virtual nodes on this machine: own daemons, ports, key and folder; as root, no systemd."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "scontrol", "squeue", "sinfo")
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")

CONFIG = """\
ClusterName=tally
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdSpoolDir={folder}/spool-%n
StateSaveLocation={folder}/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,defer_batch,bf_interval=2
KillWait=5
ReturnToService=2
GresTypes=gpu
NodeName=virtual1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first_port} CPUs=2 RealMemory=512 Gres=gpu:1
NodeName=virtual2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second_port} CPUs=2 RealMemory=512 Gres=gpu:1
PartitionName=virtual Nodes=virtual1,virtual2 Default=YES MaxTime=INFINITE State=UP
"""


def obstacle() -> str:
    """Why there can be no cluster here; empty where there can."""
    if os.geteuid() != 0:
        return "Slurm's daemons need root"
    missing = [program for program in PROGRAMS if shutil.which(program, path=_path()) is None]
    if missing:
        return f"{', '.join(missing)} cannot be had (Debian: slurmctld slurmd slurm-client munge)"
    return ""


def _path() -> str:
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Started by `with`, and gone after it, jobs and all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: list[subprocess.Popen[bytes]] = []
        # Nothing of a job that this test itself may be.
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH"))
        } | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": _path()}

    def __enter__(self) -> Cluster:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        controller, first, second = _free_ports(3)
        host = socket.gethostname().split(".")[0]
        (self.folder / "state").mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIG.format(
                folder=self.folder,
                host=host,
                controller_port=controller,
                first_port=first,
                second_port=second,
            )
        )
        (self.folder / "gres.conf").write_text("NodeName=virtual[1-2] Name=gpu File=/dev/null\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        munge = [f"--{name}={self.folder}/munge.{name.split('-')[0]}" for name in ("socket", "pid-file")]
        munge += [
            f"--key-file={key}",
            f"--log-file={self.folder}/munge.log",
            f"--seed-file={self.folder}/seed",
        ]
        self._run_daemon("munged", "--foreground", "--force", "--num-threads=2", *munge)
        self._wait_for("munge's socket", lambda: (self.folder / "munge.socket").exists())
        self._run_daemon("slurmctld", "-D")
        self._run_daemon("slurmd", "-D", "-N", "virtual1")
        self._run_daemon("slurmd", "-D", "-N", "virtual2")
        self._wait_for("two idle nodes", lambda: self._states_of_nodes() == ["idle", "idle"])

    def _run_daemon(self, program: str, *arguments: str) -> None:
        with open(self.folder / f"{program}.out", "ab") as log:
            self.daemons.append(
                subprocess.Popen(
                    [program, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=self.environment,
                    cwd=self.folder,
                    start_new_session=True,
                )
            )

    def _states_of_nodes(self) -> list[str]:
        done = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--format=%T"],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        return done.stdout.split()

    def _wait_for(self, what: str, is_so, seconds: float = 60) -> None:
        began = time.monotonic()
        while not is_so():
            if time.monotonic() - began > seconds or any(one.poll() is not None for one in self.daemons):
                raise AssertionError(f"no {what} after {time.monotonic() - began:.0f} s\n{self.logs()}")
            time.sleep(0.1)

    def logs(self) -> str:
        """The last lines of every log, for a failed test."""
        parts = []
        for path in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]):
            parts.append(
                f"--- {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-12:])
            )
        return "\n".join(parts)

    def call(self, *command: str | Path, folder: Path | None = None, **environment: str) -> str:
        """A command of Slurm's; what it printed. Fails where it does."""
        done = subprocess.run(
            [str(word) for word in command],
            env=self.environment | environment,
            cwd=folder or self.folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}\n{self.logs()}"
        return done.stdout.strip()

    def facts(self, job: str) -> dict[str, str]:
        """What scontrol knows of a job or of one task of an array, "12_3"."""
        return dict(re.findall(r"(\w+)=(\S*)", self.call("scontrol", "show", "job", job)))

    def state(self, job: str) -> str:
        return self.facts(job)["JobState"]

    def wait_until_ended(self, job: str, seconds: float = 100) -> str:
        self._wait_for(f"end of job {job}", lambda: self.state(job) in ENDED, seconds)
        return self.state(job)

    def __exit__(self, *_: object) -> None:
        # Jobs first, for only slurmd knows their processes; then the daemons, munge last.
        if len(self.daemons) > 1:
            subprocess.run(
                ["scancel", "--full", "--signal=KILL", "--user=root"],
                env=self.environment,
                capture_output=True,
            )
            subprocess.run(["scancel", "--user=root"], env=self.environment, capture_output=True)
            time.sleep(0.5)
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._kill_what_is_left()

    def _kill_what_is_left(self) -> None:
        """Steps of jobs outlive slurmd; they are known by the folder in their environment."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                continue  # it ended meanwhile
