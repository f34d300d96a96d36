"""A series as a ladder: each stage's speed-up over the first, with whiskers, and the published figures
beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import units
from analysis.figures import published, style
from analysis.figures.model import Drawn, Group, Plan, slug


@dataclass(frozen=True)
class Ladder:
    """A series at one n: `stages` in teaching order, with columns speed_up, low, high, step, and one
    `published: MACHINE` a machine.
    """

    series: str
    n: int
    stages: pd.DataFrame
    libraries: dict[str, float]  # 'CUB sum' -> speed-up over the first stage
    machines: list[str]


def plans(groups: Sequence[Group]) -> Iterator[Plan]:
    for group in groups:
        for series in series_of(group):
            if (ladder := build(group, series)) is not None:
                name = f"ladder_{slug(series)}_{group.stem}"
                yield Plan(
                    name,
                    f"Ladder {series}, n = {units.size(ladder.n)}: {group.caption}",
                    partial(_draw, ladder),
                )


def series_of(group: Group) -> list[str]:
    return list(dict.fromkeys(group.cells.loc[group.cells["kind"] == "variant", "series"]))


def build(group: Group, series: str, n: int | None = None) -> Ladder | None:
    """The ladder at `n`, else at the published n if it was measured, else at the largest n that most stages
    have.

    Every stage is taken with its fastest tuning. None where fewer than two stages were timed.
    """
    own = group.cells[
        (group.cells["series"] == series) & (group.cells["kind"] == "variant") & group.cells["median"].notna()
    ]
    if own.empty:
        return None
    chosen = n if n is not None else _size(own)
    at_n = own[own["n"] == chosen]
    if at_n["entry"].nunique() < 2:
        return None
    stages = (
        at_n.loc[at_n.groupby("entry", sort=False)["median"].idxmin()]
        .sort_values("stage", kind="stable")
        .reset_index(drop=True)
    )
    first = stages.iloc[0]
    stages["speed_up"] = first["median"] / stages["median"]
    stages["low_speed_up"] = first["low"] / stages["high"]
    stages["high_speed_up"] = first["high"] / stages["low"]
    stages["step"] = stages["median"].shift() / stages["median"]
    machines = _add_published(stages, chosen)
    others = group.cells[(group.cells["n"] == chosen) & (group.cells["kind"] == "baseline")]
    libraries = {}
    for library in ("cub", "thrust"):
        of_library = others[(others["series"] == library) & others["median"].notna()]
        if of_library["like_for_like"].any():
            of_library = of_library[of_library["like_for_like"]]
        if len(of_library):
            fastest = of_library.loc[of_library["median"].idxmin()]
            libraries[style.library_label(fastest["short"], bool(fastest["like_for_like"]))] = float(
                first["median"] / fastest["median"]
            )
    return Ladder(series, chosen, stages, libraries, machines)


def _size(own: pd.DataFrame) -> int:
    counts = own.groupby("n")["entry"].nunique()
    whole = counts[counts == counts.max()].index
    sizes = [figure.get("n") for figures in own["published"] for figure in figures]
    usual = [n for n in dict.fromkeys(sorted(sizes, key=sizes.count, reverse=True)) if n in whole]
    return int(usual[0]) if usual else int(max(whole))


def _add_published(stages: pd.DataFrame, n: int) -> list[str]:
    """Columns `published: MACHINE` (speed-up over the first stage published with the same n, type and
    unit).
    """
    machines = list(dict.fromkeys(figure["machine"] for figures in stages["published"] for figure in figures))
    kept = []
    for machine in machines:
        size = published.size_of(stages["published"], machine, n)
        figures = [published.figure_of(row, machine, size) for row in stages["published"]]
        first = figures[0]
        if first is None:
            continue
        gains = [published.speed_up(first, figure) for figure in figures]
        if sum(math.isfinite(gain) for gain in gains) < 2:
            continue
        stages[f"published: {machine}"] = gains
        stages[f"published figure: {machine}"] = [
            published.in_words(published.alike(row, figure))
            for row, figure in zip(stages["published"], figures, strict=True)
        ]
        kept.append(machine)
    return kept


def _draw(ladder: Ladder) -> Drawn:
    stages = ladder.stages
    figure, (axis,) = style.new_figure(0.95 + 0.23 * len(stages) + 0.09 * len(ladder.machines))
    places = np.arange(len(stages))
    speed = stages["speed_up"].to_numpy(dtype=float)
    whiskers = np.vstack([speed - stages["low_speed_up"], stages["high_speed_up"] - speed]).clip(min=0)
    logarithmic = _value_axis(figure, axis, ladder)
    # On a log axis bars start at 1, which is no speed-up: there their length has a meaning.
    start = 1.0 if logarithmic else 0.0
    axis.barh(
        places,
        speed - start,
        left=start,
        height=0.62,
        color=style.COLOURS[0],
        alpha=0.75,
        label="measured",
        xerr=np.nan_to_num(whiskers),
        error_kw={"elinewidth": 0.8, "capsize": 1.6, "capthick": 0.8},
    )
    for index, machine in enumerate(ladder.machines):
        axis.scatter(
            stages[f"published: {machine}"],
            places + 0.18 * (index - (len(ladder.machines) - 1) / 2),
            s=13,
            marker=style.MARKERS[index + 1],
            color=style.COLOURS[(index + 1) % 8],
            edgecolor="white",
            linewidth=0.3,
            zorder=4,
            label=f"published, {machine}{_other_problem(ladder, machine, style.power)}",
        )
    for label, value in ladder.libraries.items():
        colour, line, _ = style.LIBRARY[label.split()[0].lower()]
        axis.axvline(value, color=colour, linestyle=line, linewidth=0.8, label=label)
    axis.set_yticks(places, [short.split("/", 1)[1] for short in stages["short"]])
    axis.invert_yaxis()
    axis.set_ylim(len(stages) - 0.45, -0.55)
    _steps(axis, stages, places)
    style.grid(axis, "x")
    style.legend_above(figure, axis, first="measured")
    return Drawn(figure, _data(ladder), table(ladder))


def _other_problem(ladder: Ladder, machine: str, power: Callable[[int], str]) -> str:
    """', int32, n = ...' where a machine's figures are of another type or size than ours."""
    size = published.size_of(ladder.stages["published"], machine, ladder.n)
    found = [published.figure_of(figures, machine, size) for figures in ladder.stages["published"]]
    figure = next((figure for figure in found if figure is not None), {})
    words = ""
    if figure.get("type", ladder.stages["type"].iloc[0]) != ladder.stages["type"].iloc[0]:
        words += f", {figure['type']}"
    if figure.get("n", ladder.n) != ladder.n:
        words += f", n = {power(figure['n'])}"
    return words


def _value_axis(figure: Figure, axis: Axes, ladder: Ladder) -> bool:
    values = [
        *ladder.stages["speed_up"],
        *ladder.libraries.values(),
        *(
            value
            for machine in ladder.machines
            for value in ladder.stages[f"published: {machine}"]
            if math.isfinite(value)
        ),
    ]
    scale = ""
    if max(values) > 30:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_xlim(min(0.8, 0.8 * min(values)), max(values) * 6)
        scale = ", log axis"
    else:
        axis.set_xlim(0, max(values) * 1.22)
    # Under the whole picture: long names of stages leave the axis too little room for it.
    first = ladder.stages["short"].iloc[0].split("/", 1)[1]
    figure.supxlabel(f"speed-up over {first} (n = {style.power(ladder.n)}{scale})", fontsize=7)
    return bool(scale)


def _steps(axis: Axes, stages: pd.DataFrame, places: np.ndarray) -> None:
    """The gain over the stage before, written in a column at the right edge."""
    axis.annotate(
        "over stage before",
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(0, 1),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=5.8,
        color="#555555",
    )
    for place, step in zip(places, stages["step"], strict=True):
        text = f"×{units.ratio(step)}" if math.isfinite(step) else ""
        axis.annotate(
            text,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=5.8,
            color="#333333",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8},
        )


def _data(ladder: Ladder) -> pd.DataFrame:
    stages = ladder.stages
    speed_ups = [column for column in stages.columns if column.startswith("published: ")]
    data = stages[
        [
            "short",
            "stage",
            "n",
            "tuning",
            "median",
            "low",
            "high",
            "speed_up",
            "low_speed_up",
            "high_speed_up",
            "step",
            *speed_ups,
        ]
    ]
    data = data.rename(
        columns={
            "short": "entry",
            "median": "median_seconds",
            "low": "low_seconds",
            "high": "high_seconds",
            "step": "speed_up_over_stage_before",
        }
    )
    for label, value in ladder.libraries.items():
        data = data.assign(**{f"{label} speed_up": value})
    return data


def table(ladder: Ladder) -> pd.DataFrame:
    """The ladder as texts: stage, time, gain over the stage before and the first, ratio to the libraries,
    published figures.
    """
    stages = ladder.stages
    columns = {
        "stage": [short.split("/", 1)[1] for short in stages["short"]],
        "time (µs)": stages["median"].map(units.microseconds).to_list(),
        "over stage before": [
            f"{units.ratio(step)}×" if math.isfinite(step) else "–" for step in stages["step"]
        ],
        "over first": [f"{units.ratio(value)}×" for value in stages["speed_up"]],
    }
    for label, value in ladder.libraries.items():
        columns[f"next to {label}"] = [f"{units.ratio(speed / value)}×" for speed in stages["speed_up"]]
    for machine in ladder.machines:
        heading = f"published, {machine}{_other_problem(ladder, machine, units.size)}"
        columns[heading] = [text or "–" for text in stages[f"published figure: {machine}"]]
    return pd.DataFrame(columns)
