"""Tables with a line an entry."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from analysis import units
from analysis.counter_names import in_words
from analysis.errors import UserError
from analysis.figures import ladder, published, style
from analysis.figures.heatmaps import ratios_to
from analysis.figures.model import Group
from analysis.tables.choice import COLUMNS, fastest, named, one_kind, values_of

MISSING = "–"
_LIBRARIES = ("cub", "thrust", "cublas", "cufft")
_USUAL = ("time", "interval", "bandwidth", "fraction", "cub", "thrust", "ulp")
_TEXTS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "time": ("µs", lambda cell: units.microseconds(cell.median)),
    "bandwidth": ("GB/s", lambda cell: units.digits(cell.bandwidth / 1e9)),
    "fraction": ("of ceiling", lambda cell: units.percent(cell.fraction)),
    "error": ("|error|/(u·Σ|terms|)", lambda cell: units.digits(cell.error)),
    "ulp": ("ulp", lambda cell: units.digits(cell.ulp)),
    "distinct": (
        "distinct answers",
        lambda cell: (
            f"{cell.distinct:.0f} of {cell.launches:.0f}" if math.isfinite(cell.distinct) else MISSING
        ),
    ),
    "interval": (
        "95% interval",
        lambda cell: (
            f"{units.microseconds(cell.low)} – {units.microseconds(cell.high)}"
            if math.isfinite(cell.low)
            else MISSING
        ),
    ),
}


def of_ladder(chosen: pd.DataFrame, series: str) -> pd.DataFrame:
    """A series in teaching order; see analysis.figures.ladder."""
    group = one_kind(chosen)
    sizes = group.cells["n"].unique()
    built = ladder.build(group, series, int(sizes[0]) if len(sizes) == 1 else None)
    if built is None:
        raise UserError(
            f"series {series} has no two timed stages of one size; there is "
            f"{', '.join(ladder.series_of(group))}"
        )
    made = ladder.table(built)
    return made.rename(columns={"time (µs)": f"time (µs), n = {units.size(built.n)}"})


def by_entry(chosen: pd.DataFrame, whole: pd.DataFrame, attributes: dict[str, str]) -> pd.DataFrame:
    """A line an entry, a column a quantity, at one n."""
    group, every = one_kind(chosen), one_kind(whole)
    best = fastest(group.cells)
    if not best["timed"].any():
        return _counts(best)
    asked = attributes.get("columns")
    columns: dict[str, list[str]] = {"entry": [named(cell) for cell in best.itertuples()]}
    for name in asked.split(",") if asked else _USUAL:
        if name in _LIBRARIES:
            ratios = _ratios(every, name)
            if ratios or asked:
                columns[f"{style.LIBRARY_NAMES[name]}'s time / time"] = [
                    units.ratio(ratios.get((cell.short, cell.n), math.nan)) for cell in best.itertuples()
                ]
        elif name == "published":
            columns |= {f"published, {machine}": texts for machine, texts in _published(best).items()}
        elif name in _TEXTS:
            title, text = _TEXTS[name]
            if name == "time":
                title = f"time (µs), n = {units.size(int(best['n'].iloc[0]))}"
            columns[title] = [text(cell) for cell in best.itertuples()]
        else:
            raise UserError(
                f"columns={name} is not known; there is {', '.join([*_TEXTS, *_LIBRARIES, 'published'])}"
            )
    return pd.DataFrame(columns)


def by_column(
    chosen: pd.DataFrame, whole: pd.DataFrame, across: str, attributes: dict[str, str]
) -> pd.DataFrame:
    """A line an entry, a column each value of `across`; a dash where an entry has no such cell."""
    values = attributes.get("value", "time").split(",")
    against = attributes.get("against", "cub")
    if against not in _LIBRARIES:
        raise UserError(f"against={against} is not known; there is {', '.join(_LIBRARIES)}")
    if unknown := [name for name in values if not _is_value(name)]:
        raise UserError(f"value={unknown[0]} is not known; there is {', '.join(_TEXTS)}, ratio, counter:NAME")
    found, found_of_whole = values_of(chosen, across), values_of(whole, across)
    if not any(found):
        raise UserError(f"across={across}: no cell has such a knob")
    order = (
        attributes[across].split(",")
        if across in attributes and across != "n"
        else list(dict.fromkeys(found))
    )
    if across == "n":
        order.sort(key=int)
    # Other entries may stand in other columns: variants first all the same.
    lines: dict[str, dict[str, str]] = {
        named(cell): {} for cell in chosen.sort_values("kind", ascending=False, kind="stable").itertuples()
    }
    titles: list[str] = []
    compared = False
    for value in order:
        if value not in found:
            raise UserError(f"across={across}: no cell has {value}")
        group = one_kind(chosen[[text == value for text in found]])
        if group.cells["n"].nunique() > 1:
            raise UserError(f"across={across}: its columns hold one n each: choose it, such as n=2^20")
        best = fastest(group.cells)
        ratios = _ratios(one_kind(whole[[text == value for text in found_of_whole]]), against)
        compared = compared or bool(ratios)
        title = _title(across, value)
        titles.append(title)
        for cell in best.itertuples():
            lines[named(cell)][title] = _cell(cell, values, ratios)
        if attributes.get("published") == "yes":
            for machine, texts in _published(best).items():
                titles.append(f"{title}, published, {machine}")
                for cell, text in zip(best.itertuples(), texts, strict=True):
                    lines[named(cell)][titles[-1]] = text
    if "ratio" in values and not compared:
        raise UserError(f"no like-for-like entry of {against} to be compared with")
    heading = "; ".join(_heading(name, against) for name in values)
    return pd.DataFrame(
        {
            f"entry ({heading})": list(lines),
            **{title: [line.get(title, MISSING) for line in lines.values()] for title in titles},
        }
    )


def _title(across: str, value: str) -> str:
    if across == "n":
        return units.size(int(value))
    # A number says nothing without the knob's name; a word does.
    named_too = across not in COLUMNS and re.fullmatch(r"[-\d.]+", value)
    return f"{across} {value}".replace("_", " ") if named_too else value.replace("_", " ")


def _is_value(name: str) -> bool:
    return name in _TEXTS or name == "ratio" or name.startswith("counter:")


def _heading(name: str, against: str) -> str:
    if name == "ratio":
        return f"{style.LIBRARY_NAMES[against]}'s time / time"
    return _TEXTS[name][0] if name in _TEXTS else in_words(name.removeprefix("counter:"))


def _cell(cell: Any, values: list[str], ratios: dict[tuple[str, int], float]) -> str:
    """'84.3', or of two values '84.3 (1.12)'."""
    texts = []
    for name in values:
        if name == "ratio":
            texts.append(units.ratio(ratios.get((cell.short, cell.n), math.nan)))
        elif name in _TEXTS:
            texts.append(_TEXTS[name][1](cell))
        else:
            count = cell.counters.get(name.removeprefix("counter:"), math.nan)
            texts.append(units.digits(float(count), 4))
    first, others = texts[0], [text for text in texts[1:] if text != MISSING]
    return f"{first} ({', '.join(others)})" if others else first


def _ratios(group: Group, library: str) -> dict[tuple[str, int], float]:
    """(entry without its family, n) -> the library's time / the entry's."""
    known = ratios_to(group, library)
    return {(line.entry, line.n): line.ratio for line in known.itertuples()}


def _published(best: pd.DataFrame) -> dict[str, list[str]]:
    """Machine -> its figure for each cell, of the cell's type and n; machines without any are left out."""
    machines = dict.fromkeys(figure["machine"] for figures in best["published"] for figure in figures)
    texts = {
        machine: [
            published.in_words(
                [
                    figure
                    for figure in cell.published
                    if (figure["machine"], figure["type"], figure["n"]) == (machine, cell.type, cell.n)
                ]
            )
            or MISSING
            for cell in best.itertuples()
        ]
        for machine in machines
    }
    return {machine: column for machine, column in texts.items() if set(column) != {MISSING}}


def _counts(best: pd.DataFrame) -> pd.DataFrame:
    names = list(dict.fromkeys(name for counters in best["counters"] for name in counters))
    return pd.DataFrame(
        {
            "entry": [named(cell) for cell in best.itertuples()],
            **{
                in_words(name): [
                    units.digits(float(counters[name]), 4) if name in counters else MISSING
                    for counters in best["counters"]
                ]
                for name in names
            },
        }
    )
