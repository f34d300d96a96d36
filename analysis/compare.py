"""The regression gate: is NEW slower than BASE, row by row?

A row is *slower* only if its p, adjusted by Holm over the rows, is below alpha and its interval lies beyond
1+delta; *faster* likewise; *same* if the interval lies within +-delta and neither side has two modes
further apart than delta; *inconclusive* otherwise. delta is the larger of the threshold and the noise floor
of the A/A pair, where one is given.

Where there are too few processes for the adjusted p ever to reach alpha, no claim is made without an A/A
pair; with one, the samples are tested instead, and delta is the pair's family-wise floor, which then stands
for what processes differ by.

Exit codes: 0 no regression, 1 regression, 2 not comparable, 3 inconclusive (in this order: 2 before 1
before 3).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis import statistics
from analysis.comparability import Obstacle, obstacles
from analysis.errors import UserError
from analysis.facts import Change, Facts, compare_facts
from analysis.load import Results, as_taken

SLOWER, FASTER, SAME, INCONCLUSIVE = "slower", "faster", "same", "inconclusive"
ONLY = ("both", "times", "counters")


@dataclass(frozen=True)
class Settings:
    """How to judge. threshold: relative change that matters; alpha: family-wise error of each direction."""

    threshold: float = 0.01
    alpha: float = 0.05
    seed: int = 1
    only: str = "both"
    allow: frozenset[str] = frozenset()
    accept_inconclusive: bool = False


@dataclass(frozen=True)
class Verdict:
    """One row's judgement. Times are geometric means, over processes, of their medians, in seconds."""

    name: str
    verdict: str
    base: float
    new: float
    ratio: float
    low: float
    high: float
    p: float
    delta: float
    processes: tuple[int, int]
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """All that was found; `exit_code` is the gate's answer."""

    base: Results
    new: Results
    settings: Settings
    delta: float
    floor: statistics.NoiseFloor | None
    verdicts: list[Verdict]
    facts: Facts
    obstacles: list[Obstacle]
    notes: list[str] = field(default_factory=list)

    @property
    def worse_facts(self) -> list[Change]:
        return [change for change in self.facts.changes if change.verdict == "worse"]

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(verdict.verdict for verdict in self.verdicts)
        return {name: found[name] for name in (SLOWER, FASTER, SAME, INCONCLUSIVE)}

    @property
    def exit_code(self) -> int:
        if any(not obstacle.allowed for obstacle in self.obstacles):
            return 2
        if self.counts[SLOWER] or self.worse_facts:
            return 1
        return 3 if self.counts[INCONCLUSIVE] and not self.settings.accept_inconclusive else 0

    @property
    def answer(self) -> str:
        return ("no regression", "regression", "not comparable", "inconclusive")[self.exit_code]


def compare(
    base: Results,
    new: Results,
    settings: Settings | None = None,
    same_build: tuple[Results, Results] | None = None,
) -> Comparison:
    """Compare two results files; `same_build` is an A/A pair. Raises UserError where they have nothing in
    common.
    """
    settings = settings or Settings()
    with_times, with_facts = settings.only != "counters", settings.only != "times"
    found = obstacles(base, new, settings.allow, with_times)
    if not set(base.rows["name"]) & set(new.rows["name"]):
        raise UserError(f"{base.path} and {new.path} have no row in common: nothing to compare")
    sides = _sides(base.rows), _sides(new.rows)
    names = [name for name in sides[0] if name in sides[1]] if with_times else []
    kernels = base.tally.get("static_facts"), new.tally.get("static_facts")
    facts = compare_facts(base.rows, new.rows, *kernels) if with_facts else Facts([], 0, [], [])
    if not names and not facts.compared and not facts.on_one_side:
        wanted = {"both": "timed row or counter", "times": "timed row", "counters": "counter"}[settings.only]
        raise UserError(f"{base.path} and {new.path} have no {wanted} in common: nothing to compare")
    if facts.on_one_side:
        text = f"{len(facts.on_one_side)} rows were counted on one side only, such as {facts.on_one_side[0]}"
        found.append(Obstacle("counters", text, "counters" in settings.allow))
    floor = _floor(same_build, names, settings) if same_build and names else None
    verdicts = judge(
        names, [sides[0][name] for name in names], [sides[1][name] for name in names], settings, floor
    )
    delta = max(settings.threshold, floor.typical if floor else 0.0)
    comparison = Comparison(base, new, settings, delta, floor, verdicts, facts, found)
    comparison.notes.extend(_notes(comparison))
    return comparison


def judge(
    names: list[str],
    base: list[statistics.Side],
    new: list[statistics.Side],
    settings: Settings,
    floor: statistics.NoiseFloor | None = None,
) -> list[Verdict]:
    """The verdicts of rows given as sides (see statistics.py). This is the whole gate, without files."""
    if not names:
        return []
    estimates = statistics.estimate(base, new, settings.seed)
    few = estimates.smallest_p * len(names) > settings.alpha
    raw = estimates.p.copy()
    if floor is not None:
        raw[few] = [statistics.sample_p(base[index], new[index]) for index in np.flatnonzero(few)]
    adjusted = statistics.holm(raw)
    verdicts = []
    for index, name in enumerate(names):
        delta = max(
            settings.threshold, (floor.family_wise if few[index] else floor.typical) if floor else 0.0
        )
        low, high = float(estimates.low[index]), float(estimates.high[index])
        testable = floor is not None or not few[index]
        verdict, note = _verdict(low, high, float(adjusted[index]), delta, settings.alpha, testable)
        processes = len(base[index]), len(new[index])
        if not testable and min(processes) < 2:
            verdict, note = (
                INCONCLUSIVE,
                "one process a side says nothing about the next: repeat it, or give an A/A pair",
            )
        elif verdict == SAME and (found := _two_modes(base[index], new[index], delta)):
            verdict, note = INCONCLUSIVE, found
        elif verdict == INCONCLUSIVE and not testable:
            note = f"{_needed(len(names), settings.alpha)} processes a side are needed for {len(names)} rows"
        verdicts.append(
            Verdict(
                name,
                verdict,
                _time(base[index]),
                _time(new[index]),
                float(estimates.ratio[index]),
                low,
                high,
                float(adjusted[index]),
                delta,
                processes,
                note,
            )
        )
    return verdicts


def _verdict(
    low: float, high: float, p: float, delta: float, alpha: float, testable: bool
) -> tuple[str, str]:
    if testable and p < alpha and low > 1 + delta:
        return SLOWER, ""
    if testable and p < alpha and high < 1 / (1 + delta):
        return FASTER, ""
    if low > 1 / (1 + delta) and high < 1 + delta:
        return SAME, ""
    beyond = low > 1 + delta or high < 1 / (1 + delta)
    return INCONCLUSIVE, "beyond the threshold, but not significant" if beyond else "the interval is too wide"


def _two_modes(base: statistics.Side, new: statistics.Side, delta: float) -> str:
    for label, side in (("base", base), ("new", new)):
        distance, share = statistics.modes(np.concatenate(list(side)))
        if distance > delta:
            return f"{label} has two modes, {distance:.1%} apart, {share:.0%} of samples in the slower"
    return ""


def _sides(rows: pd.DataFrame) -> dict[str, statistics.Side]:
    """Cell -> its processes' samples, of a thinned file by `as_taken`; a process without any stands as its
    median alone.
    """
    sides: dict[str, list[np.ndarray]] = {}
    for name, timed, samples, taken, median in zip(
        rows["name"], rows["timed"], rows["samples"], rows["taken"], rows["median"], strict=True
    ):
        kept = as_taken(samples, taken) if len(samples) < taken else samples
        values = kept[kept > 0] if len(kept) else np.array([median])
        if timed and len(values) and values[0] > 0:
            sides.setdefault(name, []).append(values)
    return dict(sides)


def _floor(pair: tuple[Results, Results], names: list[str], settings: Settings) -> statistics.NoiseFloor:
    first, second = _sides(pair[0].rows), _sides(pair[1].rows)
    common = [name for name in names if name in first and name in second]
    if not common:
        raise UserError(f"the A/A pair {pair[0].path} and {pair[1].path} has no row that is compared here")
    for label in ("gpu", "git_revision"):
        if pair[0].fact(label) != pair[1].fact(label):
            raise UserError(
                f"{pair[0].path} and {pair[1].path} are no A/A pair: {label} {pair[0].fact(label)} and "
                f"{pair[1].fact(label)}"
            )
    ratios = np.array([_time(second[name]) / _time(first[name]) for name in common])
    return statistics.noise_floor(ratios, len(names), settings.alpha)


def _time(side: statistics.Side) -> float:
    return math.exp(float(np.mean([math.log(statistics.median(samples)) for samples in side])))


def _needed(rows: int, alpha: float) -> int:
    return next(count for count in range(2, 100) if rows / math.comb(2 * count, count) <= alpha)


def _notes(comparison: Comparison) -> list[str]:
    notes = []
    revisions = comparison.base.fact("git_revision"), comparison.new.fact("git_revision")
    if any(revisions):
        words = dict.fromkeys(revision or "(not known)" for revision in revisions)
        notes.append(f"git revision {' -> '.join(words)}")
    if comparison.facts.not_exact:
        notes.append(f"not compared, for they are not exact: {', '.join(comparison.facts.not_exact)}")
    throttled = [verdict.name for verdict in comparison.verdicts if verdict.name in _throttled(comparison)]
    if throttled:
        notes.append(f"{len(throttled)} rows were measured while the GPU throttled, such as {throttled[0]}")
    return notes


def _throttled(comparison: Comparison) -> set[str]:
    documents = (comparison.base.document, comparison.new.document)
    return {
        row["name"]
        for document in documents
        for row in document["benchmarks"]
        if row["tally"].get("clocks", {}).get("throttled")
    }
