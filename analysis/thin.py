"""A results file small enough to be committed: every row, and of its samples a few that stand for all.

The samples kept are evenly spaced ranks, the fastest and the slowest among them, in the order in which they
were taken. Between the extremes and their neighbours the distribution is lost; the rest of it, and with it
the median, is that of all. What summarises all samples (median, interval, noise, iterations) stays as it was
measured. `tally.thinned` says how many a row has at most.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

from analysis.load import Results


def thin(results: Results, most: int) -> dict[str, Any]:
    """The document with at most `most` (at least 3) samples a row."""
    document = copy.deepcopy(results.document)
    for row in document["benchmarks"]:
        cell = row["tally"]
        samples = cell.get("samples", [])
        if len(samples) <= most:
            continue
        # An odd number of ranks has the median among them.
        ranks = np.round(np.linspace(0, len(samples) - 1, most - (most + 1) % 2)).astype(int)
        kept = np.sort(np.argsort(samples, kind="stable")[ranks])
        cell["samples"] = [samples[place] for place in kept]
        if "rounds" in cell:
            cell["rounds"] = [cell["rounds"][place] for place in kept]
    document["tally"]["thinned"] = {"samples": most}
    return document


def as_text(document: dict[str, Any]) -> str:
    """JSON with a line a row, so that a change of one row is a change of one line."""
    parts = []
    for name, value in document.items():
        if name == "benchmarks":
            lines = ",\n".join(_compact(row) for row in value)
            parts.append(f'"benchmarks":[\n{lines}\n]')
        else:
            parts.append(f"{json.dumps(name)}:{_compact(value)}")
    return "{" + ",\n".join(parts) + "}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
