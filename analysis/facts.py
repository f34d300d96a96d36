"""Counters and static facts of two builds, compared exactly: they have no noise.

A counter that grew is worse, since counters count work, except those named here for which more is better
(active lanes, efficiencies) or which merely describe (shapes, code hashes). Counters that differ between
repetitions of one build, or that are clocks in disguise, are not exact: they are left out and named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

HIGHER_IS_BETTER = re.compile(r"lanes|efficiency|hit_rate|occupancy|active_threads")
DESCRIBES = re.compile(
    r"^(blocks|threads|launches?_shape)$|^static_shared$|shared_bytes|shared_mem|^registers$|^code_|^barriers$"
    r"|block_size|grid_size"
)
NOT_EXACT = re.compile(r"cycles|_time|seconds|_ns$|clock")
STATIC_WORSE = ("spill", "local_", "stack_bytes")


@dataclass(frozen=True)
class Change:
    """One counter or static fact that differs. verdict: 'worse', 'better' or 'changed' (neither good nor
    bad).
    """

    name: str
    fact: str
    base: Any
    new: Any
    verdict: str


@dataclass(frozen=True)
class Facts:
    """What the exact comparison found, and how much it looked at."""

    changes: list[Change]
    compared: int
    not_exact: list[str]
    on_one_side: list[str]


Kernels = list[dict[str, Any]]


def compare_facts(
    base: pd.DataFrame,
    new: pd.DataFrame,
    base_kernels: Kernels | None = None,
    new_kernels: Kernels | None = None,
) -> Facts:
    """Compare the facts of the cells that both tables of rows have, and of the kernels (`tally.static_facts`)
    that both builds have.
    """
    before, after = _facts_by_cell(base), _facts_by_cell(new)
    base_kernels, new_kernels = base_kernels or [], new_kernels or []
    both = {_place(kernel) for kernel in base_kernels} & {_place(kernel) for kernel in new_kernels}
    before |= _facts_by_file(base_kernels, both)
    after |= _facts_by_file(new_kernels, both)
    changes: list[Change] = []
    not_exact: set[str] = set()
    on_one_side: list[str] = []
    compared = 0
    for name in (cell for cell in before if cell in after):
        old, now = before[name], after[name]
        if bool(old) != bool(now):
            on_one_side.append(name)
            continue
        for fact in dict.fromkeys([*old, *now]):
            values, others = old.get(fact, [None]), now.get(fact, [None])
            plain = fact.rsplit(": ", 1)[-1]
            if NOT_EXACT.search(plain) or len(set(values)) > 1 or len(set(others)) > 1:
                not_exact.add(fact)
                continue
            compared += 1
            if values[0] != others[0]:
                changes.append(Change(name, fact, values[0], others[0], _verdict(fact, values[0], others[0])))
    return Facts(changes, compared, sorted(not_exact), on_one_side)


def _facts_by_cell(rows: pd.DataFrame) -> dict[str, dict[str, list[Any]]]:
    """Cell -> fact -> its distinct values over the repetitions. A static fact's name is 'kernel: fact'."""
    found: dict[str, dict[str, list[Any]]] = {}
    for name, counters, static in zip(rows["name"], rows["counters"], rows["static"], strict=True):
        cell = found.setdefault(name, {})
        facts = dict(counters) | {
            f"{kernel}: {fact}": value
            for kernel, of_kernel in static.items()
            for fact, value in of_kernel.items()
        }
        for fact, value in facts.items():
            values = cell.setdefault(fact, [])
            if value not in values:
                values.append(value)
    return found


Place = tuple[str, str, int]


def _place(kernel: dict[str, Any]) -> Place:
    return kernel["file"], kernel["kernel"], kernel["architecture"]


def _facts_by_file(kernels: Kernels, which: set[Place]) -> dict[str, dict[str, list[Any]]]:
    """'file sm_90' -> 'kernel: fact' -> its values."""
    found: dict[str, dict[str, list[Any]]] = {}
    for kernel in (one for one in kernels if _place(one) in which):
        file, name, architecture = _place(kernel)
        of_file = found.setdefault(f"{file} sm_{architecture}", {})
        for fact in (key for key in kernel if key not in ("file", "kernel", "architecture")):
            of_file.setdefault(f"{name}: {fact}", []).append(kernel[fact])
    return found


def _verdict(fact: str, base: Any, new: Any) -> str:
    kernel, _, plain = fact.rpartition(": ")
    if kernel and not plain.startswith(STATIC_WORSE):
        return "changed"
    if not isinstance(base, int | float) or not isinstance(new, int | float):
        return "worse" if base is None or new is None else "changed"
    if DESCRIBES.search(plain):
        return "changed"
    grew_is_better = HIGHER_IS_BETTER.search(plain) is not None
    return "better" if (new > base) == grew_is_better else "worse"
