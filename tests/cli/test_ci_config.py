"""configs/ci.json is a gate that needs no GPU: right, quick, and without noise."""

import json
from pathlib import Path

from conftest import ROOT

TIMES = {"real_time", "cpu_time", "bytes_per_second", "items_per_second"}
OUR_TIMES = {"median", "samples", "noise", "ci"}


def counted_rows(path: Path) -> list[dict]:
    """Rows of the CPU executor without the executor's own times. (Libraries on the host are timed, and their
    parallel sums differ in the last bits.)
    """
    rows = [row for row in json.loads(path.read_text())["benchmarks"] if row["tally"]["device"] == "simt"]
    return [
        {key: value for key, value in row.items() if key not in TIMES}
        | {"tally": {key: value for key, value in row["tally"].items() if key not in OUR_TIMES}}
        for row in rows
    ]


def test_two_runs_are_the_same_but_for_times(harness, tmp_path) -> None:
    config = ROOT / "configs" / "ci.json"
    runs = []
    for name in ("first.json", "second.json"):
        done = harness(config, "--device", "simt", "--quiet", "--out", tmp_path / name, limit=600)
        assert done.code == 0, done.err
        # What two cores can do in a minute; a clock on the wall would depend on what else runs.
        assert done.cpu_seconds < 2 * 60
        runs.append(counted_rows(tmp_path / name))
    first, second = runs
    assert len(first) > 50 and all(row["tally"]["counters"] for row in first)
    assert first == second
