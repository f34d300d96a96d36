"""What a figure is before it is written, and which cells belong on one figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

GROUP = ["gpu", "device", "family", "knobs", "type", "cache", "clock"]


@dataclass(frozen=True)
class Drawn:
    """A figure, the data behind it (CSV), and the same as a table of texts (LaTeX), or None where it would
    be too long.
    """

    figure: Figure
    data: pd.DataFrame
    table: pd.DataFrame | None


@dataclass(frozen=True)
class Plan:
    """One figure to be drawn: the stem of its files, its caption, and how."""

    name: str
    caption: str
    draw: Callable[[], Drawn]


@dataclass(frozen=True)
class Group:
    """Cells that may be compared: one family, one choice of knobs, type, cache, clock and device, any n."""

    gpu: str
    device: str
    family: str
    knobs: str
    type: str
    cache: str
    clock: str
    cells: pd.DataFrame

    @classmethod
    def of(cls, key: list[str], cells: pd.DataFrame) -> Group:
        """The group of these values of GROUP's columns, in their order."""
        gpu, device, family, knobs, type_name, cache, clock = key
        return cls(gpu, device, family, knobs, type_name, cache, clock, cells)

    @property
    def caption(self) -> str:
        """'reduce op:sum, float32, cold, device clock, NVIDIA H200'."""
        words = [
            f"{self.family} {self.knobs}".strip(),
            self.type,
            self.cache,
            f"{self.clock.replace('_', '-')} clock",
        ]
        return ", ".join([*words, self.gpu or self.device])

    @property
    def stem(self) -> str:
        """The part of a file's name that tells this group from all others."""
        return slug(self.family, self.knobs, self.type, self.cache, self.clock, self.gpu or self.device)


def slug(*words: str) -> str:
    """Words as a file's name: letters, digits, '-' and '_'."""
    return "_".join(re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-") for word in words if word)


def groups(cells: pd.DataFrame) -> Iterator[Group]:
    """Every group, in the order of the cells."""
    for key, of_group in cells.groupby(GROUP, sort=False):
        yield Group.of([str(part) for part in key], of_group.reset_index(drop=True))


def main_groups(cells: pd.DataFrame) -> list[Group]:
    """The groups of the paper's set: for each GPU and family the most usual choice of each of knobs, type,
    cache, clock.

    The one with most cells among those whose variants are mostly like for like; where two have as many, the
    device clock, cold and float32 go first.
    """
    best: dict[tuple[str, str, str], Group] = {}
    for group in groups(cells):
        key = group.gpu, group.device, group.family
        if key not in best or _rank(group) > _rank(best[key]):
            best[key] = group
    return list(best.values())


def like_main(cells: pd.DataFrame, chosen: list[Group]) -> pd.DataFrame:
    """The cells that differ from the chosen groups in their knobs only."""
    keys = [name for name in GROUP if name != "knobs"]
    wanted = {tuple(getattr(group, name) for name in keys) for group in chosen}
    return cells[[key in wanted for key in cells[keys].itertuples(index=False, name=None)]]


def _rank(group: Group) -> tuple[bool, int, bool, bool, bool, bool]:
    variants = group.cells[group.cells["kind"] == "variant"]
    return (
        _mostly_alike(variants if len(variants) else group.cells),
        group.cells["n"].nunique() * group.cells["entry"].nunique(),
        group.clock == "device",
        group.cache == "cold",
        group.type == "float32",
        "sum" in group.knobs,
    )


def _mostly_alike(cells: pd.DataFrame) -> bool:
    """Whether at least half of the entries are like for like."""
    return bool(cells.drop_duplicates("entry")["like_for_like"].mean() >= 0.5)


def best_tunings(cells: pd.DataFrame) -> pd.DataFrame:
    """For every entry and n only its fastest tuning."""
    known = cells[cells["median"].notna()]
    return known.loc[known.groupby(["entry", "n"], sort=False)["median"].idxmin()].sort_values(
        "n", kind="stable"
    )


def representatives(group: Group, most_variants: int = 7) -> list[str]:
    """The entries that stand for their series: of each series the one that is fastest by geometric mean
    over the sizes
    that most of the series has; of each library likewise. Variants first."""
    cells = best_tunings(group.cells)
    # An entry whose clock sees more or less than the others' stands for its library only where nothing better
    # is known, and for a series of variants only where most of them are like that.
    kept = [
        series["like_for_like"]
        if series["like_for_like"].any() and ((series["kind"] == "baseline").any() or _mostly_alike(series))
        else series["like_for_like"] | True
        for _, series in cells.groupby("series", sort=False)
    ]
    cells = cells[pd.concat(kept).reindex(cells.index)] if kept else cells
    chosen: list[tuple[bool, float, str]] = []
    for _, series in cells.groupby("series", sort=False):
        times = series.pivot_table(index="n", columns="entry", values="median")
        counts = times.notna().sum()
        widest = times.loc[:, counts >= 0.8 * counts.max()]
        score = np.log(widest.dropna()).mean() if len(widest.dropna()) else np.log(widest).mean()
        entry = str(score.idxmin())
        chosen.append((bool((series["kind"] == "baseline").any()), float(score.min()), entry))
    variants = [entry for baseline, _, entry in sorted(chosen) if not baseline][:most_variants]
    order = ["cub", "thrust", "cublas", "cufft", "std"]
    libraries = sorted(
        (entry for baseline, _, entry in chosen if baseline),
        key=lambda entry: order.index(series) if (series := entry.split("/")[1]) in order else len(order),
    )
    return variants + libraries


def pivot_text(
    data: pd.DataFrame, value: str, text: Callable[[float], str], rows: str = "entry"
) -> pd.DataFrame:
    """entry x n as texts, for the LaTeX tables."""
    from analysis import units

    wide = data.pivot_table(index=rows, columns="n", values=value, sort=False)
    wide = wide[sorted(wide.columns)]
    texts = wide.map(text)
    texts.columns = [units.size(int(n)) for n in wide.columns]
    return texts.reset_index()
