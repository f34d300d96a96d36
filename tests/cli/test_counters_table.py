"""The committed table of counters is what scripts/compare_counters.py makes of the committed counts: no GPU
is needed.
"""

import gzip
import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNTERS = ROOT / "analysis" / "data" / "h200" / "counters"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    found = importlib.util.spec_from_file_location(
        "compare_counters", ROOT / "scripts" / "compare_counters.py"
    )
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def remade(script: ModuleType, binary: str) -> dict:
    return script.compare(binary, COUNTERS, json.loads((COUNTERS / "counters_explained.json").read_text()))


def test_the_table_is_made_from_the_counts(script: ModuleType, remade: dict) -> None:
    assert remade == json.loads(
        (COUNTERS / "table.json").read_text()
    ), "run scripts/compare_counters.py again"
    assert script.table_of(remade) == (COUNTERS / "table.md").read_text()


def test_nearly_all_is_equal_and_the_rest_is_explained(script: ModuleType, remade: dict) -> None:
    """But for the ladder of scans, whose last looks as often as time has it: that is explained."""
    found = script.shares(remade["figures"])
    (besides,) = [series for series in found if series.startswith("scan/")]
    counted = [shares for series, shares in found.items() if series != besides]
    assert sum(equal for equal, _ in counted) >= 0.95 * sum(total for _, total in counted)
    assert len(found) == 9
    different = [figure for figure in remade["figures"] if figure["executor"] != figure["hardware"]]
    assert len(different) == remade["total"] - remade["equal"]
    assert all(figure["why"] for figure in different)


def test_a_changed_count_is_seen(script: ModuleType, binary: str, tmp_path: Path) -> None:
    """One launch's sectors, one more than the hardware said; and one launch too few."""
    columns, *calls = (COUNTERS / "counters_calls.csv").read_text().splitlines()
    process = next(call.split(",")[0] for call in calls if "divergence/reduce0,65536" in call)
    of_process = [call for call in calls if call.startswith(f"{process},")]
    (tmp_path / "counters_calls.csv").write_text("\n".join([columns, *of_process]) + "\n")
    table = (
        gzip.decompress((COUNTERS / "counters_ncu.csv.gz").read_bytes()).decode().splitlines(keepends=True)
    )
    heading = next(line for line in table if line.startswith('"ID"'))
    rows = [heading, *(line for line in table if f'","{process}",' in line[:20])]

    def write(lines: list[str]) -> None:
        with gzip.open(tmp_path / "counters_ncu.csv.gz", "wt") as stream:
            stream.writelines(lines)

    first = next(place for place, line in enumerate(rows) if '"8,192"' in line)
    write([*rows[:first], rows[first].replace('"8,192"', '"8,193"'), *rows[first + 1 :]])
    made = script.compare(binary, tmp_path, [])
    (different,) = [figure for figure in made["figures"] if figure["executor"] != figure["hardware"]]
    assert different["why"] == "" and different["hardware"] == different["executor"] + 1
    assert "Not explained." in script.table_of(made)
    write(rows[:-1])
    with pytest.raises(script.Unreadable, match="fewer launches"):
        script.compare(binary, tmp_path, [])


def test_reasons_narrow_by_entry_metric_and_size(script: ModuleType) -> None:
    reasons = [{"entries": ["dot/*", "reduce/*/v6"], "metrics": ["*_ld.sum"], "n": [8], "why": "because"}]
    assert script.reason_for(reasons, ("reduce/a/v6", 8, "float32"), "x_ld.sum") == "because"
    assert script.reason_for(reasons, ("reduce/a/v6", 9, "float32"), "x_ld.sum") == ""
    assert script.reason_for(reasons, ("reduce/a/v5", 8, "float32"), "x_ld.sum") == ""
    assert script.reason_for(reasons, ("reduce/a/v6", 8, "float32"), "x_st.sum") == ""


def test_what_cannot_be_read_is_named(script: ModuleType, tmp_path: Path) -> None:
    shutil.copy(COUNTERS / "counters_calls.csv", tmp_path)
    with gzip.open(tmp_path / "counters_ncu.csv.gz", "wt") as stream:
        stream.write("==ERROR== no permission\n")
    with pytest.raises(script.Unreadable, match="no table of Nsight Compute"):
        script.compare("no-harness", tmp_path, [])
