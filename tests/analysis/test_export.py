"""What other tools read is what they accept: Google Benchmark's own compare.py, and readers of the
documented minimum.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import synthetic
from scipy.stats import gmean
from test_compare import golden

from analysis import export, latex
from analysis.errors import UserError
from analysis.load import load

COMPARE_PY = Path("/usr/share/benchmark/compare.py")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.write(
        tmp_path_factory.mktemp("export"),
        "sweep.json",
        synthetic.machine(sizes=(1024, 2**20), processes=3, samples=10, entries="[hc]*"),
    )


def read_minimum(text: str) -> list[dict[str, Any]]:
    """github-action-benchmark's and Bencher's documented minimum of Google Benchmark's JSON."""
    document = json.loads(text)
    assert isinstance(document["context"]["caches"], list)
    for row in document["benchmarks"]:
        assert isinstance(row["name"], str) and row["name"]
        assert isinstance(row["real_time"], float | int) and row["real_time"] > 0
        assert row["time_unit"] in ("ns", "us", "ms", "s")
        assert (
            isinstance(row["iterations"], int)
            and isinstance(row["cpu_time"], float | int)
            and isinstance(row["threads"], int)
        )
    names = [row["name"] for row in document["benchmarks"]]
    assert len(names) == len(set(names)), "duplicate names"
    return document["benchmarks"]


@pytest.mark.parametrize("form", ["github-action-benchmark", "bencher"])
def test_trackers_read_the_export(sweep: Path, form: str) -> None:
    results = load(sweep)
    rows = read_minimum(export.FORMATS[form]([results]))
    assert len(rows) == results.rows["name"].nunique() == len(results.rows) / 3
    medians = results.rows.groupby("name")["median"].agg(gmean)
    assert all(row["real_time"] == pytest.approx(medians[row["name"]] * 1e9, abs=1e-3) for row in rows)


def test_trackers_read_a_file_of_one_repetition(tmp_path: Path) -> None:
    path = synthetic.write(tmp_path, "one.json", synthetic.machine(sizes=(1024,), samples=8))
    assert read_minimum(path.read_text())


def test_simt_has_nothing_to_track(tmp_path: Path) -> None:
    document = synthetic.counted()
    rows = read_minimum(
        export.to_google_benchmark([load(synthetic.write(tmp_path, "counted.json", document))])
    )
    assert [row["name"].split("/")[1] for row in rows] == ["thrust"]
    document["benchmarks"] = [row for row in document["benchmarks"] if row["tally"]["device"] == "simt"]
    with pytest.raises(UserError, match="no timed rows to export"):
        export.to_google_benchmark([load(synthetic.write(tmp_path, "simt.json", document))])


def test_same_name_in_two_files(sweep: Path, tmp_path: Path) -> None:
    other = synthetic.write(tmp_path, "other.json", synthetic.machine(sizes=(1024,), samples=10, seed=5))
    with pytest.raises(UserError, match="take each name once"):
        export.to_google_benchmark([load(sweep), load(other)])


@pytest.mark.skipif(
    not COMPARE_PY.is_file(), reason=f"{COMPARE_PY} (package libbenchmark-tools) is not installed"
)
@pytest.mark.parametrize("exported", [False, True])
def test_google_benchmarks_own_compare(sweep: Path, tmp_path: Path, exported: bool) -> None:
    pytest.importorskip("scipy")
    new = synthetic.write(
        tmp_path,
        "new.json",
        synthetic.machine(sizes=(1024, 2**20), processes=3, samples=10, entries="[hc]*", seed=2),
    )
    paths = [sweep, new]
    if exported:
        for index, path in enumerate(paths):
            paths[index] = tmp_path / f"exported{index}.json"
            paths[index].write_text(export.to_google_benchmark([load(path)]))
    done = subprocess.run(
        [sys.executable, str(COMPARE_PY), "--no-color", "benchmarks", *map(str, paths)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "reduce/cub/sum/op:sum/type:float32/n:1024/cold/device" in done.stdout


def test_csv(sweep: Path) -> None:
    lines = list(csv.DictReader(io.StringIO(export.to_csv([load(sweep)]))))
    assert (
        len(lines) == len(load(sweep).rows)
        and lines[0]["entry"] == "reduce/harris/v0"
        and lines[0]["samples"] == "10"
    )
    assert float(lines[0]["median"]) == load(sweep).rows["median"].iloc[0]


def test_csv_has_counters(tmp_path: Path) -> None:
    lines = list(
        csv.DictReader(
            io.StringIO(export.to_csv([load(synthetic.write(tmp_path, "counted.json", synthetic.counted()))]))
        )
    )
    assert (
        lines[0]["counter:l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == "2048.0"
        and lines[0]["median"] == ""
    )


def test_junit(sweep: Path) -> None:
    root = ElementTree.fromstring(export.to_junit([load(sweep)]).split("\n", 1)[1])
    (suite,) = root
    assert suite.get("failures") == "1" and suite.get("skipped") == "1" and suite.get("errors") == "0"
    assert int(suite.get("tests", 0)) == len(suite) == load(sweep).rows["name"].nunique() + 2
    wrong = next(case for case in suite if case.find("failure") is not None)
    assert wrong.find("failure").get("message") == "wrong: got 511 <want 523> & more"  # type: ignore[union-attr]


def test_golden_latex(sweep: Path) -> None:
    golden("tables.tex", export.to_latex([load(sweep)]))


def test_latex_escapes() -> None:
    assert latex.escaped(r"a_b 50 % of 2^20 & {x} \y") == r"a\_b 50 \% of $2^{20}$ \& \{x\} \textbackslash{}y"
