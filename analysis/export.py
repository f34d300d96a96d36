"""Results for other people's tools: csv, junit, github-action-benchmark, bencher, latex.

github-action-benchmark (tool `googlecpp`) and Bencher (adapter `cpp_google`) read Google Benchmark's JSON,
with one row a name: repetitions become their median here. Rows of `simt` have no times and are left out of
both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from xml.etree import ElementTree

import pandas as pd

from analysis import latex, units
from analysis.errors import UserError
from analysis.load import Results, cells, rows_of

_NOT_FLAT = ["samples", "ratios", "counters", "static", "published", "knob_values", "tuning_values", "source"]


def to_csv(files: Sequence[Results]) -> str:
    """One line a row (repetitions apart), times in seconds, counters as columns `counter:NAME`; without
    samples.
    """
    rows = rows_of(files)
    flat = rows.drop(columns=_NOT_FLAT)
    flat.insert(0, "file", [files[source].path.name for source in rows["source"]])
    flat["samples"] = [len(samples) for samples in rows["samples"]]
    for name in dict.fromkeys(name for counters in rows["counters"] for name in counters):
        flat[f"counter:{name}"] = [counters.get(name) for counters in rows["counters"]]
    return flat.to_csv(index=False, lineterminator="\n")


def to_junit(files: Sequence[Results]) -> str:
    """One test case a cell: measured ones pass, wrong ones fail, crashed and timed out are errors, skipped
    are skipped.
    """
    root = ElementTree.Element("testsuites")
    for results in files:
        suite = ElementTree.SubElement(root, "testsuite", name=results.title)
        for cell in cells(results.rows).itertuples():
            case = ElementTree.SubElement(suite, "testcase", classname=cell.entry, name=cell.name)
            if cell.timed:
                case.set("time", f"{cell.median:.9f}")
        for failure in results.failures:
            case = ElementTree.SubElement(
                suite, "testcase", classname=failure.get("entry", "run"), name=failure["cell"]
            )
            tag = {"skipped": "skipped", "known_wrong": "skipped", "wrong": "failure"}.get(
                failure["status"], "error"
            )
            ElementTree.SubElement(
                case, tag, message=f"{failure['status']}: {failure.get('reason', 'no reason given')}"
            )
        for label, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(label, str(len(suite.findall(f"testcase/{tag}"))))
        suite.set("tests", str(len(suite)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def to_google_benchmark(files: Sequence[Results]) -> str:
    """Google Benchmark's JSON with one row a name: the median of the repetitions, in ns."""
    timed = cells(rows_of(files))
    timed = timed[timed["timed"] & timed["median"].notna()]
    if timed.empty:
        raise UserError(
            f"{', '.join(str(results.path) for results in files)}: no timed rows to export (simt has none)"
        )
    if twice := sorted(timed.loc[timed["name"].duplicated(), "name"]):
        raise UserError(
            f"two files or GPUs have the row {twice[0]}: these tools take each name once; export them "
            f"one by one"
        )
    rows = []
    for cell in timed.itertuples():
        nanoseconds = round(cell.median * 1e9, 3)
        rows.append(
            {
                "name": cell.name,
                "run_name": cell.name,
                "run_type": "iteration",
                "repetitions": 1,
                "repetition_index": 0,
                "threads": 1,
                "iterations": max(len(cell.samples), 1),
                "real_time": nanoseconds,
                "cpu_time": nanoseconds,
                "time_unit": "ns",
            }
        )
    return json.dumps({"context": files[0].context, "benchmarks": rows}, indent=1, ensure_ascii=False) + "\n"


def to_latex(files: Sequence[Results]) -> str:
    """A booktabs table a problem and cache state: entry, time, bandwidth, fraction of ceiling, accuracy."""
    everything = cells(rows_of(files))
    everything = everything[everything["timed"]]
    if everything.empty:
        raise UserError(
            f"{', '.join(str(results.path) for results in files)}: no timed rows to export (simt has none)"
        )
    tables = []
    for (gpu, problem, cache, clock), group in everything.groupby(
        ["gpu", "problem", "cache", "clock"], sort=False
    ):
        caption = f"{problem}, {cache}, {clock.replace('_', ' ')} clock" + (f", {gpu}" if gpu else "")
        tables.append(latex.booktabs(summary_table(group), caption=caption))
    return "\n".join(tables)


def summary_table(group: pd.DataFrame) -> pd.DataFrame:
    """The columns that every table of one problem has, as text."""
    several = group["tuning"].nunique() > 1
    return pd.DataFrame(
        {
            "entry": [
                f"{short} {tuning}".strip() if several else short
                for short, tuning in zip(group["short"], group["tuning"], strict=True)
            ],
            "time (µs)": group["median"].map(units.microseconds).to_list(),
            "GB/s": [units.digits(value / 1e9) for value in group["bandwidth"]],
            "of ceiling": group["fraction"].map(units.percent).to_list(),
            "ulp": group["ulp"].map(units.digits).to_list(),
        }
    )


FORMATS = {
    "csv": to_csv,
    "junit": to_junit,
    "github-action-benchmark": to_google_benchmark,
    "bencher": to_google_benchmark,
    "latex": to_latex,
}
