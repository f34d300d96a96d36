"""Several kinds of GPU side by side: time against size, for the entries that all of them ran."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from analysis import units
from analysis.figures import style
from analysis.figures.bandwidth import draw_line
from analysis.figures.model import Drawn, Group, Plan, best_tunings, main_groups, pivot_text, representatives


def plans(cells: pd.DataFrame) -> Iterator[Plan]:
    timed = cells[(cells["gpu"] != "") & cells["median"].notna()]
    if timed["gpu"].nunique() < 2:
        return
    # One group over all GPUs: the choice of knobs, type, cache and clock is made on what the cards have
    # together.
    for group in main_groups(timed.assign(gpu="")):
        shared = group.cells.assign(gpu=timed.loc[_places(timed, group.cells), "gpu"].to_numpy())
        if shared["gpu"].nunique() > 1:
            yield Plan(
                f"gpus_{group.stem}", f"Time on several GPUs: {group.caption}", partial(_draw, group, shared)
            )


def _places(timed: pd.DataFrame, chosen: pd.DataFrame) -> pd.Index:
    keys = ["source", "name"]
    order = timed.reset_index().drop_duplicates([*keys, "gpu"])
    wanted = set(map(tuple, chosen[keys].to_numpy()))
    return pd.Index(order.loc[[tuple(key) in wanted for key in order[keys].to_numpy()], "index"])


def _draw(group: Group, cells: pd.DataFrame) -> Drawn:
    gpus = list(dict.fromkeys(cells["gpu"]))
    shown = representatives(group, most_variants=2)[:4]
    figure, (axis,) = style.new_figure(2.9)
    lines, pieces = ("-", "--", ":", "-."), []
    for place, gpu in enumerate(gpus):
        best = best_tunings(cells[cells["gpu"] == gpu])
        for index, entry in enumerate(shown):
            line = best[best["entry"] == entry]
            if line.empty:
                continue
            short = line["short"].iloc[0]
            look = style.Look(
                style.COLOURS[index],
                lines[place % 4],
                style.MARKERS[place % 8],
                f"{short}, {gpu.removeprefix('NVIDIA ')}",
            )
            draw_line(axis, line["n"], line["median"] * 1e6, line["low"] * 1e6, line["high"] * 1e6, look)
            pieces.append(
                pd.DataFrame(
                    {
                        "gpu": gpu,
                        "entry": short,
                        "n": line["n"],
                        "tuning": line["tuning"],
                        "median_seconds": line["median"],
                        "low_seconds": line["low"],
                        "high_seconds": line["high"],
                    }
                )
            )
    style.size_axis(axis, sorted(cells["n"].unique()))
    style.log_value_axis(axis)
    style.grid(axis)
    axis.set_ylabel("time (µs, log axis)")
    style.legend_above(figure, axis)
    data = pd.concat(pieces, ignore_index=True)
    table = pivot_text(
        data.assign(entry=data["entry"] + ", " + data["gpu"]), "median_seconds", units.microseconds
    )
    return Drawn(figure, data, table)
