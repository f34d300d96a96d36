"""Sample distributions: the share of samples that were no slower than a time (ECDF), one curve an entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from analysis import units
from analysis.figures import style
from analysis.figures.model import Drawn, Group, Plan, best_tunings, representatives
from analysis.load import as_taken

FEWEST = 6


def plans(groups: Sequence[Group]) -> Iterator[Plan]:
    for group in groups:
        cells = best_tunings(group.cells) if group.cells["median"].notna().any() else group.cells.iloc[:0]
        if not cells.empty:
            shown = representatives(group)
            cells = cells[(cells["samples"].map(len) >= FEWEST) & cells["entry"].isin(shown)]
        if cells.empty:
            continue
        # The middle size: neither all launch latency nor so long that all is even.
        counts = cells.groupby("n")["entry"].nunique()
        sizes = sorted(counts[counts == counts.max()].index)
        n = int(sizes[len(sizes) // 2])
        if counts.max() < 2:
            continue
        yield Plan(
            f"samples_{group.stem}",
            f"Distribution of samples, n = {units.size(n)}: {group.caption}",
            partial(_draw, group, cells[cells["n"] == n], n),
        )


def _draw(group: Group, cells: pd.DataFrame, n: int) -> Drawn:
    figure, (axis,) = style.new_figure(2.6)
    looks = style.Looks()
    shown = [entry for entry in representatives(group) if entry in set(cells["entry"])]
    pieces: list[pd.DataFrame] = []
    ends: list[np.ndarray] = []
    # Between the extremes of a thinned file and their neighbours nothing is known.
    thinned = cells["samples"].map(len) < cells["taken"]
    outside = float((1 / (cells["samples"].map(len) - 1))[thinned].max()) if thinned.any() else 0.01
    for entry in shown:
        cell = cells[cells["entry"] == entry].iloc[0]
        seconds = as_taken(cell["samples"], cell["taken"])
        relative = seconds / np.median(seconds)
        share = np.arange(1, len(relative) + 1) / len(relative)
        if thinned.any():
            known = (share >= outside) & (share <= 1 - outside)
            seconds, relative, share = seconds[known], relative[known], share[known]
        look = looks.of(cell["short"], _name(cell))
        axis.step(
            np.r_[relative[0], relative],
            np.r_[share[0] if thinned.any() else 0, share],
            where="post",
            color=look.colour,
            linestyle=look.line,
            label=look.label,
        )
        # The curves cross at the median: each has its markers at other shares.
        places = np.unique(
            (np.array([0.2, 0.5, 0.8]) * len(relative) + len(pieces) * len(relative) / 40)
            .astype(int)
            .clip(0, len(relative) - 1)
        )
        axis.plot(relative[places], share[places], color=look.colour, marker=look.marker, linestyle="none")
        ends.append(np.interp([outside, 1 - outside], share, relative))
        pieces.append(pd.DataFrame({"entry": cell["short"], "n": n, "seconds": seconds, "share": share}))
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    margin = max((high - low) * 0.05, 0.002)
    axis.set_xlim(low - margin, high + margin)
    axis.set_ylim(0, 1.01)
    axis.set_xlabel(f"time ÷ own median, n = {style.power(n)}, middle {100 * (1 - 2 * outside):.0f} %")
    axis.set_ylabel("share of samples")
    style.grid(axis)
    style.legend_above(figure, axis)
    return Drawn(figure, pd.concat(pieces, ignore_index=True), None)


def _name(cell: pd.Series) -> str:
    name = style.library_label(cell["short"]) if cell["series"] in style.LIBRARY else cell["short"]
    alike = "" if cell["like_for_like"] else style.NOT_ALIKE
    return f"{name}, {units.seconds(cell['median'])}{alike}"
