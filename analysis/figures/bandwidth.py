"""Bandwidth against size, with the machine's ceilings, the size of L2, and Thrust and CUB as reference
lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.figures import style
from analysis.figures.model import Drawn, Group, Plan, best_tunings, pivot_text, representatives
from analysis.load import Results


def plans(groups: Sequence[Group], files: Sequence[Results]) -> Iterator[Plan]:
    for group in groups:
        if group.cells["bandwidth"].notna().any() and group.cells["n"].nunique() > 1:
            ceilings = files[int(group.cells["source"].iloc[0])].tally.get("ceilings", {})
            yield Plan(
                f"bandwidth_{group.stem}",
                f"Bandwidth against size: {group.caption}",
                partial(_draw, group, ceilings),
            )


def _draw(group: Group, ceilings: dict[str, Any]) -> Drawn:
    cells = best_tunings(group.cells)
    shown = representatives(group)
    figure, (axis,) = style.new_figure(2.9)
    looks = style.Looks()
    for entry in shown:
        line = cells[cells["entry"] == entry]
        look = looks.of(line["short"].iloc[0], like_for_like=bool(line["like_for_like"].all()))
        draw_line(
            axis,
            line["n"],
            line["bytes"] / line["median"] / 1e9,
            line["bytes"] / line["high"] / 1e9,
            line["bytes"] / line["low"] / 1e9,
            look,
        )
    _ceilings(axis, cells, ceilings)
    style.size_axis(axis, sorted(cells["n"].unique()))
    axis.set_ylim(bottom=0)
    style.grid(axis)
    axis.set_ylabel("bytes to be moved ÷ time (GB/s)")
    style.legend_above(figure, axis)
    data = _data(cells[cells["entry"].isin(shown)])
    table = pivot_text(data, "gigabytes_per_second", units.digits)
    return Drawn(figure, data, table)


def draw_line(
    axis: Axes, x: pd.Series, y: pd.Series, low: pd.Series, high: pd.Series, look: style.Look
) -> None:
    """A line with its markers and, where the file has intervals, their band."""
    x_values, y_values = x.to_numpy(dtype=float), y.to_numpy(dtype=float)
    axis.plot(
        x_values, y_values, color=look.colour, linestyle=look.line, marker=look.marker, label=look.label
    )
    known = (low.notna() & high.notna()).to_numpy()
    if known.any():
        axis.fill_between(
            x_values[known],
            low.to_numpy(dtype=float)[known],
            high.to_numpy(dtype=float)[known],
            color=look.colour,
            alpha=0.25,
            linewidth=0,
        )


def _ceilings(axis: Axes, cells: pd.DataFrame, ceilings: dict[str, Any]) -> None:
    measured = (
        cells[cells["ceiling_seconds"] > 0]
        .sort_values("ceiling_seconds")
        .drop_duplicates("n")
        .sort_values("n")
    )
    if len(measured) > 1:
        axis.plot(
            measured["n"],
            measured["bytes"] / measured["ceiling_seconds"] / 1e9,
            color="#aa0000",
            linewidth=0.8,
            label="ceiling: floor + bytes/bandwidth",
        )
    name = next((name for name in ("hbm_read", "hbm_copy") if name in set(cells["ceiling"])), "hbm_read")
    tallest = cells["bandwidth"].max()
    # A line far above all that was measured would flatten it.
    if cells["device"].iloc[0] == "cuda" and tallest > 0.2 * ceilings.get(name, float("inf")):
        height = ceilings[name] / 1e9
        axis.axhline(height, color="#aa0000", linewidth=0.6, linestyle=(0, (1, 1.5)))
        words = {"hbm_read": "HBM read", "hbm_copy": "HBM copy"}[name]
        axis.annotate(
            f"{words} {units.rate(ceilings[name])}",
            (0.02, height),
            xycoords=("axes fraction", "data"),
            xytext=(0, 1.5),
            textcoords="offset points",
            fontsize=5.8,
            color="#aa0000",
        )
    bytes_an_element = float((cells["bytes"] / cells["n"]).median())
    if ceilings.get("l2_bytes") and bytes_an_element > 0:
        place = ceilings["l2_bytes"] / bytes_an_element
        if cells["n"].min() <= place <= cells["n"].max():
            axis.axvline(place, color="#555555", linewidth=0.6, linestyle=(0, (4, 2)))
            axis.annotate(
                f"L2 = {ceilings['l2_bytes'] / 2**20:.0f} MiB",
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 1.5),
                textcoords="offset points",
                fontsize=5.8,
                color="#555555",
                ha="center",
                va="bottom",
            )


def _data(cells: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "entry": cells["short"],
            "n": cells["n"],
            "tuning": cells["tuning"],
            "median_seconds": cells["median"],
            "low_seconds": cells["low"],
            "high_seconds": cells["high"],
            "gigabytes_per_second": cells["bandwidth"] / 1e9,
            "ceiling": cells["ceiling"],
            "ceiling_gigabytes_per_second": cells["bytes"]
            / cells["ceiling_seconds"].replace(0, np.nan)
            / 1e9,
        }
    ).sort_values(["entry", "n"], kind="stable")
