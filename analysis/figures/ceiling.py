"""Fraction of the ceiling against size: 100 % is floor + bytes/bandwidth, measured on the same machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from analysis import units
from analysis.figures import style
from analysis.figures.bandwidth import draw_line
from analysis.figures.model import Drawn, Group, Plan, best_tunings, pivot_text, representatives


def plans(groups: Sequence[Group]) -> Iterator[Plan]:
    for group in groups:
        known = group.cells[group.cells["fraction"].notna() & (group.cells["ceiling_seconds"] > 0)]
        if known["n"].nunique() > 1:
            yield Plan(
                f"ceiling_{group.stem}",
                f"Fraction of the machine's ceiling: {group.caption}",
                partial(_draw, group),
            )


def _draw(group: Group) -> Drawn:
    cells = best_tunings(group.cells)
    cells = cells[cells["fraction"].notna()]
    shown = [entry for entry in representatives(group) if entry in set(cells["entry"])]
    figure, (axis,) = style.new_figure(2.7)
    looks = style.Looks()
    for entry in shown:
        line = cells[cells["entry"] == entry]
        draw_line(
            axis,
            line["n"],
            100 * line["fraction"],
            100 * line["ceiling_seconds"] / line["high"],
            100 * line["ceiling_seconds"] / line["low"],
            looks.of(line["short"].iloc[0], like_for_like=bool(line["like_for_like"].all())),
        )
    axis.axhline(100, color="#aa0000", linewidth=0.8)
    chosen = cells[cells["entry"].isin(shown)]
    if chosen["above"].any():
        above = chosen[chosen["above"]]
        axis.scatter(
            above["n"],
            100 * above["fraction"],
            s=40,
            facecolors="none",
            edgecolors="#aa0000",
            linewidth=0.8,
            zorder=5,
            label="above the ceiling by more than its noise",
        )
    axis.set_ylim(0, max(108.0, 105 * float(chosen["fraction"].max())))
    style.size_axis(axis, sorted(chosen["n"].unique()))
    style.grid(axis)
    axis.set_ylabel("fraction of ceiling (%)")
    style.legend_above(figure, axis)
    data = pd.DataFrame(
        {
            "entry": chosen["short"],
            "n": chosen["n"],
            "tuning": chosen["tuning"],
            "fraction": chosen["fraction"],
            "ceiling": chosen["ceiling"],
            "ceiling_seconds": chosen["ceiling_seconds"],
            "above": chosen["above"],
        }
    ).sort_values(["entry", "n"], kind="stable")
    return Drawn(figure, data, pivot_text(data, "fraction", units.percent))
