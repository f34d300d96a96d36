"""Planted faults: each costs its own rows, and all others' rows are there."""

import gzip
import json
from pathlib import Path

import pytest
from harness_runs import Document, binary, config, load, run, statuses

KERNELS = "reduce/planted_kernels/"
HOST = "reduce/planted/"
SIZES = [1024, 4096]
GPU_CONFIG = Path(__file__).with_name("gpu_faults.json")
COMMITTED = Path(__file__).resolve().parents[2] / "analysis/data/h200/faults.json.gz"

EXPECTED = {
    HOST + "wrong": "wrong",
    HOST + "segfault": "crashed",
    HOST + "segfault_when_large": "crashed",
    HOST + "abort": "crashed",
    HOST + "exit": "crashed",
    HOST + "hang": "timed_out",
    HOST + "leak": "wrong",
    HOST + "out_of_bounds": "wrong",
    HOST + "throws": "crashed",
    HOST + "out_of_memory": "crashed",
    KERNELS + "wrong": "wrong",
    KERNELS + "out_of_bounds": "wrong",
    KERNELS + "illegal_address": "crashed",
    KERNELS + "trap": "crashed",
    KERNELS + "endless_loop": "crashed",
    KERNELS + "too_much_shared": "crashed",
    KERNELS + "known_wrong": "known_wrong",
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("planted")
    out = folder / "out.json"
    result = run(
        binary("TALLY_HARNESS_FAULTS"),
        config(folder, [HOST + "*", KERNELS + "*"], SIZES),
        "--out",
        out,
        watchdog=10,
    )
    return result, load(out)


def test_each_fault_costs_its_own_rows(planted) -> None:
    _, document = planted
    assert statuses(document) == EXPECTED
    for failure in document["tally"]["failures"]:
        assert failure["reason"], failure
    assert len(document["tally"]["failures"]) == len(EXPECTED) * len(SIZES)


def test_all_others_are_measured(planted) -> None:
    _, document = planted
    rows = {(row["tally"]["entry"], row["tally"]["n"]) for row in document["benchmarks"]}
    right = [HOST + "right", HOST + "right_too", KERNELS + "right"]
    assert rows == {(entry, n) for entry in right for n in SIZES}


def test_the_run_says_so(planted) -> None:
    result, _ = planted
    assert result.returncode == 1
    for entry, status in EXPECTED.items():
        assert f"{status}: {entry}" in result.stdout


def test_a_wrong_answer_is_printed_beside_the_right_one(planted) -> None:
    _, document = planted
    for failure in document["tally"]["failures"]:
        if failure["entry"].endswith("/wrong"):
            assert "expected " in failure["reason"] and ", got " in failure["reason"]


def test_reasons_name_the_signal_and_what_was_going_on(planted) -> None:
    _, document = planted
    reasons = {failure["entry"]: failure["reason"] for failure in document["tally"]["failures"]}
    assert "signal 11" in reasons[HOST + "segfault"]
    assert "check at n = 1" in reasons[HOST + "segfault"]
    assert "signal 6" in reasons[HOST + "abort"]
    assert "exit code 0" in reasons[HOST + "exit"]
    assert "hangs" in reasons[HOST + "hang"]
    assert "a call" in reasons[HOST + "leak"]
    assert "a planted exception" in reasons[HOST + "throws"]


def test_known_wrong_alone_is_no_failure_of_the_run(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    asked = config(tmp_path, [KERNELS + "right", KERNELS + "known_wrong"], [64])
    assert run(binary("TALLY_HARNESS_FAULTS"), asked, "--out", out).returncode == 0
    assert statuses(load(out)) == {KERNELS + "known_wrong": "known_wrong"}


def test_an_entry_that_costs_process_after_process_is_given_up(tmp_path: Path) -> None:
    """Faults at the measured size only cost a process each; the odd sizes are too small to show it."""
    out = tmp_path / "out.json"
    asked = config(tmp_path, [HOST + "right", HOST + "segfault_when_large"], [64, 128, 256, 512, 1024])
    assert run(binary("TALLY_HARNESS_FAULTS"), asked, "--out", out).returncode == 1
    reasons = [failure["reason"] for failure in load(out)["tally"]["failures"]]
    assert len(reasons) == 5
    assert sum("given up after 3 lost processes" in reason for reason in reasons) == 2
    assert len(load(out)["benchmarks"]) == 5


def require_each_gpu_fault_at_its_own_cost(document: Document) -> None:
    on_gpu = {entry: status for entry, status in EXPECTED.items() if entry.startswith(KERNELS)}
    assert statuses(document) == on_gpu | {KERNELS + "endless_loop": "timed_out"}
    assert len(document["tally"]["failures"]) == len(on_gpu) * len(SIZES)
    rows = [(row["tally"]["entry"], row["tally"]["n"]) for row in document["benchmarks"]]
    assert sorted(rows) == [(KERNELS + "right", n) for n in SIZES]


def test_faults_on_a_gpu(tmp_path: Path) -> None:
    """Here where there is one; else what it said is in the committed results of the same config."""
    if Path("/dev/nvidiactl").exists():
        out = tmp_path / "out.json"
        result = run(binary("TALLY_HARNESS_FAULTS"), GPU_CONFIG, "--out", out)
        assert result.returncode == 1, result.stderr
        document = load(out)
    else:
        document = json.loads(gzip.decompress(COMMITTED.read_bytes()))
        assert document["tally"]["config"] == json.loads(GPU_CONFIG.read_text())
    require_each_gpu_fault_at_its_own_cost(document)
