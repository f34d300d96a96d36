#!/usr/bin/env python3
"""The CPU executor's counts beside the GPU's own, for one call of each variant.

    scripts/collect_counters.sh HARNESS COLLECTED            # on a machine with a GPU and ncu
    scripts/compare_counters.py HARNESS COLLECTED --out OUT

The second needs no GPU: it asks HARNESS (of any build that counts) for the executor's counts of the same
calls, and writes OUT.json and, for a person, OUT.md. COLLECTED is the folder that the first wrote. A figure
that differs must be explained in EXPLAINED, a JSON list of {"entries", "metrics", "why"} (the first two are
lists of globs; "n", a list of sizes, may narrow it).

Exit codes: 0 all that differs is explained; 1 something is not; 2 there is nothing to compare, or it cannot
be read.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from analysis.counter_names import in_words  # noqa: E402

METRICS = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
]

Call = tuple[str, int, str]  # entry, n, type


class Unreadable(Exception):
    """What was collected, or the harness's answer, is not what it should be."""


def launches_by_process(table: Iterable[str]) -> dict[str, list[dict[str, int]]]:
    """Nsight Compute's raw table: of each process the counts of its launches, in their order."""
    lines = iter(table)
    header = next((line for line in lines if line.startswith('"ID"')), None)
    if header is None:
        raise Unreadable('no table of Nsight Compute: no line begins with "ID"')
    launches: dict[str, list[dict[str, int]]] = {}
    lines = (line for line in lines if line != header)  # parts that were put together have one each
    for row in csv.DictReader(lines, fieldnames=next(csv.reader([header]))):
        if row["ID"]:  # not the row of units
            counts = {metric: int(float(row[metric].replace(",", ""))) for metric in METRICS}
            launches.setdefault(row["Process ID"], []).append(counts)
    return launches


class Executor:
    """Asks the harness for the executor's counts, once a call."""

    def __init__(self, harness: str) -> None:
        self.harness = harness
        self.known: dict[Call, dict[str, int] | str] = {}

    def counts(self, call: Call) -> dict[str, int] | str:
        """The counts and `launches`, or why there are none."""
        if call not in self.known:
            entry, n, kind = call
            command = [self.harness, "--explain", entry, "--n", str(n), "--type", kind, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.known[call] = (
                {name: int(value) for name, value in json.loads(done.stdout)[entry].items()}
                if done.returncode == 0
                else done.stderr.strip().removeprefix("harness: ")
            )
        return self.known[call]


def collected(folder: Path, executor: Executor) -> tuple[dict[Call, list[dict[str, int]]], list[Call]]:
    """The GPU's counts of each call (some were made more than once), and the calls that were refused."""
    with gzip.open(folder / "counters_ncu.csv.gz", "rt") as stream:
        launches = launches_by_process(stream)
    counts: dict[Call, list[dict[str, int]]] = {}
    refused: list[Call] = []
    header, *lines = (folder / "counters_calls.csv").read_text().splitlines()
    for row in csv.DictReader([header, *(line for line in lines if line != header)]):
        call = row["entry"], int(row["n"]), row["type"]
        if row["answer"] == "not called":
            refused.append(call)
            continue
        by_executor = executor.counts(call)
        if isinstance(by_executor, str):
            raise Unreadable(f"{call[0]} n = {call[1]}: {by_executor}")
        # A process makes its calls one after the other, each of as many launches as on the executor.
        of_process = launches.get(row["process"], [])
        of_call = [of_process.pop(0) for _ in range(by_executor["launches"]) if of_process]
        if len(of_call) < by_executor["launches"]:
            raise Unreadable(f"{call[0]} n = {call[1]}: fewer launches were profiled than the executor has")
        sums = {metric: sum(launch[metric] for launch in of_call) for metric in METRICS}
        counts.setdefault(call, []).append(sums)
    for process, left in launches.items():
        if left:
            raise Unreadable(
                f"process {process}: {len(left)} more launches were profiled than the executor has"
            )
    return counts, refused


def reason_for(explained: list[dict[str, Any]], call: Call, metric: str) -> str:
    """The first that fits the figure; empty where none does."""
    for one in explained:
        of_entry = any(fnmatchcase(call[0], glob) for glob in one["entries"])
        of_metric = any(fnmatchcase(metric, glob) for glob in one["metrics"])
        if of_entry and of_metric and call[1] in one.get("n", [call[1]]):
            return one["why"]
    return ""


def compare(harness: str, folder: Path, explained: list[dict[str, Any]]) -> dict[str, Any]:
    """The document: each figure of each call, the executor's and the hardware's."""
    by_executor = Executor(harness)
    counts, refused = collected(folder, by_executor)
    figures, not_called = [], []
    for call in refused:
        reason = by_executor.counts(call)
        if not isinstance(reason, str):
            raise Unreadable(f"{call[0]} n = {call[1]}: the executor counts it, but it was not called")
        not_called.append({"entry": call[0], "n": call[1], "reason": reason.split(": ", 1)[-1]})
    for call, hardware in sorted(counts.items()):
        executor = by_executor.counts(call)
        if isinstance(executor, str):
            raise Unreadable(f"{call[0]} n = {call[1]}: {executor}")
        for metric in METRICS:
            figure: dict[str, Any] = {"entry": call[0], "type": call[2], "n": call[1], "metric": metric}
            figure |= {"executor": executor[metric], "hardware": hardware[0][metric]}
            if len(hardware) > 1:
                figure["hardware_again"] = [again[metric] for again in hardware[1:]]
            if figure["executor"] != figure["hardware"]:
                figure["why"] = reason_for(explained, call, metric)
            figures.append(figure)
    equal = sum(figure["executor"] == figure["hardware"] for figure in figures)
    return {"equal": equal, "total": len(figures), "figures": figures, "not_called": not_called}


def shares(figures: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """Of each series, family/series, how many figures are equal, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for figure in figures:
        series = figure["entry"].rpartition("/")[0]
        equal, total = found.get(series, (0, 0))
        found[series] = equal + (figure["executor"] == figure["hardware"]), total + 1
    return found


def table_of(document: dict[str, Any]) -> str:
    """The same for a person: a table, and the reasons under it."""
    reasons: list[str] = []
    rows: dict[Call, dict[str, str]] = {}
    for figure in document["figures"]:
        call = figure["entry"], figure["n"], figure["type"]
        text = f"{figure['executor']:,} / {figure['hardware']:,}"
        if figure["executor"] != figure["hardware"]:
            why = figure["why"] or "Not explained."
            if why not in reasons:
                reasons.append(why)
            text = f"**{text}** [{reasons.index(why) + 1}]"
        rows.setdefault(call, {})[figure["metric"]] = text
    share = 100 * document["equal"] / document["total"]
    lines = [
        "# Counts of the CPU executor beside the GPU's own",
        "",
        "One call of each variant with its default tuning: executor / NVIDIA H200 (Nsight Compute).",
        "Written by `scripts/compare_counters.py`, which says how. Figures that differ are bold.",
        "",
        f"{document['equal']} of {document['total']} figures are equal ({share:.1f} %).",
        "",
        "| series | equal | of | share |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| `{series}` | {equal} | {total} | {100 * equal / total:.1f} % |"
            for series, (equal, total) in shares(document["figures"]).items()
        ),
        "",
        "| variant | type | n | " + " | ".join(in_words(metric) for metric in METRICS) + " |",
        "| --- | --- | ---: |" + " ---: |" * len(METRICS),
    ]
    for (entry, n, kind), cells in rows.items():
        lines.append(
            f"| `{entry}` | {kind} | {n} | " + " | ".join(cells[metric] for metric in METRICS) + " |"
        )
    lines += ["", *(f"{number}. {why}" for number, why in enumerate(reasons, 1))]
    again = [figure for figure in document["figures"] if "hardware_again" in figure]
    lines += varying(again)
    if document["not_called"]:
        lines += ["", "Not called, since the variant cannot take the size:", ""]
        lines += [f"- `{one['entry']}`, n = {one['n']}: {one['reason']}" for one in document["not_called"]]
    return "\n".join(lines).rstrip() + "\n"


def varying(figures: list[dict[str, Any]]) -> list[str]:
    """Of calls made more than once: the figures that the hardware itself does not repeat."""
    lines = []
    for figure in figures:
        seen = [figure["hardware"], *figure["hardware_again"]]
        if len(set(seen)) > 1:
            values = ", ".join(f"{value:,}" for value in seen)
            lines.append(f"- `{figure['entry']}`, n = {figure['n']}, {in_words(figure['metric'])}: {values}")
    repeated = len({(figure["entry"], figure["n"]) for figure in figures})
    if not repeated:
        return []
    calls = f"{repeated} call{'s were' if repeated > 1 else ' was'} made more than once"
    if not lines:
        return ["", f"{calls}; the hardware's figures were the same each time."]
    return ["", f"{calls}. Figures that the hardware did not repeat:", "", *lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("harness", help="binary of a build that counts")
    parser.add_argument("collected", type=Path, help="folder that collect_counters.sh wrote")
    parser.add_argument("--explained", type=Path, help="default: counters_explained.json in that folder")
    parser.add_argument("--out", type=Path, help="OUT.json and OUT.md are written")
    asked = parser.parse_args()
    explained = asked.explained or asked.collected / "counters_explained.json"
    try:
        reasons = json.loads(explained.read_text()) if explained.exists() else []
        document = compare(asked.harness, asked.collected, reasons)
        if not document["total"]:
            raise Unreadable("no call was counted on both sides")
    except (OSError, ValueError, KeyError, Unreadable) as error:
        print(f"compare_counters: {asked.collected}: {error}", file=sys.stderr)
        return 2
    unexplained = [figure for figure in document["figures"] if figure.get("why") == ""]
    for figure in unexplained:
        print(f"not explained: {figure['entry']} n = {figure['n']} {figure['metric']}: ", end="")
        print(f"executor {figure['executor']:,}, hardware {figure['hardware']:,}")
    print(f"{document['equal']} of {document['total']} figures are equal, {len(unexplained)} not explained")
    if asked.out:
        asked.out.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
        asked.out.with_suffix(".md").write_text(table_of(document))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
