"""Is one set of processes slower than another? Ratio, its interval, its significance, and the noise floor.

The unit is the process (a repetition in the results file), since two processes differ more than two samples
of one: a *side* is a list of processes, each an array of samples in seconds.

- Ratio: exp of the difference of the means, over processes, of the logarithm of each process's median.
- Interval: hierarchical bootstrap. Draw processes with replacement, in each draw samples with replacement,
  take their median. The bootstrap distribution of the median of s samples is known (its rank is that of the
  middle of s uniform draws, a Beta distribution), so it is tabulated once per process instead of drawn,
  which makes this thousands of times cheaper. With few processes the percentiles are widened as T.
  Hesterberg proposes ("What Teachers Should Know about the Bootstrap", 2015, expanded percentile interval):
  a bootstrap of ten processes is otherwise too narrow by a tenth.
- Significance: Mann-Whitney over the processes' medians, one-sided in the direction that was seen; exact
  for small counts. Ties are counted half and the exact distribution without ties is used, which errs on the
  cautious side.
- The draws depend on the seed and the number of processes only: a row's interval does not change with its
  company.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Side = Sequence[NDArray[np.float64]]
Floats = NDArray[np.float64]

RESAMPLES = 2000
STRATA = 251  # bootstrapped medians tabulated per process
EXACT_LIMIT = 2500  # product of process counts up to which the exact Mann-Whitney distribution is used


@dataclass(frozen=True)
class Estimates:
    """One line a pair of sides: ratio new/base, its 95% interval, and one-sided p (not yet adjusted)."""

    ratio: Floats
    low: Floats
    high: Floats
    p: Floats
    smallest_p: Floats  # the smallest p that so few processes can give


def estimate(
    base: Sequence[Side], new: Sequence[Side], seed: int = 1, resamples: int = RESAMPLES
) -> Estimates:
    """Compare each base[i] with new[i]. All work is done at once for pairs with the same numbers of
    processes.
    """
    count = len(base)
    result = Estimates(*(np.full(count, math.nan) for _ in range(5)))
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index in range(count):
        groups[len(base[index]), len(new[index])].append(index)
    for (base_size, new_size), members in groups.items():
        draws = _draws(base_size, resamples, seed, 0), _draws(new_size, resamples, seed, 1)
        level = _percentile(base_size, new_size)
        for start in range(0, len(members), 256):
            part = members[start : start + 256]
            base_medians, base_table = _tables([base[index] for index in part])
            new_medians, new_table = _tables([new[index] for index in part])
            difference = _means(new_table, draws[1]) - _means(base_table, draws[0])
            low, high = np.quantile(difference, [level, 1 - level], axis=1)
            result.ratio[part] = np.exp(new_medians.mean(axis=1) - base_medians.mean(axis=1))
            result.low[part], result.high[part] = np.exp(low), np.exp(high)
            result.p[part] = mann_whitney(base_medians, new_medians)
        result.smallest_p[members] = 1.0 / math.comb(base_size + new_size, base_size)
    return result


def sample_p(base: Side, new: Side) -> float:
    """One-sided p over all samples of all processes: sound only where the noise floor stands for the
    processes.
    """
    return float(mann_whitney(np.concatenate(list(base))[None, :], np.concatenate(list(new))[None, :])[0])


def mann_whitney(base: Floats, new: Floats) -> Floats:
    """One-sided p of each line of two tables (lines x processes), in the direction that was seen; at most
    0.5.
    """
    method = "exact" if base.shape[1] * new.shape[1] <= EXACT_LIMIT else "asymptotic"
    with np.errstate(invalid="ignore", divide="ignore"):
        p = stats.mannwhitneyu(base, new, axis=1, method=method).pvalue
    return np.minimum(np.nan_to_num(np.asarray(p, dtype=float), nan=1.0) / 2, 0.5)


def median(samples: Floats) -> float:
    """The value in the middle, as the harness has it: between the steps of a coarse clock where samples are
    equal.
    """
    return float(values_at_ranks(samples, np.array([(len(samples) - 1) / 2]))[0])


def values_at_ranks(samples: Floats, ranks: NDArray[np.generic]) -> Floats:
    """Mid-quantiles (Ma, Genton and Parzen 2011): equal samples stand at the middle of their ranks (from 0),
    and between such places the value is linear. Without ties these are the order statistics.
    """
    values, counts = np.unique(samples, return_counts=True)
    return np.interp(ranks, np.cumsum(counts) - (counts + 1) / 2, values)


def holm(p: Floats) -> Floats:
    """Holm's step-down adjustment: rejecting where the result is below alpha keeps the family-wise error
    below alpha.
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


@dataclass(frozen=True)
class NoiseFloor:
    """What two runs of one build differ by, as a relative change.

    typical: 95% of the rows of the A/A pair differ by less.
    family_wise: no row among `rows` should differ by more, at 5% (Student's t, Bonferroni; and the worst
    row seen).
    """

    typical: float
    family_wise: float
    pairs: int


def noise_floor(ratios: Floats, rows: int, alpha: float = 0.05) -> NoiseFloor:
    """Learn the floor from the ratios of an A/A pair, for a comparison of `rows` rows."""
    changes = np.abs(np.log(ratios))
    spread = math.sqrt(float(np.mean(changes**2)))
    reach = float(stats.t.ppf(1 - alpha / (2 * max(rows, 1)), len(changes))) * spread
    return NoiseFloor(
        typical=math.expm1(float(np.quantile(changes, 0.95))),
        family_wise=math.expm1(max(reach, float(changes.max()))),
        pairs=len(changes),
    )


def modes(samples: Floats) -> tuple[float, float]:
    """(distance, share): how far apart, relatively, two modes of the samples are, and the share of the
    upper one.

    (0, 0) where there is one mode. The samples are split where it explains most variance (Otsu); two modes
    are claimed where the parts stand apart by Ashman's D > 4 (any one-humped shape gives less than 3.5) and
    the smaller part has a tenth. Neighbouring ticks of a coarse clock are no modes: the parts must be more
    than two ticks apart.
    """
    times = np.sort(samples[samples > 0])
    values = np.log(times)
    count = len(values)
    smallest = max(2, math.ceil(count / 10))
    if count < 2 * smallest or count < 10:
        return 0.0, 0.0
    lower_size = np.arange(smallest, count - smallest + 1)
    sums, squares = np.cumsum(values - values.mean()), np.cumsum((values - values.mean()) ** 2)
    upper_size = count - lower_size
    lower_sum, lower_square = sums[lower_size - 1], squares[lower_size - 1]
    between = lower_sum**2 / lower_size + (sums[-1] - lower_sum) ** 2 / upper_size
    best = int(np.argmax(between))
    low_n, high_n = int(lower_size[best]), int(upper_size[best])
    low_mean, high_mean = lower_sum[best] / low_n, (sums[-1] - lower_sum[best]) / high_n
    low_variance = lower_square[best] / low_n - low_mean**2
    high_variance = (squares[-1] - lower_square[best]) / high_n - high_mean**2
    distance = float(high_mean - low_mean)
    width = math.sqrt(max(low_variance + high_variance, 0.0) / 2)
    apart = float(times[low_n:].mean() - times[:low_n].mean())
    if distance <= 4 * width or apart <= 2.5 * _tick(times):
        return 0.0, 0.0
    return math.expm1(distance), high_n / count


def _tick(times: Floats) -> float:
    """The step of the clock: the smallest difference of sorted times, if it is one that a GPU's clock can
    have.
    """
    steps = np.diff(times)
    smallest = float(steps[steps > 1e-12].min(initial=math.inf))
    return smallest if smallest < 1e-7 else 0.0


def _tables(sides: Sequence[Side]) -> tuple[Floats, Floats]:
    """Log medians (sides x processes), and their bootstrap distributions (sides x (processes * STRATA))."""
    medians = np.array([[math.log(median(samples)) for samples in side] for side in sides])
    tabulated = np.stack(
        [
            np.concatenate([values_at_ranks(samples, _ranks(len(samples))) for samples in side])
            for side in sides
        ]
    )
    return medians, np.log(tabulated)


@functools.cache
def _ranks(count: int) -> NDArray[np.int64]:
    """Ranks that the median of a resample of `count` samples takes, in STRATA equally likely strata."""
    middle = (count + 1) / 2
    ranks = special.betaincinv(middle, middle, (np.arange(STRATA) + 0.5) / STRATA) * count
    return np.minimum(ranks.astype(np.int64), count - 1)


def _draws(processes: int, resamples: int, seed: int, side: int) -> NDArray[np.int64]:
    """Places in a line of `_tables` (resamples x processes): which process, and which of its bootstrapped
    medians.
    """
    random = np.random.default_rng([seed, side, processes])
    shape = (resamples, processes)
    return random.integers(0, processes, shape) * STRATA + random.integers(0, STRATA, shape)


def _means(tabulated: Floats, draws: NDArray[np.int64]) -> Floats:
    total = np.zeros((tabulated.shape[0], draws.shape[0]))
    for place in draws.T:
        total += np.take(tabulated, place, axis=1)
    return total / draws.shape[1]


def _percentile(base_size: int, new_size: int) -> float:
    """The lower percentile of a 95% interval, widened for few processes."""
    freedom, smallest = base_size + new_size - 2, min(base_size, new_size)
    if freedom < 1 or smallest < 2:
        return 0.025
    return float(stats.norm.cdf(math.sqrt(smallest / (smallest - 1)) * stats.t.ppf(0.025, freedom)))
