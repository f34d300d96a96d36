"""Heat maps: ratio to the fastest CUB (or Thrust) by entry and size; time by threads and blocks with the
best cell marked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, TwoSlopeNorm

from analysis import units
from analysis.figures import style
from analysis.figures.model import Drawn, Group, Plan, best_tunings, pivot_text, slug

MOST_ROWS = 40
MOST_NUMBERS = 12  # columns up to which the cells have room for numbers


def plans(groups: Sequence[Group]) -> Iterator[Plan]:
    for group in groups:
        library = next(
            (name for name in ("cub", "thrust", "cublas", "cufft") if name in set(group.cells["series"])),
            None,
        )
        if library is not None:
            ratios = ratios_to(group, library)
            if len(ratios) and ratios["entry"].nunique() > 1:
                name = style.LIBRARY_NAMES[library]
                yield Plan(
                    f"ratio_{group.stem}",
                    f"Time of the fastest {name} ÷ time, above 1 is faster than {name}: {group.caption}",
                    partial(_draw_ratios, group, ratios, name),
                )


def ratios_to(group: Group, library: str) -> pd.DataFrame:
    """Columns entry, n, ratio, low, high, baseline: the library's fastest like-for-like entry at each n
    over this entry's best tuning.

    The file's own ratio (from interleaved samples, with an interval) where it has one to that baseline,
    else that of the medians.
    """
    cells = best_tunings(group.cells)
    baselines = cells[(cells["series"] == library) & cells["like_for_like"]]
    if baselines.empty:
        return pd.DataFrame(columns=["entry", "n", "ratio", "low", "high", "baseline"])
    fastest = baselines.loc[baselines.groupby("n")["median"].idxmin()].set_index("n")
    lines = []
    for cell in cells[cells["n"].isin(fastest.index) & cells["like_for_like"]].itertuples():
        baseline = fastest.loc[cell.n]
        # A baseline that was tuned has a row a tuning, and the file's ratio may be to another of them than
        # its fastest.
        known = cell.ratios.get(baseline["entry"]) if baseline["tuning"] == "" else None
        ratio = {"value": baseline["median"] / cell.median} if known is None else known
        low, high = ratio.get("ci", (math.nan, math.nan))
        lines.append((cell.short, cell.n, ratio["value"], low, high, baseline["entry"]))
    return pd.DataFrame(lines, columns=["entry", "n", "ratio", "low", "high", "baseline"])


def _draw_ratios(group: Group, ratios: pd.DataFrame, library: str) -> Drawn:
    wide = ratios.pivot_table(index="entry", columns="n", values="ratio", sort=False)
    wide = wide[sorted(wide.columns)]
    order = dict.fromkeys(group.cells["short"])
    wide = wide.loc[[entry for entry in order if entry in wide.index]]
    shown = wide if len(wide) <= MOST_ROWS else wide.loc[np.log(wide).mean(axis=1).nlargest(MOST_ROWS).index]
    sizes = [units.size(int(n)) for n in shown.columns]
    figure, (axis,) = style.new_figure((0.75 if _upright(sizes) else 1.0) + 0.135 * len(shown))
    image = axis.imshow(
        np.log2(shown.to_numpy(dtype=float)), cmap=_diverging(), norm=TwoSlopeNorm(0, -2, 1), aspect="auto"
    )
    _ticks(axis, sizes, list(shown.index))
    axis.set_xlabel("n (elements)")
    for (line, column), value in np.ndenumerate(shown.to_numpy(dtype=float)):
        _write_ratio(axis, line, column, value, len(shown.columns))
    mark = "bold" if len(shown.columns) <= MOST_NUMBERS else "dot"
    bar = figure.colorbar(image, ax=axis, location="top", aspect=40, pad=0.01, extend="both")
    bar.set_ticks([-2, -1, 0, 1], labels=["¼", "½", "1", "2"])
    # Over the whole picture: long names of entries leave the bar too little room for it.
    figure.suptitle(f"fastest {library}'s time ÷ time ({mark}: at least 1)", fontsize=6.5)
    return Drawn(figure, ratios, pivot_text(ratios, "ratio", units.ratio))


def _write_ratio(axis: Axes, line: int, column: int, value: float, columns: int) -> None:
    """The number, or where there are too many columns for numbers a dot where it is at least 1."""
    if not math.isfinite(value):
        axis.text(column, line, "–", ha="center", va="center", fontsize=5, color="#777777")
        return
    colour = "white" if value < 0.42 or value > 1.62 else "black"
    if columns > MOST_NUMBERS:
        if value >= 1:
            axis.plot(column, line, marker="o", markersize=1.2, color=colour, linestyle="none")
        return
    text = f"{value:.2f}" if value < 9.95 else f"{value:.0f}"
    if value < 0.0095:
        text = "<.01"
    size, weight = (5 if columns <= 8 else 3.9), ("bold" if value >= 1 else "normal")
    axis.text(column, line, text, ha="center", va="center", fontsize=size, color=colour, fontweight=weight)


def _diverging() -> matplotlib.colors.Colormap:
    return matplotlib.colormaps["RdBu"].with_extremes(bad="#eeeeee")


def tuning_plans(groups: Sequence[Group]) -> Iterator[Plan]:
    """One for each entry that was measured on a grid of at least 2 x 2 tunings, at its largest n."""
    for group in groups:
        for entry, cells in group.cells[group.cells["median"].notna()].groupby("entry", sort=False):
            at_n = cells[cells["n"] == cells["n"].max()]
            names = [
                name
                for name in dict.fromkeys(key for tuning in at_n["tuning_values"] for key in tuning)
                if at_n["tuning_values"].map(lambda tuning, name=name: tuning.get(name)).nunique() > 1
            ]
            if len(names) >= 2:
                names.sort(key=lambda name: {"threads": 0, "blocks": 1}.get(name, 2))
                n = int(at_n["n"].iloc[0])
                yield Plan(
                    f"tuning_{slug(*str(entry).split('/')[1:])}_{group.stem}",
                    f"Tuning of {entry}, n = {units.size(n)}: {group.caption}",
                    partial(_draw_tuning, str(entry), at_n, names[0], names[1], n),
                )


def _draw_tuning(entry: str, cells: pd.DataFrame, down: str, across: str, n: int) -> Drawn:
    data = pd.DataFrame(
        {
            down: [tuning.get(down) for tuning in cells["tuning_values"]],
            across: [tuning.get(across) for tuning in cells["tuning_values"]],
            "tuning": cells["tuning"].to_list(),
            "median_seconds": cells["median"].to_list(),
            "low_seconds": cells["low"].to_list(),
            "high_seconds": cells["high"].to_list(),
        }
    ).dropna(subset=[down, across])
    wide = data.pivot_table(index=down, columns=across, values="median_seconds", aggfunc="min") * 1e6
    values = wide.to_numpy(dtype=float)
    figure, (axis,) = style.new_figure(min(0.85 + 0.24 * max(len(wide), 2), 5.0))
    colours = matplotlib.colormaps["viridis_r"].with_extremes(bad="#eeeeee")
    low, high = np.nanmin(values), np.nanmax(values)
    image = axis.imshow(values, cmap=colours, norm=LogNorm(low, max(high, low * 1.001)), aspect="auto")
    _ticks(
        axis,
        [f"{value:g}" if isinstance(value, float) else str(value) for value in wide.columns],
        [str(value) for value in wide.index],
    )
    axis.set_xlabel(across)
    axis.set_ylabel(f"{down} a block" if down == "threads" else down)
    best = np.unravel_index(np.nanargmin(values), values.shape)
    size = 5.8 if values.shape[1] <= 6 else 4.2
    for (line, column), value in np.ndenumerate(values):
        if math.isfinite(value):
            bright = math.log(value / low) < 0.45 * math.log(max(high / low, 1.001))
            axis.text(
                column,
                line,
                units.digits(value),
                ha="center",
                va="center",
                fontsize=size,
                color="black" if bright else "white",
                fontweight="bold" if (line, column) == best else "normal",
            )
        else:
            axis.text(column, line, "–", ha="center", va="center", fontsize=size, color="#777777")
    axis.add_patch(
        matplotlib.patches.Rectangle(
            (best[1] - 0.5, best[0] - 0.5),
            1,
            1,
            fill=False,
            edgecolor=style.COLOURS[1],
            linewidth=1.6,
            clip_on=False,
            zorder=5,
        )
    )
    bar = figure.colorbar(image, ax=axis, location="top", aspect=40, pad=0.01)
    bar.ax.xaxis.set_major_formatter(lambda value, _: units.digits(value, 2 if value < 10 else 3))
    bar.ax.xaxis.set_minor_formatter(lambda value, _: "")
    ends = sorted({low, math.sqrt(low * high), high}) if high > low * 1.05 else [low]
    bar.set_ticks(ends)
    words = f"{entry.split('/', 1)[1]}: time (µs), n = {style.power(n)}; best cell framed"
    figure.suptitle(words, fontsize=6.2)
    table = wide.map(units.digits)
    table.columns = [f"{across} {name}" for name in table.columns]
    return Drawn(figure, data, table.reset_index())


def _upright(across: Sequence[str]) -> bool:
    return all(len(text) < 6 for text in across)


def _ticks(axis: Axes, across: Sequence[str], down: Sequence[str]) -> None:
    powers = [f"$2^{{{text[2:]}}}$" if text.startswith("2^") else text for text in across]
    step = math.ceil(len(across) / 10)
    angle = 0 if _upright(across) else 45
    axis.set_xticks(range(0, len(across), step), powers[::step], rotation=angle)
    axis.set_yticks(range(len(down)), down, fontsize=6)
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
