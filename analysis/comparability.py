"""May two results files be compared at all? Other GPU, driver, CUDA, config; rows that one of them lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.load import Results

KINDS = ("gpu", "driver", "cuda", "cccl", "host", "config", "missing", "new", "counters")


@dataclass(frozen=True)
class Obstacle:
    """One reason not to compare, of one of KINDS; `allowed` if `--allow` names its kind."""

    kind: str
    text: str
    allowed: bool


def obstacles(base: Results, new: Results, allow: frozenset[str], with_times: bool) -> list[Obstacle]:
    """Every obstacle between two files, allowed ones too, since they must be said."""
    found = []

    def add(kind: str, text: str) -> None:
        found.append(Obstacle(kind, text, kind in allow))

    devices = set(base.rows["device"]) | set(new.rows["device"])
    if with_times:
        names = (
            {"gpu": "GPU", "driver": "driver", "cuda": "CUDA", "cccl": "CCCL"} if "cuda" in devices else {}
        )
        for kind, name in names.items():
            if base.fact(kind) != new.fact(kind):
                add(
                    kind,
                    f"other {name}: {_or_unknown(base.fact(kind))} in base, "
                    f"{_or_unknown(new.fact(kind))} in new",
                )
        hosts = base.context.get("host_name", ""), new.context.get("host_name", "")
        if "host" in devices and hosts[0] != hosts[1]:
            add("host", f"other host: {hosts[0]} in base, {hosts[1]} in new, and rows timed on the CPU")
    if base.tally["config_hash"] != new.tally["config_hash"]:
        add("config", "other config: " + _config_difference(base, new))
    for kind, lacking in (("missing", _only_in(base.rows, new.rows)), ("new", _only_in(new.rows, base.rows))):
        if lacking:
            side = "new" if kind == "missing" else "base"
            add(
                kind,
                f"{len(lacking)} {_plural(len(lacking), 'row')} not in {side}: "
                f"{_some(lacking, _reasons(new if side == 'new' else base))}",
            )
    return found


def _only_in(rows: pd.DataFrame, other: pd.DataFrame) -> list[str]:
    present = set(other["name"])
    return [name for name in dict.fromkeys(rows["name"]) if name not in present]


def _reasons(results: Results) -> dict[str, str]:
    return {
        failure["cell"]: f"{failure['status']}: {failure.get('reason', 'no reason given')}"
        for failure in results.failures
    }


def _some(names: list[str], reasons: dict[str, str], most: int = 5) -> str:
    listed = [f"{name} ({reasons[name]})" if name in reasons else name for name in names[:most]]
    return ", ".join(listed) + (f" and {len(names) - most} more" if len(names) > most else "")


def _config_difference(base: Results, new: Results) -> str:
    before, after = base.tally.get("config", {}), new.tally.get("config", {})
    places = _differences(before, after, "")
    return (
        f"they differ at {', '.join(places[:4])}"
        + (f" and {len(places) - 4} places more" if len(places) > 4 else "")
        if places
        else f"config_hash {base.tally['config_hash']} in base, {new.tally['config_hash']} in new"
    )


def _differences(before: Any, after: Any, place: str) -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        keys = dict.fromkeys([*before, *after])
        return [
            found for key in keys for found in _differences(before.get(key), after.get(key), f"{place}/{key}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [
            found for index, (one, other) in pairs for found in _differences(one, other, f"{place}/{index}")
        ]
    return [] if before == after else [place or "/"]


def _or_unknown(text: str) -> str:
    return text or "(not known)"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else word + "s"
