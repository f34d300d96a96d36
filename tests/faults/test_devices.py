"""Several workers, as one a GPU: the same rows as of one, and a lost worker costs its cell and no more."""

import os
import signal
from pathlib import Path

import pytest
from harness_runs import Document, binary, config, load, run, start, wait_for_lines, without_times

ENTRIES = ["reduce/korean_course/reduce[24]", "reduce/planted/right", "reduce/planted_kernels/right"]
SIZES = [512, 1024, 2048, 4096]


def asked(folder: Path, **measure: int) -> Path:
    return config(folder, ENTRIES, SIZES, measure=measure)


def without_devices(document: Document) -> Document:
    left = without_times(document)
    left["context"].pop("device")
    left["tally"].pop("devices")
    return left


def workers_of(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_several_workers_leave_what_one_leaves(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    one, three = tmp_path / "one.json", tmp_path / "three.json"
    assert run(program, asked(tmp_path, processes=2), "--out", one, "--quiet").returncode == 0
    shared = run(program, asked(tmp_path, processes=2), "--out", three, "--devices", "0,1,4")
    assert shared.returncode == 0, shared.stderr
    assert "on 3 devices" in shared.stdout
    assert without_devices(load(three)) == without_devices(load(one))
    devices = load(three)["tally"]["devices"]
    assert [device["index"] for device in devices] == [0, 1, 4]
    assert all(device["rows"] > 0 for device in devices)
    assert sum(device["rows"] for device in devices) == len(load(three)["benchmarks"])
    assert load(three)["context"]["device"] == "simt:0,1,4"


def test_a_worker_that_is_killed_loses_its_cell_alone(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    whole, out = tmp_path / "whole.json", tmp_path / "out.json"
    assert run(program, asked(tmp_path), "--out", whole, "--quiet").returncode == 0
    process = start(program, asked(tmp_path), "--out", out, "--quiet", "--devices", "0,1", watchdog=120)
    wait_for_lines(process, out, "row", 1)
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(workers[-1], signal.SIGKILL)
    _, said = process.communicate(timeout=240)
    assert process.returncode == 1, said
    failures = load(out)["tally"]["failures"]
    assert [failure["status"] for failure in failures] == ["crashed"], failures
    assert "signal 9" in failures[0]["reason"]
    names = [row["name"] for row in load(out)["benchmarks"]]
    assert sorted([*names, failures[0]["cell"]]) == sorted(row["name"] for row in load(whole)["benchmarks"])


def test_a_run_goes_on_with_other_devices(tmp_path: Path) -> None:
    """What a device had begun is begun afresh on another, and what it had finished stays."""
    program = binary("TALLY_HARNESS_FAULTS")
    whole, out = tmp_path / "whole.json", tmp_path / "out.json"
    measure = {"processes": 2, "min_samples": 6, "max_samples": 40, "clocks": ["device", "end_to_end"]}
    assert run(program, asked(tmp_path, **measure), "--out", whole, "--quiet").returncode == 0
    for devices in ("0,1", "2,3", "1"):
        process = start(program, asked(tmp_path, **measure), "--out", out, "--resume", "--devices", devices)
        wait_for_lines(process, out, "place", 3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    finished = run(program, asked(tmp_path, **measure), "--out", out, "--resume", "--devices", "0,3")
    assert finished.returncode == 0, finished.stderr
    assert without_devices(load(out)) == without_devices(load(whole))
    assert sum(device["rows"] for device in load(out)["tally"]["devices"]) == len(load(out)["benchmarks"])


def test_an_interrupt_ends_all_workers_with_their_cells(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    whole, out = tmp_path / "whole.json", tmp_path / "out.json"
    assert run(program, asked(tmp_path), "--out", whole, "--quiet").returncode == 0
    process = start(program, asked(tmp_path), "--out", out, "--devices", "0,1")
    wait_for_lines(process, out, "row", 1)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM, said
    assert not load(out)["tally"]["failures"]
    assert run(program, asked(tmp_path), "--out", out, "--resume").returncode == 0
    assert without_devices(load(out)) == without_devices(load(whole))


REFUSED = {
    "": "no number of a device",
    "0,0": "is there twice",
    "0,": "no number of a device",
    "-1": "no number of a device",
    "0;1": "no number of a device",
    "one": "no number of a device",
}


@pytest.mark.parametrize("devices", REFUSED)
def test_lists_that_are_none_are_refused(devices: str, tmp_path: Path) -> None:
    done = run(binary("TALLY_HARNESS"), asked(tmp_path), f"--devices={devices}", "--dry-run")
    assert done.returncode == 2
    assert REFUSED[devices] in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("device", "message"), [("cuda:1", "both say which GPU"), ("host", "timed with all cores")]
)
def test_lists_that_contradict_the_device_are_refused(device: str, message: str, tmp_path: Path) -> None:
    done = run(binary("TALLY_HARNESS"), asked(tmp_path), "--device", device, "--devices", "0,1", "--dry-run")
    assert done.returncode == 2
    assert message in done.stderr and done.stderr.count("\n") == 1
