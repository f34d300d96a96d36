"""Tables about runs as a whole: do two of them agree, and what could their machine do."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import units
from analysis.errors import UserError
from analysis.load import Results, cells
from analysis.tables.choice import filtered

_CEILINGS = {
    "launch_floor_cold": ("launch floor, one call (µs)", 1e-6),
    "launch_floor_batched": ("launch floor, in batches (µs)", 1e-6),
    "launch_floor_end_to_end": ("launch floor, to an answer in host memory (µs)", 1e-6),
    "hbm_read": ("memory read (GB/s)", 1e9),
    "hbm_copy": ("memory copy, bytes both ways (GB/s)", 1e9),
}


def agreement(inputs: Sequence[Results], attributes: dict[str, str]) -> pd.DataFrame:
    """Two runs of one config: how far apart the medians of a cell are, for short cells and long ones.

    `split` (default 10us) parts them by the first run's median; `within` lists the bounds (default 1%,3%).
    """
    split = _seconds(attributes.get("split", "10us"))
    bounds = _bounds(attributes)
    both = _pairs(inputs, attributes)
    apart = _apart(both)
    overlap = (both["low_of_first"] <= both["high_of_second"]) & (
        both["low_of_second"] <= both["high_of_first"]
    )
    short = both["median_of_first"] < split
    lines = []
    for name, chosen in (
        (f"shorter than {units.seconds(split)}", short),
        (f"{units.seconds(split)} or longer", ~short),
        ("all", short | ~short),
    ):
        if chosen.any():
            lines.append(
                {
                    "cells": name,
                    "count": str(int(chosen.sum())),
                    "median difference": _percent(float(apart[chosen].median())),
                    **_shares_within(apart[chosen], bounds),
                    "largest": _percent(float(apart[chosen].max())),
                    "intervals overlap": units.percent(float(overlap[chosen].mean())),
                }
            )
    return pd.DataFrame(lines)


def spread(inputs: Sequence[Results], attributes: dict[str, str]) -> pd.DataFrame:
    """Several runs of one config, each of a kind that `spread` names: how far apart the medians of a cell
    are, over all pairs of runs of the same kinds.
    """
    kinds = attributes["spread"].split(",")
    if len(kinds) != len(inputs):
        raise UserError(f"spread={attributes['spread']}: {len(kinds)} names for {len(inputs)} files")
    bounds = _bounds(attributes)
    pooled: dict[tuple[str, str], list[pd.Series]] = {}
    for first, second in itertools.combinations(range(len(inputs)), 2):
        both = _pairs([inputs[first], inputs[second]], attributes)
        pooled.setdefault((kinds[first], kinds[second]), []).append(_apart(both))
    lines = []
    for (one, other), pairs in pooled.items():
        apart = pd.concat(pairs)
        lines.append(
            {
                "runs": f"{one}, {other}",
                "pairs": str(len(pairs)),
                "median difference": _percent(float(apart.median())),
                **_shares_within(apart, bounds),
            }
        )
    return pd.DataFrame(lines)


def between(inputs: Sequence[Results], attributes: dict[str, str]) -> pd.DataFrame:
    """Two runs that differ in one thing, named by `between`: by size, the second's times / the first's."""
    names = attributes["between"].split(",")
    if len(names) != 2:
        raise UserError(
            f"between={attributes['between']}: it needs two names, such as between=reading,writing"
        )
    both = _pairs(inputs, attributes)
    both = both.assign(ratio=both["median_of_second"] / both["median_of_first"])
    lines = []
    for n, at_n in both.groupby("n"):
        low, middle, high = np.quantile(at_n["ratio"], [0.1, 0.5, 0.9])
        lines.append(
            {
                "n": units.size(int(n)),
                "cells": str(len(at_n)),
                f"{names[0]} (µs), median": units.microseconds(float(at_n["median_of_first"].median())),
                f"{names[1]} (µs), median": units.microseconds(float(at_n["median_of_second"].median())),
                f"{names[1]} / {names[0]}, median": f"{middle:.3f}",
                "middle 80 %": f"{low:.3f} – {high:.3f}",
            }
        )
    return pd.DataFrame(lines)


def ceilings(inputs: Sequence[Results]) -> pd.DataFrame:
    """What the machine can do at best, over the runs that measured it."""
    gpus = dict.fromkeys(results.fact("gpu") for results in inputs)
    if len(gpus) > 1:
        raise UserError(f"ceilings of several GPUs do not go into one table: {', '.join(gpus)}")
    measured: dict[str, list[float]] = {}
    for results in inputs:
        known = results.tally.get("ceilings", {})
        for key, (title, unit) in _CEILINGS.items():
            if key in known:
                measured.setdefault(title, []).append(known[key] / unit)
        for step in known.get("l2_read", []):
            title = f"L2 read of {step['bytes'] / 2**20:g} MiB (GB/s)"
            measured.setdefault(title, []).append(step["rate"] / 1e9)
    if not measured:
        raise UserError("none of the files has ceilings: they are measured on a GPU only")
    return pd.DataFrame(
        [
            {
                "ceiling": title,
                "median": units.digits(float(np.median(values)), 4),
                "lowest": units.digits(min(values), 4),
                "highest": units.digits(max(values), 4),
                "runs": str(len(values)),
            }
            for title, values in measured.items()
        ]
    )


def _pairs(inputs: Sequence[Results], attributes: dict[str, str]) -> pd.DataFrame:
    """The timed cells that both files have, side by side."""
    if len(inputs) != 2:
        raise UserError(f"it compares two files, not {len(inputs)}: file=FIRST.json,SECOND.json")
    sides = []
    for results in inputs:
        timed = cells(results.rows)
        timed = timed[timed["median"].notna()]
        # No default for type, cache or clock: all that both runs have is compared unless a marker chooses.
        chosen = {key: value for key, value in attributes.items() if key != "file"}
        sides.append(filtered(timed, chosen, preferences={}).set_index("name"))
    first, second = sides
    both = first[["n", "median", "low", "high"]].merge(
        second[["median", "low", "high"]],
        left_index=True,
        right_index=True,
        suffixes=("_of_first", "_of_second"),
    )
    if both.empty:
        raise UserError("the two files have no timed cell in common")
    return both


def _apart(both: pd.DataFrame) -> pd.Series:
    """By how much the longer median of each cell is above the shorter."""
    return np.exp(np.abs(np.log(both["median_of_second"] / both["median_of_first"]))) - 1


def _shares_within(apart: pd.Series, bounds: list[float]) -> dict[str, str]:
    return {f"within {100 * bound:g} %": units.percent(float((apart <= bound).mean())) for bound in bounds}


def _bounds(attributes: dict[str, str]) -> list[float]:
    return [_share(text) for text in attributes.get("within", "1%,3%").split(",")]


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _share(text: str) -> float:
    try:
        return float(text.removesuffix("%")) / 100
    except ValueError as error:
        raise UserError(f"within={text} is not a percentage; write 1%,3%") from error


def _seconds(text: str) -> float:
    try:
        return float(text.removesuffix("us")) * 1e-6
    except ValueError as error:
        raise UserError(f"split={text} is not a time; write 10us") from error
