"""Which cells a table shows."""

from __future__ import annotations

import fnmatch
import math
from typing import Any

import pandas as pd

from analysis import units
from analysis.errors import UserError
from analysis.figures.model import GROUP, Group

OWN = {
    "file",
    "n",
    "entries",
    "ladder",
    "value",
    "against",
    "across",
    "columns",
    "published",
    "agreement",
    "spread",
    "between",
    "split",
    "within",
    "ceilings",
    "overall",
}
COLUMNS = {"family", "type", "cache", "clock", "device", "gpu_index"}
PREFERRED = {"type": "float32", "cache": "cold", "clock": "device"}


def filtered(
    table: pd.DataFrame, attributes: dict[str, str], preferences: dict[str, str] = PREFERRED
) -> pd.DataFrame:
    """The cells that a marker's attributes keep; UserError where one keeps nothing. Of what is not asked for,
    the preferences are kept where the cells have them.
    """
    across = attributes.get("across")
    for key, value in attributes.items():
        if key in OWN:
            continue
        wanted = value.split(",") if key == across else [value]
        values = values_of(table, key)
        kept = table[[text in wanted for text in values]]
        if missing := [word for word in wanted if word not in set(values)]:
            known = ", ".join(dict.fromkeys(text for text in values if text)) or "no such knob"
            raise UserError(f"no cell has {key}={missing[0]}; there is {known}")
        table = kept
    for key, preferred in preferences.items():
        if key not in attributes and key != across and preferred in set(table[key]):
            table = table[table[key] == preferred]
    if "n" in attributes:
        sizes = [_size(text) for text in attributes["n"].split(",")]
        if absent := [size for size in sizes if size not in set(table["n"])]:
            raise UserError(
                f"no cell has n={absent[0]}; there is "
                f"{', '.join(units.size(int(n)) for n in sorted(set(table['n'])))}"
            )
        table = table[table["n"].isin(sizes)]
    if "entries" in attributes:
        globs = attributes["entries"].split(",")
        for glob in globs:
            if not any(fnmatch.fnmatch(entry, glob) for entry in table["entry"]):
                raise UserError(f"no entry matches '{glob}'")
        table = table[[any(fnmatch.fnmatch(entry, glob) for glob in globs) for entry in table["entry"]]]
    if table.empty:
        raise UserError("no cell is left by its filter")
    return table.reset_index(drop=True)


def values_of(table: pd.DataFrame, key: str) -> list[str]:
    """A column's or a knob's values as texts, cell by cell; '' where a cell has no such knob."""
    if key == "n" or key in COLUMNS:
        return [str(value) for value in table[key]]
    return [_text(knobs[key]) if key in knobs else "" for knobs in table["knob_values"]]


def one_kind(table: pd.DataFrame) -> Group:
    """The cells as one group; UserError that names what they differ in where they may not be compared."""
    keys = [key for key in GROUP if table[key].nunique() > 1]
    if keys:
        found = ", ".join(f"{key} {' | '.join(map(str, dict.fromkeys(table[key])))}" for key in keys)
        raise UserError(f"its cells are not of one kind: choose one of {found}")
    return Group.of([str(table[key].iloc[0]) for key in GROUP], table)


def fastest(table: pd.DataFrame) -> pd.DataFrame:
    """Each entry's fastest tuning at each n; where nothing is timed, each entry's first row."""
    ranked = table.assign(rank=table["median"].fillna(math.inf))
    return table.loc[ranked.groupby(["entry", "n"], sort=False)["rank"].idxmin()]


def named(cell: Any) -> str:
    """A cell's entry as the tables write it; says so where its clock saw more than the others'."""
    return f"`{cell.short}`" + ("" if cell.like_for_like else " (not like for like)")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _size(text: str) -> int:
    try:
        return 2 ** int(text[2:]) if text.startswith("2^") else int(text)
    except ValueError as error:
        raise UserError(f"n={text} is not a size; write 1024 or 2^10") from error
