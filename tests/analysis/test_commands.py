"""The commands as typed: bad input gives one clear line and exit 2, no traceback, nothing half written."""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import synthetic

from analysis import files
from analysis.__main__ import main
from analysis.errors import UserError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.write(
        tmp_path_factory.mktemp("good"), "good.json", synthetic.machine(sizes=(1024, 2**20), samples=8)
    )


def bad_files(folder: Path, good: Path) -> list[Path]:
    text = good.read_text()
    compressed = gzip.compress(text.encode())
    made = {
        "truncated.json": text[: len(text) // 2].encode(),
        "foreign.json": b'{"benchmarks": [], "context": {}}',
        "newer.json": text.replace('"schema_version": 1', '"schema_version": 7').encode(),
        "nan.json": text.replace('"noise": 0', '"noise": NaN, "x": 0', 1).encode(),
        "empty.json": b"",
        "list.json": b"[]",
        "truncated.json.gz": compressed[: len(compressed) // 2],
        "damaged.json.gz": compressed[:40] + bytes(20) + compressed[60:],
        "header.json.gz": compressed[:2] + b"tally",
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in made] + [folder / "absent.json", folder]


def commands(path: Path, good: Path, out: Path) -> list[list[str]]:
    return [
        ["load", str(path)],
        ["compare", str(good), str(path)],
        ["compare", str(path), str(good), "--markdown", str(out / "c.md")],
        ["figures", str(path), "--out", str(out / "figures")],
        ["report", str(path), "--out", str(out / "r.html")],
        ["export", str(path), "--to", "csv", "--out", str(out / "e.csv")],
        ["merge", str(good), str(path), "--out", str(out / "m.json")],
        ["thin", str(path), "--out", str(out / "t.json")],
        ["readme", str(path), "--readme", str(out / "README.md")],
    ]


def test_bad_files(tmp_path: Path, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "README.md").write_text("<!-- table: a file=absent.json -->\n<!-- end table -->\n")
    before = (out / "README.md").read_text()
    for path in bad_files(tmp_path, good):
        for command in commands(path, good, out):
            assert main(command) == 2, command
            error = capsys.readouterr().err
            assert error.startswith("analysis: error: ") and error.count("\n") == 1, error
    left = [path for path in out.rglob("*") if path.is_file()]
    assert left == [out / "README.md"] and left[0].read_text() == before


def test_nothing_is_replaced_on_error(tmp_path: Path, good: Path) -> None:
    out = tmp_path / "m.json"
    out.write_text("precious")
    assert main(["merge", str(good), str(good), "--out", str(out)]) == 2
    assert out.read_text() == "precious" and list(tmp_path.iterdir()) == [out]


def test_files_are_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with path.open() as reader:
        files.write_text(path, "new")
        assert reader.read() == "old" and path.read_text() == "new", "a reader keeps the file that it opened"

    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(UserError, match="cannot write .*a.txt: No space left on device"):
        files.write_text(path, "newer")
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() != 0 and not os.access("/proc", os.R_OK), reason="needs /proc")
def test_no_permission_to_write(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """/proc refuses new files even to root."""
    for command in (
        ["figures", str(good), "--out", "/proc/figures"],
        ["report", str(good), "--out", "/proc/r.html"],
        ["merge", str(good), "--out", "/proc/m.json"],
        ["thin", str(good), "--out", "/proc/t.json"],
        ["export", str(good), "--to", "csv", "--out", "/proc/e.csv"],
        ["compare", str(good), str(good), "--json", "/proc/c.json"],
        ["report", str(good), "--out", str(tmp_path)],
        ["load", str(good), "--csv", "/proc/l.csv"],
    ):
        assert main(command) == 2, command
        error = capsys.readouterr().err
        assert "cannot write" in error and error.count("\n") == 1


def test_options_are_checked(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, message in (
        (["compare", str(good), str(good), "--threshold", "2"], "must be between 0 and 1"),
        (["compare", str(good), str(good), "--allow", "moon"], "unknown kind 'moon'; known are gpu"),
        (["export", str(good), "--to", "word"], "invalid choice"),
        (["dance"], "invalid choice"),
        ([], "required"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert ended.value.code == 2 and message in capsys.readouterr().err


def test_compare_writes_every_form(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        [
            "compare",
            str(good),
            str(good),
            "--threshold",
            "2%",
            "--markdown",
            str(tmp_path / "c.md"),
            "--junit",
            str(tmp_path / "c.xml"),
            "--json",
            "-",
        ]
    )
    assert code == 3 and json.loads(capsys.readouterr().out)["threshold"] == 0.02
    assert (tmp_path / "c.md").read_text().startswith("### ❔ inconclusive") and (
        tmp_path / "c.xml"
    ).read_text().startswith("<?xml")


def test_module_runs_as_typed(good: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "analysis", "load", str(good)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0 and "cells in" in done.stdout and not done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "analysis", "load", "absent.json"], cwd=ROOT, capture_output=True, text=True
    )
    assert (
        done.returncode == 2
        and done.stderr == "analysis: error: cannot read absent.json: No such file or directory\n"
    )
    done = subprocess.run(
        f"{sys.executable} -m analysis export --to csv {good} | head -1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert not done.stderr and done.stdout.startswith("file,name,entry")


def test_source_date_epoch_must_be_a_number(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    assert main(["report", str(good), "--out", str(tmp_path / "r.html")]) == 2
    assert "SOURCE_DATE_EPOCH is 'tomorrow'" in capsys.readouterr().err


def test_a_python_without_the_packages_says_which_has_them() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-m", "analysis", "load", "absent.json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "this Python has no" in done.stderr and ".venv" in done.stderr
