"""Time against a numeric knob of the family (taps, duplicates) at the largest n that has most of its
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from analysis import units
from analysis.figures import style
from analysis.figures.bandwidth import draw_line
from analysis.figures.model import GROUP, Drawn, Group, Plan, best_tunings, representatives, slug


def plans(cells: pd.DataFrame) -> Iterator[Plan]:
    timed = cells[cells["median"].notna()]
    for key, family in timed.groupby([name for name in GROUP if name != "knobs"], sort=False):
        gpu, device, name, type_name, cache, clock = key
        for knob in _numeric_knobs(family):
            values = family["knob_values"].map(lambda knobs, knob=knob: knobs.get(knob))
            others = family["knob_values"].map(
                lambda knobs, knob=knob: str({key: knobs[key] for key in knobs if key != knob})
            )
            with_knob = family.assign(value=values, others=others)[values.notna()]
            with_knob = with_knob[with_knob["others"] == with_knob["others"].mode().iloc[0]]
            counts = with_knob.groupby("n")["value"].nunique()
            if counts.max() < 3:
                continue
            n = int(counts[counts == counts.max()].index.max())
            at_n = with_knob[with_knob["n"] == n]
            group = Group(
                gpu,
                device,
                name,
                f"n:{n}",
                type_name,
                cache,
                clock,
                at_n.assign(n=at_n["value"].astype(float)).reset_index(drop=True),
            )
            yield Plan(
                f"{slug(knob)}_{group.stem}",
                f"Time against {knob}: {group.caption}",
                partial(_draw, group, knob, n),
            )


def _numeric_knobs(cells: pd.DataFrame) -> list[str]:
    values: dict[str, set[object]] = {}
    for knobs in cells["knob_values"]:
        for knob, value in knobs.items():
            values.setdefault(knob, set()).add(str(value) if isinstance(value, list) else value)
    return [
        knob
        for knob, found in values.items()
        if len(found) > 2
        and all(
            isinstance(value, int | float) and not isinstance(value, bool) and value > 0 for value in found
        )
    ]


def _draw(group: Group, knob: str, n: int) -> Drawn:
    cells = best_tunings(group.cells)
    shown = representatives(group)
    figure, (axis,) = style.new_figure(2.7)
    looks = style.Looks()
    for entry in shown:
        line = cells[cells["entry"] == entry]
        draw_line(
            axis,
            line["n"],
            line["median"] * 1e6,
            line["low"] * 1e6,
            line["high"] * 1e6,
            looks.of(line["short"].iloc[0], like_for_like=bool(line["like_for_like"].all())),
        )
    style.size_axis(axis, sorted(cells["n"].unique()), f"{knob} (log axis), n = {style.power(n)}")
    style.log_value_axis(axis)
    style.grid(axis)
    axis.set_ylabel("time (µs, log axis)")
    style.legend_above(figure, axis)
    chosen = cells[cells["entry"].isin(shown)]
    data = pd.DataFrame(
        {
            "entry": chosen["short"],
            knob: chosen["n"],
            "n": n,
            "tuning": chosen["tuning"],
            "median_seconds": chosen["median"],
            "low_seconds": chosen["low"],
            "high_seconds": chosen["high"],
        }
    ).sort_values(["entry", knob], kind="stable")
    wide = data.pivot_table(index="entry", columns=knob, values="median_seconds", sort=False)
    table = wide[sorted(wide.columns)].map(units.microseconds)
    table.columns = [f"{float(value):g}" for value in table.columns]
    return Drawn(figure, data, table.reset_index())
