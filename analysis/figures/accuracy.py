"""Accuracy against n: |error| / (u·Σ|terms|), with the bounds that theory gives for three ways to add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from analysis import units
from analysis.figures import style
from analysis.figures.model import Drawn, Group, Plan, pivot_text


def plans(groups: Sequence[Group]) -> Iterator[Plan]:
    for group in groups:
        known = group.cells[group.cells["error"].notna()]
        if (
            group.type.startswith(("float", "bfloat"))
            and known["n"].nunique() > 1
            and (known["error"] > 0).any()
        ):
            yield Plan(
                f"accuracy_{group.stem}", f"Accuracy against size: {group.caption}", partial(_draw, group)
            )


def _draw(group: Group) -> Drawn:
    cells = group.cells[group.cells["error"].notna()]
    # The worst tuning of each entry: accuracy is a promise, not a record.
    cells = cells.loc[cells.groupby(["entry", "n"], sort=False)["error"].idxmax()].sort_values(
        "n", kind="stable"
    )
    shown = _shown(cells)
    figure, (axis,) = style.new_figure(2.9)
    looks = style.Looks()
    positive = cells.loc[cells["error"] > 0, "error"]
    floor = 10 ** np.floor(np.log10(positive.min()) - 0.3)
    for entry in shown:
        line = cells[cells["entry"] == entry]
        look = looks.of(line["short"].iloc[0])
        axis.plot(
            line["n"],
            line["error"].clip(lower=floor),
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            label=look.label,
        )
    sizes = np.array(sorted(cells["n"].unique()), dtype=float)
    top = max(200.0, 20 * float(positive.max()))
    for label, bound, line in (
        ("bound: one by one, n − 1", np.maximum(sizes - 1, 1), (0, (1, 1))),
        ("bound: in pairs, ⌈log₂ n⌉", np.ceil(np.log2(np.maximum(sizes, 2))), (0, (4, 1.5))),
        ("bound: one rounding, 1", np.ones_like(sizes), (0, (1, 3))),
    ):
        if bound.min() > top / 3:
            label += " (above)"
        axis.plot(sizes, bound, color="#aa0000", linestyle=line, linewidth=0.8, label=label)
    style.size_axis(axis, list(sizes))
    axis.set_yscale("log")
    axis.set_ylim(floor * 0.7, top)
    if (cells["error"] == 0).any():
        axis.annotate(
            "exact",
            (0.01, floor),
            xycoords=("axes fraction", "data"),
            fontsize=5.8,
            xytext=(0, 2),
            textcoords="offset points",
        )
    style.grid(axis)
    axis.set_ylabel("|error| / (u·Σ|terms|), log axis")
    style.legend_above(figure, axis)
    data = pd.DataFrame(
        {
            "entry": cells["short"],
            "n": cells["n"],
            "tuning": cells["tuning"],
            "error": cells["error"],
            "ulp": cells["ulp"],
            "condition": cells["condition"],
            "distinct": cells["distinct"],
            "launches": cells["launches"],
        }
    )
    return Drawn(
        figure, data.sort_values(["entry", "n"], kind="stable"), pivot_text(data, "error", units.digits)
    )


def _shown(cells: pd.DataFrame) -> list[str]:
    """Of each series the variant with the largest error, so that nothing bad is left out; libraries all, up
    to eleven lines.
    """
    worst = cells.groupby("entry", sort=False)["error"].max()
    series = cells.drop_duplicates("entry").set_index("entry")[["series", "kind"]]
    variants = [
        str(worst[series.index[series["series"] == name]].idxmax())
        for name in dict.fromkeys(series.loc[series["kind"] == "variant", "series"])
    ]
    libraries = [
        str(worst[series.index[series["series"] == name]].idxmax())
        for name in dict.fromkeys(series.loc[series["kind"] == "baseline", "series"])
    ]
    return (variants[:7] + libraries)[:11]
