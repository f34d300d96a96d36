"""The harness against its own ceilings: an empty kernel, a read and a copy, measured as any entry is."""

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("calibration.json")
COMMITTED = ROOT / "analysis/data/h200/calibration.json.gz"


def test_the_kernels_are_right(tmp_path: Path) -> None:
    """On the CPU executor: a calibration by kernels that leave work out would prove nothing."""
    program = os.environ.get("TALLY_HARNESS_FAULTS")
    if not program:
        pytest.skip("TALLY_HARNESS_FAULTS does not name a built harness")
    content = json.loads(CONFIG.read_text())
    for run in content["runs"]:
        run.pop("tunings", None)  # grids of a thousand blocks each, which show nothing more here
        run["sizes"] = run["sizes"][:1]
    config = tmp_path / "calibration.json"
    config.write_text(json.dumps(content))
    out = tmp_path / "out.json"
    done = subprocess.run([program, config, "--device", "simt", "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(out.read_text())
    entries = {row["tally"]["entry"] for row in document["benchmarks"]}
    kernels = {f"calibration/kernels/{name}" for name in ("nothing", "read", "copy")}
    assert entries == kernels | {"calibration/driver/copy"}


def fastest(document: dict, work: str) -> float:
    """Seconds of the fastest entry and tuning at the largest size."""
    rows = [row["tally"] for row in document["benchmarks"] if row["tally"]["knobs"]["work"] == work]
    largest = max(row["n"] for row in rows)
    return min(row["median"] for row in rows if row["n"] == largest)


@pytest.mark.skipif(not COMMITTED.exists(), reason="no calibration of a GPU is committed")
@pytest.mark.parametrize("name", ["nothing", "read", "copy"])
def test_an_h200_agrees_with_its_ceilings(name: str) -> None:
    document = json.loads(gzip.decompress(COMMITTED.read_bytes()))
    ceilings = document["tally"]["ceilings"]
    floor = ceilings["launch_floor_cold"]
    seconds = fastest(document, name)
    if name == "nothing":
        assert seconds == pytest.approx(floor, rel=0.02)
        return
    bytes_moved = 2**32
    rate = ceilings["hbm_read" if name == "read" else "hbm_copy"]
    assert bytes_moved / (seconds - floor) == pytest.approx(rate, rel=0.02)
