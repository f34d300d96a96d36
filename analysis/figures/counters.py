"""Counters by stage: what a series' kernels move and where they stumble, one panel a counter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from analysis import units
from analysis.figures import style
from analysis.figures.model import Drawn, Group, Plan, slug

# Panel -> which counters are added up for it.
PANELS = (
    ("global sectors\n(32 bytes)", re.compile(r"sectors"), re.compile(r"per_|ratio|pct|shared|atom")),
    ("shared bank\nconflicts", re.compile(r"bank_?conflicts?"), re.compile(r"per_|ratio|pct")),
    (
        "active lanes\n(of 32)",
        re.compile(r"active_lanes|lanes_active|active_threads|thread_inst_executed_per_inst"),
        re.compile(r"pct"),
    ),
)


def plans(groups: Sequence[Group]) -> Iterator[Plan]:
    for group in groups:
        counted = group.cells[(group.cells["kind"] == "variant") & group.cells["counters"].map(bool)]
        for series, cells in counted.groupby("series", sort=False):
            whole = cells.groupby("n")["entry"].nunique()
            n = int(whole[whole == whole.max()].index.max())
            stages = cells[cells["n"] == n].sort_values("stage", kind="stable").drop_duplicates("entry")
            panels = _panels(stages)
            if len(stages) > 1 and panels.notna().any(axis=None):
                yield Plan(
                    f"counters_{slug(str(series))}_{group.stem}",
                    f"Counters of {series}, n = {units.size(n)}: {group.caption}",
                    partial(_draw, str(series), stages, panels, n),
                )


def _panels(stages: pd.DataFrame) -> pd.DataFrame:
    """stage x panel; NaN where none of a panel's counters was counted, zero where they were and are zero."""
    columns = {}
    for title, wanted, unwanted in PANELS:
        columns[title] = [_sum(counters, wanted, unwanted) for counters in stages["counters"]]
    panels = pd.DataFrame(columns, index=[short.split("/", 1)[1] for short in stages["short"]])
    return panels.dropna(axis=1, how="all")


def _sum(counters: dict[str, float], wanted: re.Pattern[str], unwanted: re.Pattern[str]) -> float:
    found = [value for name, value in counters.items() if wanted.search(name) and not unwanted.search(name)]
    # Totals beside their parts would count double: with a total, only that.
    totals = [
        value
        for name, value in counters.items()
        if wanted.search(name)
        and not unwanted.search(name)
        and not re.search(r"load|store|_ld|_st|atom|_red", name)
    ]
    return float(sum(totals or found)) if found else float("nan")


def _draw(series: str, stages: pd.DataFrame, panels: pd.DataFrame, n: int) -> Drawn:
    figure, axes = style.new_figure(0.75 + 0.17 * len(panels), columns=panels.shape[1], sharey=True)
    places = np.arange(len(panels))
    for axis, title, colour in zip(axes, panels.columns, style.COLOURS, strict=False):
        values = panels[title].to_numpy(dtype=float)
        axis.barh(places, np.nan_to_num(values), height=0.66, color=colour, alpha=0.75)
        top = 32.0 if "lanes" in title else max(float(np.nanmax(values)), 1.0)
        for place, value in zip(places, values, strict=True):
            text = "not counted" if not np.isfinite(value) else _short(value)
            axis.annotate(
                text,
                (value if np.isfinite(value) else 0, place),
                xytext=(2, 0),
                textcoords="offset points",
                va="center",
                fontsize=5.2,
            )
        axis.set_xlim(0, top * 1.45)
        axis.set_title(title)
        axis.set_xticks([0, top], ["0", _short(top)])
        axis.tick_params(axis="x", labelsize=5.8)
    axes[0].set_yticks(places, panels.index)
    axes[0].set_ylim(len(panels) - 0.45, -0.55)
    figure.supxlabel(f"{series}, n = {style.power(n)}, counts a call", fontsize=6.5)
    names = list(dict.fromkeys(name for counters in stages["counters"] for name in counters))
    data = pd.DataFrame(
        {
            "entry": stages["short"].to_list(),
            "n": n,
            **{name: [counters.get(name) for counters in stages["counters"]] for name in names},
        }
    )
    table = (
        panels.map(_short).rename(columns=lambda title: title.replace("\n", " ")).reset_index(names="stage")
    )
    return Drawn(figure, data, table)


def _short(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor * 10:
            return f"{units.digits(value / factor)} {letter}"
    return f"{value:.0f}" if value == int(value) else units.digits(value)
