"""What the report shows, as plain lists and dictionaries for the template and the page's script."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from analysis import units
from analysis.counter_names import in_words
from analysis.figures import ladder, style
from analysis.figures.heatmaps import ratios_to
from analysis.figures.model import Group, best_tunings, groups, representatives
from analysis.load import Results

NOT_WRONG = ("skipped", "known_wrong")
FILTERS = ("family", "type", "cache", "clock", "device")


def about(results: Results) -> dict[str, Any]:
    """One file: facts for the list at the top, its config, its manifest of shards."""
    provenance, plan = results.tally.get("provenance", {}), results.tally.get("plan", {})
    ceilings = results.tally.get("ceilings", {})
    facts = {
        "file": results.path.name,
        "GPU": results.fact("gpu") or "none",
        "driver": results.fact("driver"),
        "CUDA": results.fact("cuda"),
        "CCCL": results.fact("cccl"),
        "compiler": results.fact("compiler"),
        "host": results.context.get("host_name", ""),
        "CPUs": str(results.context.get("num_cpus", "")),
        "command": results.tally.get("command", ""),
        "git revision": results.fact("git_revision")
        + (" (with uncommitted changes)" if provenance.get("dirty") else ""),
        "started": results.fact("started") or results.context.get("date", ""),
        "finished": results.fact("finished"),
        "cells": f"{plan.get('cells', results.rows['name'].nunique())} planned, "
        f"{results.rows['name'].nunique()} measured; without a row, planned or not: {results.without_a_row}; "
        f"{plan.get('left_out', 0)} left out as too large for the device",
        "launch floor": units.seconds(ceilings["launch_floor_cold"])
        if "launch_floor_cold" in ceilings
        else "",
        "HBM read": units.rate(ceilings["hbm_read"]) if "hbm_read" in ceilings else "",
        "HBM copy": units.rate(ceilings["hbm_copy"]) if "hbm_copy" in ceilings else "",
        "config hash": results.tally["config_hash"],
        "SHA-256": results.sha256,
    }
    throttled = sum(
        bool(row["tally"].get("clocks", {}).get("throttled")) for row in results.document["benchmarks"]
    )
    return {
        "title": results.title,
        "facts": {name: value for name, value in facts.items() if value},
        "throttled": throttled,
        "wrong": sum(failure["status"] not in NOT_WRONG for failure in results.failures),
        "config": json.dumps(results.tally.get("config", {}), indent=1, ensure_ascii=False),
        "shards": results.tally.get("shards", []),
    }


def results_table(table: pd.DataFrame, files: Sequence[Results]) -> dict[str, Any]:
    """The results table: `columns` as {name, number}, and `rows`, each a list of {text, sort}. Columns in
    which nothing is known are left out.
    """
    lines = [_row(cell, files) for cell in table.itertuples()]
    names = list(dict.fromkeys(name for line in lines for name in line))
    known = [
        name
        for name in names
        if name == "entry" or any(line.get(name, _NOTHING)["text"] not in ("", "–") for line in lines)
    ]
    # A column that says the same of every cell says nothing here: the files' facts are at the top of the
    # page.
    known = [
        name
        for name in known
        if name not in ("type", "knobs", "cache", "clock", "device", "file")
        or len({line[name]["text"] for line in lines}) > 1
    ]
    return {
        "columns": [
            {"name": name, "look": _LOOKS.get(name, "word" if name in _WORDS else "number")} for name in known
        ],
        "has_daggers": bool((~table["like_for_like"]).any()),
        "rows": [[line.get(name, _NOTHING) for name in known] for line in lines],
    }


_WORDS = ("entry", "type", "knobs", "tuning", "cache", "clock", "device", "file")
_LOOKS = {"knobs": "knobs", "tuning": "knobs"}
_NOTHING = {"text": "–", "sort": ""}


def _row(cell: Any, files: Sequence[Results]) -> dict[str, dict[str, Any]]:
    def word(text: str) -> dict[str, Any]:
        return {"text": text, "sort": text}

    def number(value: float, text: str) -> dict[str, Any]:
        return {"text": text, "sort": value if math.isfinite(value) else ""}

    def to(library: str) -> dict[str, Any]:
        known = [ratio["value"] for name, ratio in cell.ratios.items() if name.split("/")[1] == library]
        best = min(known) if known else math.nan  # the library's fastest entry is the one to beat
        mark = {"mark": " gain"} if best > 1 and cell.kind == "variant" else {}
        return number(best, units.ratio(best)) | mark

    alike = "" if cell.like_for_like else " †"
    low, high = units.seconds(cell.low), units.seconds(cell.high)
    same_unit = low.split()[-1] == high.split()[-1]
    interval = f"{low.split()[0] if same_unit else low} – {high}" if math.isfinite(cell.low) else "–"
    spread = (cell.high - cell.low) / cell.median if cell.median and math.isfinite(cell.low) else math.nan
    flag = " above!" if cell.above else ""
    return {
        "entry": word(cell.entry + alike),
        "type": word(cell.type),
        "n": number(float(cell.n), units.size(cell.n)),
        "knobs": word(cell.knobs.replace("/", " ")),
        "tuning": word(cell.tuning.replace("/", " ")),
        "cache": word(cell.cache),
        "clock": word(cell.clock),
        "device": word(cell.device),
        "time": number(cell.median, units.seconds(cell.median)),
        "95 % interval": number(spread, interval),
        "GB/s": number(cell.bandwidth, units.digits(cell.bandwidth / 1e9)),
        "of ceiling": number(cell.fraction, units.percent(cell.fraction) + flag)
        | ({"mark": " beyond"} if cell.above else {}),
        "CUB's time ÷ time": to("cub"),
        "Thrust's time ÷ time": to("thrust"),
        "ulp": number(cell.ulp, units.digits(cell.ulp)),
        **{
            in_words(name): number(float(value), units.digits(float(value), 4))
            for name, value in cell.counters.items()
        },
        "file": word(files[cell.source].path.name),
    }


def filters(table: pd.DataFrame) -> dict[str, list[str]]:
    """The choices of each filter that has more than one."""
    return {name: list(dict.fromkeys(table[name])) for name in FILTERS if table[name].nunique() > 1}


def _groups(table: pd.DataFrame, files: Sequence[Results]) -> Iterator[tuple[Group, str]]:
    """Every group with its caption; files that measured the same cells are kept apart, and named."""
    if not table.duplicated(["gpu", "name"]).any():
        yield from ((group, group.caption) for group in groups(table))
        return
    for source, of_file in table.groupby("source", sort=False):
        yield from ((group, f"{group.caption}, {files[int(source)].path.name}") for group in groups(of_file))


def ladders(table: pd.DataFrame, files: Sequence[Results]) -> list[dict[str, Any]]:
    """Every series measured in two stages or more: its caption, table, and speed-ups for the bars."""
    found = []
    for group, caption in _groups(table[table["timed"]], files):
        for series in ladder.series_of(group):
            built = ladder.build(group, series)
            if built is not None:
                made = ladder.table(built)
                widths = 100 * built.stages["speed_up"] / built.stages["speed_up"].max()
                found.append(
                    {
                        "series": series,
                        "caption": f"{caption}, n = {units.size(built.n)}",
                        "columns": list(made.columns),
                        "rows": [
                            (float(width), list(row))
                            for width, row in zip(widths, made.itertuples(index=False), strict=True)
                        ],
                    }
                )
    return found


def plots(table: pd.DataFrame, files: Sequence[Results]) -> dict[str, Any]:
    """The interactive plots: for each group its entries with their fastest tunings, all metrics against n."""
    made = []
    for group, caption in _groups(table, files):
        if group.device == "simt":
            made += _counted(group, caption)
        elif group.cells["n"].nunique() > 1:
            made.append(_timed(group, caption))
    return {"groups": made, "colours": list(style.COLOURS)}


def _timed(group: Group, caption: str) -> dict[str, Any]:
    best = best_tunings(group.cells)
    ratios = ratios_to(group, "cub").set_index(["entry", "n"])
    shown = set(representatives(group))
    lines = []
    for entry, line in best.groupby("entry", sort=False):
        short = str(line["short"].iloc[0])
        to_cub = [ratios.loc[(short, n)] if (short, n) in ratios.index else None for n in line["n"]]
        lines.append(
            {
                "name": short,
                "series": line["series"].iloc[0],
                "baseline": line["kind"].iloc[0] == "baseline",
                "shown": entry in shown,
                "n": line["n"].astype(int).to_list(),
                "tuning": line["tuning"].to_list(),
                "metrics": {
                    "bandwidth": _with_band(
                        line["bytes"] / line["median"] / 1e9,
                        line["bytes"] / line["high"] / 1e9,
                        line["bytes"] / line["low"] / 1e9,
                    ),
                    "time": _with_band(line["median"] * 1e6, line["low"] * 1e6, line["high"] * 1e6),
                    "fraction": _with_band(100 * line["fraction"], None, None),
                    "ratio": {
                        "y": [float(row["ratio"]) if row is not None else math.nan for row in to_cub],
                        "low": [float(row["low"]) if row is not None else math.nan for row in to_cub],
                        "high": [float(row["high"]) if row is not None else math.nan for row in to_cub],
                    },
                    "error": _with_band(line["error"], None, None),
                },
            }
        )
    return {
        "caption": caption,
        "x": "n (elements)",
        "lines": lines,
        "metrics": {
            "bandwidth": "bytes to be moved ÷ time (GB/s)",
            "time": "time (µs)",
            "fraction": "fraction of ceiling (%)",
            "ratio": "fastest CUB's time ÷ time",
            "error": "|error| / (u·Σ|terms|)",
        },
    }


def _counted(group: Group, caption: str) -> list[dict[str, Any]]:
    """On simt: each counter against n, or where one n was counted, by entry."""
    names = list(dict.fromkeys(name for counters in group.cells["counters"] for name in counters))
    if not names:
        return []
    metrics = {name: in_words(name) for name in names}
    if group.cells["n"].nunique() < 2:
        cells = group.cells.drop_duplicates("entry")
        values = {
            name: _with_band(
                cells["counters"].map(lambda counters, name=name: float(counters.get(name, math.nan))),
                None,
                None,
            )
            for name in names
        }
        return [
            {
                "caption": f"{caption}, n = {units.size(int(cells['n'].iloc[0]))}",
                "x": "entry",
                "metrics": metrics,
                "lines": [
                    {
                        "name": short,
                        "series": series,
                        "baseline": False,
                        "shown": True,
                        "n": [short],
                        "tuning": [tuning],
                        "metrics": {
                            name: {"y": [values[name]["y"][index]], "low": [], "high": []} for name in names
                        },
                    }
                    for index, (short, series, tuning) in enumerate(
                        zip(cells["short"], cells["series"], cells["tuning"], strict=True)
                    )
                ],
            }
        ]
    lines = []
    for _, line in group.cells.drop_duplicates(["entry", "n"]).groupby("entry", sort=False):
        line = line.sort_values("n")
        of_line = {
            name: {
                "y": [float(counters.get(name, math.nan)) for counters in line["counters"]],
                "low": [],
                "high": [],
            }
            for name in names
        }
        lines.append(
            {
                "name": line["short"].iloc[0],
                "series": line["series"].iloc[0],
                "baseline": False,
                "shown": True,
                "n": line["n"].astype(int).to_list(),
                "tuning": line["tuning"].to_list(),
                "metrics": of_line,
            }
        )
    return [{"caption": caption, "x": "n (elements)", "lines": lines, "metrics": metrics}]


def _with_band(y: pd.Series, low: pd.Series | None, high: pd.Series | None) -> dict[str, list[float]]:
    return {
        "y": y.to_list(),
        "low": low.to_list() if low is not None else [],
        "high": high.to_list() if high is not None else [],
    }
