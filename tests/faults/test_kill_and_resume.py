"""Killed at any moment, `--resume` goes on, and the results are as if the run had not been killed."""

import os
import random
import resource
import signal
import time
from pathlib import Path

from harness_runs import (
    binary,
    config,
    journal_lines,
    load,
    run,
    start,
    wait_for_lines,
    without_times,
)

COURSE = ["reduce/korean_course/reduce0", "reduce/std/reduce"]
ENTRIES = [*COURSE, "reduce/planted/right", "reduce/planted_kernels/right", "reduce/planted_kernels/wrong"]
SIZES = [100, 1024, 4096]
MEASURE = {"processes": 2, "clocks": ["device", "end_to_end"]}
KILLS = 50


def asked(folder: Path) -> Path:
    return config(folder, ENTRIES, SIZES, measure=MEASURE)


def test_killed_at_random_moments(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    whole = tmp_path / "whole.json"
    began = time.monotonic()
    assert run(program, asked(tmp_path), "--out", whole, "--quiet").returncode == 1
    lasts = time.monotonic() - began
    expected = without_times(load(whole))

    seed = 20260101
    print(f"seed {seed}, an unkilled run takes {lasts:.2f} s")
    moments = random.Random(seed)
    kills = 0
    runs = 0
    while kills < KILLS:
        out = tmp_path / f"killed_{runs}.json"
        runs += 1
        ended = None
        while ended is None:
            process = start(program, asked(tmp_path), "--out", out, "--quiet", "--resume")
            # Long enough that a run gets on, short enough that it is killed several times.
            time.sleep(moments.uniform(0, 0.7 * lasts))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if process.returncode == -signal.SIGKILL:
                kills += 1
                if kills >= KILLS:
                    ended = run(program, asked(tmp_path), "--out", out, "--quiet", "--resume").returncode
            else:
                ended = process.returncode
        assert ended == 1
        assert without_times(load(out)) == expected, f"run {runs}, after {kills} kills"
        assert not Path(f"{out}.journal").exists()
    print(f"{kills} kills in {runs} runs")


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS")
    out = tmp_path / "out.json"
    few = config(tmp_path, COURSE, SIZES)
    process = start(program, few, "--out", out, "--quiet")
    wait_for_lines(process, out, "row", 3)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    journal = Path(f"{out}.journal")
    journal.write_bytes(journal.read_bytes()[:-25])
    assert run(program, few, "--out", out, "--quiet", "--resume").returncode == 0
    names = [row["name"] for row in load(out)["benchmarks"]]
    assert len(names) == len(set(names)) == 5  # reduce0 refuses n = 100


def test_an_interrupt_finishes_the_cell_and_leaves_the_results_so_far(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    whole = tmp_path / "whole.json"
    assert run(program, asked(tmp_path), "--out", whole, "--quiet").returncode == 1
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        out = tmp_path / f"interrupted_{code}.json"
        process = start(program, asked(tmp_path), "--out", out)
        wait_for_lines(process, out, "row", 2)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode == code, said
        assert "--resume" in said
        so_far = load(out)
        assert 2 <= len(so_far["benchmarks"]) < len(load(whole)["benchmarks"])
        assert run(program, asked(tmp_path), "--out", out, "--quiet", "--resume").returncode == 1
        assert without_times(load(out)) == without_times(load(whole))


def test_a_full_disk_is_an_error_and_nothing_is_lost(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    whole = tmp_path / "whole.json"
    assert run(program, asked(tmp_path), "--out", whole, "--quiet").returncode == 1
    out = tmp_path / "out.json"

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    full = run(program, asked(tmp_path), "--out", out, "--quiet", preexec_fn=small_files)
    assert full.returncode == 1
    assert "cannot be written" in full.stderr
    assert not out.exists()
    rows = journal_lines(out, "row")
    assert rows > 0
    assert run(program, asked(tmp_path), "--out", out, "--resume").returncode == 1
    assert without_times(load(out)) == without_times(load(whole))


def test_resume_refuses_the_journal_of_another_config(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS_FAULTS")
    out = tmp_path / "out.json"
    process = start(program, asked(tmp_path), "--out", out, "--quiet")
    wait_for_lines(process, out, "row", 1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    other = config(tmp_path, ENTRIES, [*SIZES, 2048], measure=MEASURE)
    refused = run(program, other, "--out", out, "--quiet", "--resume")
    assert refused.returncode == 2
    assert "config_hash was " in refused.stderr and "--force-resume" in refused.stderr
    assert journal_lines(out, "row") >= 1
    assert run(program, other, "--out", out, "--quiet", "--force-resume").returncode == 1
    assert {row["tally"]["n"] for row in load(out)["benchmarks"]} == {*SIZES, 2048}


def test_without_resume_a_journal_is_kept_beside(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS")
    out = tmp_path / "out.json"
    few = config(tmp_path, COURSE, SIZES)
    process = start(program, few, "--out", out, "--quiet")
    wait_for_lines(process, out, "row", 1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    again = run(program, few, "--out", out)
    assert again.returncode == 0
    assert "is kept as" in again.stderr
    assert Path(f"{out}.journal.old").exists()
    first = Path(f"{out}.journal.old").read_text()
    Path(f"{out}.journal").write_text(first)
    again = run(program, few, "--out", out)
    assert again.returncode == 0 and "is kept as" in again.stderr
    assert Path(f"{out}.journal.old").read_text() == first, "what was kept stays"
    assert Path(f"{out}.journal.old-2").exists()


def test_a_journal_that_never_began_is_begun(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS")
    out = tmp_path / "out.json"
    few = config(tmp_path, COURSE, SIZES[:1])
    for torn in ("", '{"kind":"header","con'):
        Path(f"{out}.journal").write_text(torn)
        assert run(program, few, "--out", out, "--quiet", "--resume").returncode == 0
        assert load(out)["benchmarks"]


def test_a_run_that_was_suspended_goes_on(tmp_path: Path) -> None:
    """Ctrl-Z and fg, or a job that its queue suspends: for longer than the watchdog waits."""
    program = binary("TALLY_HARNESS_FAULTS")
    out = tmp_path / "out.json"
    watchdog = 5
    asked_for = config(tmp_path, ["reduce/planted/right", *COURSE], SIZES, measure={"processes": 12})
    process = start(program, asked_for, "--out", out, watchdog=watchdog, start_new_session=True)
    wait_for_lines(process, out, "row", 1)
    os.killpg(process.pid, signal.SIGSTOP)
    assert process.poll() is None, "it was over before it could be stopped"
    time.sleep(watchdog + 2)
    os.killpg(process.pid, signal.SIGCONT)
    _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert {failure["status"] for failure in load(out)["tally"]["failures"]} == {"skipped"}


def test_resume_refuses_the_journal_of_another_device(tmp_path: Path) -> None:
    program = binary("TALLY_HARNESS")
    out = tmp_path / "out.json"
    few = config(tmp_path, COURSE, SIZES)
    process = start(program, few, "--out", out, "--quiet")
    wait_for_lines(process, out, "row", 1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    journal = Path(f"{out}.journal")
    lines = journal.read_text().splitlines(keepends=True)
    device = next(index for index, line in enumerate(lines) if line.startswith('{"kind":"device"'))
    lines[device] = lines[device].replace('"name":"', '"name":"another ')
    journal.write_text("".join(lines))
    refused = run(program, few, "--out", out, "--resume")
    assert refused.returncode == 2
    assert "is of another device: another " in refused.stderr
    assert run(program, few, "--out", out, "--force-resume").returncode == 0
