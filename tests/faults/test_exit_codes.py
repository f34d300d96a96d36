"""Exit codes: 0, 1, 2 and 3; 128 + signal is in test_kill_and_resume.py."""

import signal
from pathlib import Path

import pytest
from harness_runs import binary, config, load, run, start, wait_for_lines

RIGHT = ["reduce/korean_course/reduce0", "reduce/korean_course/reduce2", "reduce/std/reduce"]


def test_0_where_all_is_right_and_skips_have_their_reason(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = run(binary("TALLY_HARNESS"), config(tmp_path, RIGHT, [100, 1024]), "--out", out)
    assert result.returncode == 0, result.stderr
    assert "No GPU was used" in result.stdout.splitlines()[0]
    skipped = load(out)["tally"]["failures"]
    assert [failure["status"] for failure in skipped] == ["skipped"]
    assert "power-of-two" in skipped[0]["reason"]
    assert not list(tmp_path.glob("out.json.*")), "neither journal nor lock is left"


def test_1_where_an_answer_is_wrong(tmp_path: Path) -> None:
    asked = config(tmp_path, ["reduce/planted/right", "reduce/planted/wrong"], [64])
    assert run(binary("TALLY_HARNESS_FAULTS"), asked, "--out", tmp_path / "out.json").returncode == 1


def test_2_where_another_run_has_the_results_file(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    out = tmp_path / "out.json"
    asked = config(tmp_path, ["reduce/planted/right", "reduce/planted/hang"], [64])
    first = start(program, asked, "--out", out, watchdog=120)
    wait_for_lines(first, out, "device", 1)
    second = run(program, asked, "--out", out)
    assert second.returncode == 2
    assert "another run" in second.stderr
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert not out.exists()


def test_3_where_the_device_is_not_there(tmp_path: Path) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("there is a GPU")
    asked = config(tmp_path, RIGHT, [64])
    out = tmp_path / "out.json"
    result = run(binary("TALLY_HARNESS"), asked, "--out", out, "--device", "cuda")
    assert result.returncode == 3, result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not out.exists()


def test_the_results_are_a_document_of_google_benchmark(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    asked = config(tmp_path, RIGHT, [64, 256], measure={"processes": 2})
    assert run(binary("TALLY_HARNESS"), asked, "--out", out, "--quiet").returncode == 0
    document = load(out)
    assert document["context"]["json_schema_version"] == 1
    names: dict[str, list[int]] = {}
    for row in document["benchmarks"]:
        assert row["run_type"] == "iteration" and row["time_unit"] == "ns"
        assert row["repetitions"] == 2
        names.setdefault(row["name"], []).append(row["repetition_index"])
        simt = row["tally"]["device"] == "simt"
        assert simt == ("label" in row)
        if simt:
            assert row["iterations"] == 1 and "ratios" not in row["tally"]
            assert row["tally"]["counters"]["launches"] >= 1
    assert all(indices == [0, 1] for indices in names.values())
    assert len(names) == 6
