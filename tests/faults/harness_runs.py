"""Runs of the harness for tests: start, stop, resume, and compare what two of them left."""

import copy
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

TIMES_OF_ROW = ("iterations", "real_time", "cpu_time", "bytes_per_second", "items_per_second")
TIMES_OF_CELL = ("samples", "rounds", "batch", "median", "ci", "noise", "stop_reason", "clocks")

Document = dict[str, Any]


def binary(name: str) -> str:
    """The program that `name` of the environment points at."""
    import pytest

    path = os.environ.get(name)
    if not path:
        pytest.skip(f"{name} does not name a built harness")
    return path


def config(folder: Path, entries: list[str], sizes: list[int], **further: Any) -> Path:
    """A config for the CPU executor that takes a second or two."""
    content = {
        "title": "for a test",
        "device": "simt",
        "measure": {"caches": ["warm"], "max_seconds": 0.05, "min_samples": 6, **further.pop("measure", {})},
        "check": {"sizes": [1, 31, 1000], "distributions": ["uniform", "exact"], "launches": 6},
        "runs": [{"family": "reduce", "op": "sum", "types": ["float32"], "sizes": sizes, "entries": entries}],
        **further,
    }
    path = folder / "config.json"
    path.write_text(json.dumps(content))
    return path


def start(program: str, *arguments: Any, watchdog: float = 20, **popen: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "TALLY_WATCHDOG_SECONDS": str(watchdog)}
    return subprocess.Popen(
        [program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **popen,
    )


def run(program: str, *arguments: Any, **popen: Any) -> subprocess.CompletedProcess[str]:
    process = start(program, *arguments, **popen)
    out, err = process.communicate(timeout=240)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def journal_lines(out: Path, kind: str) -> int:
    """Whole lines of that kind in the journal of a run that may still be going on."""
    journal = Path(f"{out}.journal")
    if not journal.exists():
        return 0
    return journal.read_text().count(f'{{"kind":"{kind}"')


def wait_for_lines(process: subprocess.Popen[str], out: Path, kind: str, count: int) -> None:
    """Until the journal has so many lines of that kind; the process must not end before."""
    for _ in range(6000):
        if journal_lines(out, kind) >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    raise AssertionError(f"no {count} lines of kind {kind} in a minute")


def load(out: Path) -> Document:
    return json.loads(out.read_text())


def without_times(document: Document) -> Document:
    """What must be equal in two runs of one config: all but times and what follows from them."""
    left = copy.deepcopy(document)
    for key in ("date", "load_avg", "mhz_per_cpu"):
        left["context"].pop(key, None)
    for row in left["benchmarks"]:
        for key in TIMES_OF_ROW:
            row.pop(key, None)
        cell = row["tally"]
        for key in TIMES_OF_CELL:
            cell.pop(key, None)
        cell["check"].pop("launches")  # as many as a fifth of a second has room for
        if "ratios" in cell:
            cell["ratios"] = sorted(cell["ratios"])
    top = left["tally"]
    top.pop("command")
    top.pop("seconds")
    for key in ("started", "finished"):
        top["provenance"].pop(key)
    return left


def statuses(document: Document) -> dict[str, str]:
    """Status of each entry among the failures."""
    return {failure["entry"]: failure["status"] for failure in document["tally"]["failures"]}
