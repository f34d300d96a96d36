"""A results file is read whole or refused with one clear line."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic
from scipy.stats import gmean

from analysis.errors import UserError
from analysis.load import cells, load, load_all, rows_of

OPTIONAL = (
    "stage",
    "follows",
    "published",
    "knobs",
    "tuning",
    "gpu_index",
    "like_for_like",
    "bytes",
    "items",
    "samples",
    "rounds",
    "batch",
    "ci",
    "noise",
    "stop_reason",
    "ratios",
    "ceiling",
    "check",
    "counters",
    "static",
    "clocks",
    "median",
)


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    return synthetic.machine(sizes=(1024, 2**20), processes=2, samples=12)


def test_rows_and_cells(tmp_path: Path, small: dict[str, Any]) -> None:
    results = load(synthetic.write(tmp_path, "small.json", small))
    assert len(results.rows) == len(small["benchmarks"])
    folded = cells(results.rows)
    assert len(folded) == len(results.rows) / 2 and set(folded["repetitions"]) == {2}
    cell = folded.iloc[3]
    same = results.rows[results.rows["name"] == cell["name"]]
    assert same["median"].nunique() == 2 and cell["median"] == pytest.approx(gmean(same["median"]))
    assert cell["low"] == same["low"].min() and cell["high"] == same["high"].max()
    assert len(cell["samples"]) == 24
    assert cell["bandwidth"] == pytest.approx(cell["bytes"] / cell["median"])
    assert results.fact("gpu") == "NVIDIA H200" and results.fact("no such fact") == ""


def test_simt_has_no_times(tmp_path: Path) -> None:
    rows = load(synthetic.write(tmp_path, "counted.json", synthetic.counted())).rows
    simt = rows[rows["device"] == "simt"]
    assert (
        len(simt)
        and simt["median"].isna().all()
        and not simt["timed"].any()
        and simt["samples"].map(len).sum() == 0
    )
    assert rows[rows["device"] == "host"]["median"].notna().all()


@pytest.mark.parametrize("absent", OPTIONAL)
def test_optional_fields_may_be_absent(tmp_path: Path, small: dict[str, Any], absent: str) -> None:
    document = copy.deepcopy(small)
    for row in document["benchmarks"]:
        row["tally"].pop(absent, None)
    rows = cells(load(synthetic.write(tmp_path, "cut.json", document)).rows)
    assert rows["median"].notna().all()


def test_further_fields_are_allowed(tmp_path: Path, small: dict[str, Any]) -> None:
    document = copy.deepcopy(small)
    document["tally"]["something_new"] = {"a": [1]}
    document["benchmarks"][0]["tally"]["something_new"] = "b"
    load(synthetic.write(tmp_path, "more.json", document))


BAD: list[tuple[str, Any, str]] = [
    ("median", "fast", "at /benchmarks/1/tally/median: 'fast' is not of type 'number'"),
    ("n", -1, "at /benchmarks/1/tally/n: -1 is less than the minimum of 0"),
    ("device", "fpga", "at /benchmarks/1/tally/device: 'fpga' is not one of"),
    ("ci", [1.0], "at /benchmarks/1/tally/ci"),
    ("samples", [1e-6, "x"], "at /benchmarks/1/tally/samples: not all are numbers"),
    ("samples", [1e-6, -1e-6], "at /benchmarks/1/tally/samples: a sample is not a finite time"),
    ("samples", [1e-6, 2e-6], "at /benchmarks/1/tally/rounds: 12 rounds for 2 samples"),
]


@pytest.mark.parametrize(("key", "value", "message"), BAD)
def test_bad_fields_are_named(
    tmp_path: Path, small: dict[str, Any], key: str, value: Any, message: str
) -> None:
    document = copy.deepcopy(small)
    document["benchmarks"][1]["tally"][key] = value
    with pytest.raises(UserError) as error:
        load(synthetic.write(tmp_path, "bad.json", document))
    assert message in str(error.value) and "\n" not in str(error.value)


TEXTS = [
    ("", "not JSON at line 1, column 1"),
    ('{"context": {}, "benchmarks": [', "(the file ends too early)"),
    ("[1, 2]", "not a results file: it has no 'benchmarks'"),
    ('{"context": {}, "benchmarks": []}', "not the harness's: it has no object 'tally'"),
    (
        '{"context": {}, "benchmarks": [], "tally": {"schema_version": 2}}',
        "schema_version is 2, newer than the 1",
    ),
    ('{"benchmarks": [], "tally": {"schema_version": NaN}}', "has the number NaN"),
    ('{"benchmarks": [], "tally": {"schema_version": -Infinity}}', "has the number -Infinity"),
    ("[" * 100000, "nested too deeply"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS)
def test_foreign_texts_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "foreign.json"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        load(path)
    assert message in str(error.value) and str(path) in str(error.value)


def test_number_too_large_and_not_text(tmp_path: Path, small: dict[str, Any]) -> None:
    path = tmp_path / "large.json"
    text = json.dumps(small)
    path.write_text(text.replace('"hbm_read": 4600000000000.0', '"hbm_read": 1e999'))
    with pytest.raises(UserError, match="at /tally/ceilings/hbm_read: the number is too large"):
        load(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="byte 0 is not UTF-8"):
        load(path)
    with pytest.raises(UserError, match="cannot read"):
        load(tmp_path / "absent.json")


def test_same_file_twice_is_refused(tmp_path: Path, small: dict[str, Any]) -> None:
    paths = [synthetic.write(tmp_path, name, small) for name in ("one.json", "two.json")]
    with pytest.raises(UserError, match="same content"):
        load_all(paths)


def test_files_together(tmp_path: Path, small: dict[str, Any]) -> None:
    other = synthetic.machine(sizes=(1024,), gpu="NVIDIA A100", samples=12)
    files = load_all(
        [synthetic.write(tmp_path, "one.json", small), synthetic.write(tmp_path, "two.json", other)]
    )
    table = rows_of(files)
    assert set(table["source"]) == {0, 1} and set(table["gpu"]) == {"NVIDIA H200", "NVIDIA A100"}
    assert np.isfinite(table["median"]).all()
    assert len(cells(table)) == len(set(zip(table["gpu"], table["name"], strict=True)))
