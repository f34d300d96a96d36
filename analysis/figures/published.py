"""What a source published of a stage, beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from analysis import units


def in_words(figures: Sequence[dict[str, Any]]) -> str:
    """One machine's published figures of a stage: '640 M cycles, 9.3 MB/s'; '' where there are none."""
    return ", ".join(units.amount(figure["value"], figure["unit"]) for figure in figures)


def size_of(stages: Iterable[list[dict[str, Any]]], machine: str, n: int) -> Any:
    """The size at which a machine's figures of several stages stand beside ours: n, or else that of most."""
    sizes = [figure.get("n") for figures in stages for figure in figures if figure["machine"] == machine]
    return n if n in sizes else max(sizes, key=sizes.count, default=n)


def figure_of(figures: list[dict[str, Any]], machine: str, n: Any) -> dict[str, Any] | None:
    """A machine's figure for a stage at that size, or nothing."""
    own = (figure for figure in figures if figure["machine"] == machine and figure.get("n") == n)
    return next(own, None)


def alike(figures: list[dict[str, Any]], chosen: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The figures of the same machine, type and n as the chosen one: a stage may have a time and a rate."""
    keys = ("machine", "type", "n")
    return [
        figure for figure in figures if chosen and all(figure.get(key) == chosen.get(key) for key in keys)
    ]


_TIME = {
    "s": 1.0,
    "ms": 1e-3,
    "µs": 1e-6,
    "us": 1e-6,
    "ns": 1e-9,
    "cycles": 1.0,
    "K cycles": 1e3,
    "M cycles": 1e6,
}
_RATE = {"TB/s": 1e12, "GB/s": 1e9, "MB/s": 1e6}


def speed_up(first: dict[str, Any], figure: dict[str, Any] | None) -> float:
    """How much faster a published figure is than the first stage's, from times or from rates; NaN where type,
    n or kind of unit differ.
    """
    if figure is None or (first.get("n"), first.get("type")) != (figure.get("n"), figure.get("type")):
        return math.nan
    units_of = next(
        (table for table in (_TIME, _RATE) if first["unit"] in table and figure["unit"] in table), None
    )
    if units_of is None or not first["value"] or not figure["value"]:
        return math.nan
    gain = (figure["value"] * units_of[figure["unit"]]) / (first["value"] * units_of[first["unit"]])
    return gain if units_of is _RATE else 1 / gain
