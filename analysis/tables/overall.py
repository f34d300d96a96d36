"""One entry against the fastest of its baselines, over all sizes: the geometric mean and the worst size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis import units
from analysis.errors import UserError
from analysis.load import Results, cells, rows_of
from analysis.tables.choice import filtered


def overall(inputs: Sequence[Results], attributes: dict[str, str]) -> pd.DataFrame:
    """A line for each combination of knobs and each type of `overall`'s cells; for each cache and clock the
    geometric mean of the fastest baseline's time over the entry's, and the smallest ratio with its interval.

    `against` keeps the baselines of some libraries, e.g. cub,cublas (default: all that the entry was compared
    with).
    """
    entry = attributes["overall"]
    chosen = {key: value for key, value in attributes.items() if key not in ("overall", "against")}
    table = filtered(cells(rows_of(inputs)), {**chosen, "entries": entry}, preferences={})
    libraries = attributes["against"].split(",") if "against" in attributes else None
    compared = [_fastest(cell.ratios, libraries) for cell in table.itertuples()]
    table = table.assign(compared=compared)[[one is not None for one in compared]]
    if table.empty:
        raise UserError(f"{entry} was compared with no baseline" + (f" of {libraries}" if libraries else ""))
    several_knobs = table["knobs"].nunique() > 1
    varying = [key for key in ("cache", "clock") if table[key].nunique() > 1]
    lines = []
    for (knobs, kind), cells_of_line in table.groupby(["knobs", "type"], sort=False):
        sizes = cells_of_line["n"].nunique()
        line = {"of": f"{knobs}, {kind}" if several_knobs else kind, "sizes": str(sizes)}
        for state_of_cells, same in cells_of_line.groupby(["cache", "clock"], sort=False):
            of_state = dict(zip(("cache", "clock"), state_of_cells, strict=True))
            state = f"{', '.join(of_state[key] for key in varying)}: " if varying else ""
            values = np.array([one["value"] for one in same["compared"]])
            worst = same.iloc[int(values.argmin())]
            low, high = worst["compared"]["ci"]
            line[f"{state}geometric mean"] = f"**{np.exp(np.log(values).mean()):.3f}**"
            line[f"{state}smallest"] = f"{values.min():.3f} ({low:.3f} – {high:.3f})"
            line[f"{state}at n"] = units.size(int(worst["n"]))
        lines.append(line)
    return pd.DataFrame(lines)


def _fastest(ratios: dict[str, Any], libraries: list[str] | None) -> dict[str, Any] | None:
    """The ratio to the baseline that took least."""
    found = [ratio for name, ratio in ratios.items() if libraries is None or name.split("/")[1] in libraries]
    return min(found, key=lambda ratio: ratio["value"], default=None)
