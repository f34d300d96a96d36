"""A real array on a real Slurm of two virtual nodes: killed, requeued, merged, equal to an unsharded run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cluster import Cluster, obstacle

ROOT = Path(__file__).resolve().parents[2]
SHARDS = 4
CONFIG = {
    "title": "for Slurm",
    "device": "simt",
    "measure": {"caches": ["warm"]},
    "check": {"sizes": [1, 31, 257], "distributions": ["uniform", "exact"], "launches": 6},
    "runs": [
        {
            "family": "reduce",
            "types": ["float32", "int32"],
            "sizes": {"from": 64, "to": 2048, "factor": 2},
            "entries": ["reduce/korean_course/*"],
        }
    ],
}


@pytest.fixture(scope="module")
def harness() -> str:
    path = os.environ.get("TALLY_HARNESS")
    if not path:
        pytest.skip("TALLY_HARNESS does not name the harness's binary")
    return str(Path(path).resolve())


@pytest.fixture
def cluster(tmp_path: Path):
    if why := obstacle():
        pytest.skip(f"no Slurm here: {why}")
    folder = tmp_path / "cluster"
    folder.mkdir()
    with Cluster(folder) as started:
        yield started


def rows_in_journal(shard: Path) -> int:
    journal = Path(f"{shard}.journal")
    return journal.read_text().count('{"kind":"row"') if journal.exists() else 0


def wait_for_row(cluster: Cluster, shard: Path) -> None:
    """Until the shard's run is under way; it must not have ended."""
    for _ in range(1200):
        if rows_in_journal(shard) > 0:
            return
        assert not shard.exists(), f"{shard} was done before it could be killed"
        time.sleep(0.05)
    raise AssertionError(f"{shard} has no row after a minute: {cluster.call('squeue')}\n{cluster.logs()}")


def exact_part(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Of each row what has no noise: which cell it is, its counters and its checks."""
    rows = []
    for row in document["benchmarks"]:
        cell = row["tally"]
        # How many launches were compared is how many a fifth of a second had room for.
        check = {key: value for key, value in cell["check"].items() if key != "launches"}
        rows.append(
            {
                key: row[key]
                for key in ("name", "family_index", "per_family_instance_index", "repetition_index")
            }
            | {"counters": cell["counters"], "check": check, "problem": cell["problem"]}
        )
    return rows


def test_an_array_with_a_killed_and_a_preempted_task_is_merged_as_if_unsharded(
    harness: str, cluster: Cluster, tmp_path: Path
) -> None:
    config = tmp_path / "sweep.json"
    config.write_text(json.dumps(CONFIG))
    submitted = cluster.call(
        ROOT / "configs" / "slurm" / "submit.sh",
        config,
        str(SHARDS),
        "virtual",
        folder=tmp_path,
        TALLY_HARNESS=harness,
        TALLY_PYTHON=sys.executable,
        PYTHONPATH=str(ROOT),
        TALLY_WATCHDOG_SECONDS="120",
    )
    array = submitted.split("array ")[1].split()[0]
    merge = submitted.split("figures: ")[1].split(",")[0]
    shards = [tmp_path / "results" / "virtual" / f"sweep.shard-{i}-of-{SHARDS}.json" for i in range(SHARDS)]

    # Two nodes, one task each: 0 and 1 run first.
    wait_for_row(cluster, shards[0])
    # The step, for of a whole job Slurm makes a cancellation of that signal, which begins with SIGTERM.
    cluster.call("scancel", "--signal=KILL", f"{array}_0.0")
    assert cluster.wait_until_ended(f"{array}_0") == "FAILED"
    assert not shards[0].exists() and rows_in_journal(shards[0]) > 0
    cluster.call("scontrol", "requeue", f"{array}_0")

    # What a preemption's grace time begins with: the task finishes its cell and puts itself back.
    wait_for_row(cluster, shards[1])
    cluster.call("scancel", "--signal=TERM", f"{array}_1.0")

    assert cluster.wait_until_ended(merge) == "COMPLETED", cluster.logs() + logs_of(tmp_path)
    for task in (0, 1):
        assert cluster.facts(f"{array}_{task}")["Restarts"] == "1"
        assert "going on after" in (tmp_path / "results" / f"slurm-{array}_{task}.log").read_text()

    whole = tmp_path / "whole.json"
    subprocess.run([harness, config, "--out", whole, "--quiet"], check=True, timeout=300)
    expected = json.loads(whole.read_text())
    merged = json.loads((tmp_path / "results" / "virtual" / "sweep.json").read_text())
    assert exact_part(merged) == exact_part(expected)
    assert len(merged["benchmarks"]) > 50
    assert sorted(failure["cell"] for failure in merged["tally"]["failures"]) == sorted(
        failure["cell"] for failure in expected["tally"]["failures"]
    )
    assert merged["tally"]["plan"] == expected["tally"]["plan"]
    assert [shard["index"] for shard in merged["tally"]["shards"]] == list(range(SHARDS))
    assert list((tmp_path / "results" / "sweep-figures").glob("*.pdf"))


def logs_of(folder: Path) -> str:
    logs = (folder / "results").glob("*.log")
    return "\n".join(f"--- {log.name}\n{log.read_text()}" for log in sorted(logs))
