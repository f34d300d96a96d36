"""Results file(s) -> one tidy table. Every other command starts here.

`load` reads one file (JSON, or JSON compressed by gzip), checks it, and gives a `Results`: the document as
it is, and `rows`, a table with one line a row of `benchmarks`. `cells` folds repetitions (fresh processes)
of a cell into one line. All times are in seconds. The columns of `rows`:

    name entry short family series kind stage follows problem type n knobs tuning cache clock device
    gpu gpu_index like_for_like bytes items median low high noise stop_reason batch repetition timed
    bandwidth ceiling ceiling_seconds fraction above status ulp error condition launches distinct
    samples taken ratios counters static published knob_values tuning_values source

`short` is the entry without its family; `low` and `high` the 95% interval of the median; `timed` is
False on `simt`, whose times mean nothing; `samples` are those that the file holds of the `taken` ones, of
which `thin` keeps a few; `bandwidth` is in bytes a second; `ceiling` the ceiling's name.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.errors import UserError
from analysis.files import read_bytes
from analysis.schema import check_document, parse


@dataclass(frozen=True)
class Results:
    """One results file: where it was read, the SHA-256 of its JSON, the document, and its rows as a table."""

    path: Path
    sha256: str
    document: dict[str, Any]
    rows: pd.DataFrame

    @property
    def tally(self) -> dict[str, Any]:
        return self.document["tally"]

    @property
    def context(self) -> dict[str, Any]:
        return self.document["context"]

    @property
    def failures(self) -> list[dict[str, Any]]:
        return self.tally.get("failures", [])

    @property
    def without_a_row(self) -> str:
        """'33 skipped, 40 known wrong': the cells that have no row, by reason."""
        counts = Counter(failure["status"] for failure in self.failures)
        return (
            ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.items())
            or "every cell has a row"
        )

    @property
    def title(self) -> str:
        return self.tally.get("title") or self.path.name.removesuffix(".gz").removesuffix(".json")

    def fact(self, name: str) -> str:
        """A fact of where and with what it ran (gpu, driver, cuda, cccl, git_revision, ...); '' if not
        known.
        """
        provenance = self.tally.get("provenance", {})
        return str(provenance.get(name) or self.context.get(name) or "")


def load(path: Path | str) -> Results:
    """Read and check one results file. Raises UserError with one line that says what is wrong and where."""
    path = Path(path)
    content = read_bytes(path)
    document = parse(path, content)
    check_document(path, document)
    return Results(path, hashlib.sha256(content).hexdigest(), document, table(document))


def load_all(paths: Sequence[Path | str]) -> list[Results]:
    """`load` each; the same content given twice is refused, for its rows would count double."""
    loaded = [load(path) for path in paths]
    seen: dict[str, Path] = {}
    for results in loaded:
        if results.sha256 in seen:
            raise UserError(
                f"{results.path} has the same content as {seen[results.sha256]}: give each file once"
            )
        seen[results.sha256] = results.path
    return loaded


def rows_of(files: Iterable[Results]) -> pd.DataFrame:
    """The rows of several files as one table; `source` is the file's place in the list."""
    tables = [results.rows.assign(source=index) for index, results in enumerate(files)]
    return (
        pd.concat(tables, ignore_index=True)
        if tables
        else table({"context": {}, "benchmarks": [], "tally": {}})
    )


def words(values: dict[str, Any]) -> str:
    """{"threads": 256, "blocks": 64} -> "threads:256/blocks:64", as in a cell's name."""
    return "/".join(f"{key}:{value}" for key, value in values.items())


def table(document: dict[str, Any]) -> pd.DataFrame:
    """One line a row of `benchmarks`; the columns are in this module's docstring."""
    provenance = document["tally"].get("provenance", {})
    gpu = provenance.get("gpu") or document["context"].get("gpu") or ""
    lines = [_line(row, gpu) for row in document["benchmarks"]]
    rows = pd.DataFrame(lines, columns=list(_line(_EMPTY_ROW, "")))
    numbers = [
        "n",
        "bytes",
        "items",
        "median",
        "low",
        "high",
        "noise",
        "ceiling_seconds",
        "fraction",
        "ulp",
        "error",
        "condition",
        "launches",
        "distinct",
        "stage",
        "bandwidth",
        "batch",
    ]
    rows[numbers] = rows[numbers].astype(float)
    return rows.astype(
        {"n": "int64", "repetition": "int64", "timed": bool, "above": bool, "like_for_like": bool}
    )


_EMPTY_ROW: dict[str, Any] = {
    "name": "",
    "tally": {
        "entry": "a/b/c",
        "family": "a",
        "series": "b",
        "kind": "variant",
        "problem": "",
        "type": "",
        "n": 0,
        "cache": "cold",
        "clock": "device",
        "device": "simt",
    },
}


def _line(row: dict[str, Any], gpu: str) -> dict[str, Any]:
    cell = row["tally"]
    timed = cell["device"] != "simt"
    median = (
        cell.get("median", row.get("real_time", math.nan) * _SECONDS[row.get("time_unit", "ns")])
        if timed
        else math.nan
    )
    low, high = cell.get("ci", (math.nan, math.nan)) if timed else (math.nan, math.nan)
    ceiling, check = cell.get("ceiling", {}), cell.get("check", {})
    moved = cell.get("bytes", math.nan)
    return {
        "name": row["name"],
        "entry": cell["entry"],
        "short": cell["entry"].split("/", 1)[1],
        "family": cell["family"],
        "series": cell["series"],
        "kind": cell["kind"],
        "stage": cell.get("stage", math.nan),
        "follows": cell.get("follows", ""),
        "problem": cell["problem"],
        "type": cell["type"],
        "n": cell["n"],
        "knobs": words(cell.get("knobs", {})),
        "tuning": words(cell.get("tuning", {})),
        "cache": cell["cache"],
        "clock": cell["clock"],
        "device": cell["device"],
        "gpu": cell.get("gpu", gpu) if cell["device"] == "cuda" else "",
        "gpu_index": cell.get("gpu_index", -1),
        "like_for_like": cell.get("like_for_like", True),
        "bytes": moved,
        "items": cell.get("items", cell["n"]),
        "median": median,
        "low": low,
        "high": high,
        "noise": cell.get("noise", math.nan) if timed else math.nan,
        "stop_reason": cell.get("stop_reason", ""),
        "batch": cell.get("batch", 1),
        "repetition": row.get("repetition_index", 0),
        "timed": timed,
        "bandwidth": moved / median if median > 0 else math.nan,
        "ceiling": ceiling.get("name", ""),
        "ceiling_seconds": ceiling.get("seconds", math.nan),
        "fraction": ceiling.get("fraction", math.nan),
        "above": ceiling.get("above", False),
        "status": check.get("status", ""),
        "ulp": check.get("ulp", math.nan),
        "error": check.get("error", math.nan),
        "condition": check.get("condition", math.nan),
        "launches": check.get("launches", math.nan),
        "distinct": check.get("distinct", math.nan),
        "samples": np.asarray(cell.get("samples", []) if timed else [], dtype=float),
        "taken": row.get("iterations", len(cell.get("samples", []))),
        "ratios": cell.get("ratios", {}) if timed else {},
        "counters": cell.get("counters", {}),
        "static": cell.get("static", {}),
        "published": cell.get("published", []),
        "knob_values": cell.get("knobs", {}),
        "tuning_values": cell.get("tuning", {}),
        "source": 0,
    }


def as_taken(samples: np.ndarray, taken: int) -> np.ndarray:
    """As many samples as were taken, in ascending order. Those of a thinned file stand at evenly spaced
    ranks, and between them the others lie on straight lines.
    """
    ordered = np.sort(samples)
    if len(ordered) >= taken or len(ordered) < 2:
        return ordered
    return np.interp(np.linspace(0, 1, taken), np.linspace(0, 1, len(ordered)), ordered)


_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def cells(rows: pd.DataFrame) -> pd.DataFrame:
    """One line a cell (and GPU): repetitions folded together, in the order of the file.

    median: the geometric mean of the repetitions' medians, as in `statistics`: processes fall into modes, and
    where there are two a median of few processes jumps from one to the other. low, high: with one repetition
    its own interval, with more the envelope of theirs, which is the more cautious. ratios likewise. ulp and
    error: the worst. Column `repetitions` says how many; `samples` holds those of all.
    """
    if rows.empty:
        return rows.assign(repetitions=0)
    key = ["source", "gpu", "name"]
    if not rows.duplicated(key).any():
        return rows.assign(repetitions=1).reset_index(drop=True)
    groups = rows.groupby(key, sort=False)
    first = rows.drop_duplicates(key).set_index(key)
    for column, how in _FOLDED.items():
        first[column] = groups[column].agg(how)
    first["repetitions"] = groups.size()
    first["samples"] = groups["samples"].agg(lambda group: np.concatenate(list(group)))
    first["ratios"] = groups["ratios"].agg(lambda group: _fold_ratios(list(group)))
    first["bandwidth"] = first["bytes"] / first["median"]
    return first.reset_index()[[*rows.columns, "repetitions"]]


def _geometric_mean(values: Iterable[float]) -> float:
    return float(np.exp(np.mean(np.log(np.asarray(values, dtype=float)))))


_FOLDED: dict[str, Any] = {
    "median": _geometric_mean,
    "low": "min",
    "high": "max",
    "noise": "max",
    "fraction": _geometric_mean,
    "above": "any",
    "ulp": "max",
    "error": "max",
    "distinct": "max",
    "launches": "sum",
    "taken": "sum",
}


def _fold_ratios(repetitions: list[dict[str, Any]]) -> dict[str, Any]:
    folded: dict[str, Any] = {}
    for baseline in dict.fromkeys(name for ratios in repetitions for name in ratios):
        found = [ratios[baseline] for ratios in repetitions if baseline in ratios]
        folded[baseline] = {"value": _geometric_mean([ratio["value"] for ratio in found])}
        intervals = [ratio["ci"] for ratio in found if "ci" in ratio]
        if intervals:
            folded[baseline]["ci"] = [min(low for low, _ in intervals), max(high for _, high in intervals)]
    return folded
