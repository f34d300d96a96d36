"""How the figures look: one column of a two-column paper, colours that the colour-blind tell apart, a
marker each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis import units

COLUMN = 3.33  # inches

# Okabe and Ito's palette without its yellow, which is too light for a line on white paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F3C8D", "#8C564B")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LIBRARY = {
    "cub": ("#000000", "--", "x"),
    "thrust": ("#666666", "-.", "+"),
    "thrust_omp": ("#666666", "-.", "+"),
    "thrust_tbb": ("#999999", "-.", "3"),
    "cublas": ("#000000", ":", "1"),
    "cufft": ("#444444", ":", "2"),
    "std": ("#444444", ":", "4"),
}
LEGEND_LINE = 0.105  # inches
NOT_ALIKE = " (not like for like)"
LIBRARY_NAMES = {
    "cub": "CUB",
    "thrust": "Thrust",
    "thrust_omp": "Thrust (OpenMP)",
    "thrust_tbb": "Thrust (TBB)",
    "std": "std",
    "cublas": "cuBLAS",
    "cufft": "cuFFT",
}

SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7,
    "axes.titlesize": 7,
    "axes.labelsize": 7,
    "legend.fontsize": 5.8,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "mathtext.fontset": "dejavusans",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.hashsalt": "tally",
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.2,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.columnspacing": 1.0,
    "legend.labelspacing": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.4,
    "savefig.dpi": 300,
    "axes.axisbelow": True,
}


@dataclass(frozen=True)
class Look:
    """How one line is drawn."""

    colour: str
    line: str
    marker: str
    label: str


@dataclass
class Looks:
    """Hands out looks in order; libraries always have their own, so that they look alike in every figure."""

    used: int = 0
    known: dict[str, Look] = field(default_factory=dict)

    def of(self, short: str, label: str | None = None, like_for_like: bool = True) -> Look:
        """The look of an entry given without its family ('cub/sum'); `label` for the legend, else the
        entry.
        """
        if short not in self.known:
            series = short.split("/")[0]
            if series in LIBRARY:
                self.known[short] = Look(*LIBRARY[series], label or library_label(short, like_for_like))
            else:
                place = self.used % len(COLOURS)
                self.known[short] = Look(
                    COLOURS[place],
                    "-",
                    MARKERS[(place + self.used // len(COLOURS)) % len(MARKERS)],
                    label or short + ("" if like_for_like else NOT_ALIKE),
                )
                self.used += 1
        return self.known[short]


def library_label(short: str, like_for_like: bool = True) -> str:
    """'cub/sum' -> 'CUB sum'; says so where its clock saw more than the others'."""
    series, _, name = short.partition("/")
    return f"{LIBRARY_NAMES.get(series, series)} {name.replace('_', ' ')}".strip() + (
        "" if like_for_like else NOT_ALIKE
    )


def new_figure(
    height: float, columns: int = 1, rows: int = 1, width: float = COLUMN, **arguments: Any
) -> tuple[Figure, list[Axes]]:
    """A figure without pyplot (which keeps state between figures); axes in reading order."""
    for name, value in SETTINGS.items():
        matplotlib.rcParams[name] = value  # type: ignore[index]
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **arguments)
    return figure, [axis for line in axes for axis in line]


def size_axis(axis: Axes, sizes: Sequence[float], label: str = "n (elements, log axis)") -> None:
    """A log axis with powers of two at readable distances."""
    axis.set_xscale("log", base=2)
    exponents = [math.log2(size) for size in sizes if size > 0]
    low, high = math.floor(min(exponents)), math.ceil(max(exponents))
    step = max(1, math.ceil((high - low) / 6))
    axis.set_xticks([2.0**exponent for exponent in range(low, high + 1, step)])
    axis.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"$2^{{{round(math.log2(value))}}}$" if value > 0 else "")
    )
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.minorticks_off()
    axis.set_xlim(2 ** (min(exponents) - 0.35), 2 ** (max(exponents) + 0.35))
    axis.set_xlabel(label)


def power(n: int) -> str:
    """A size as a label of a figure: a power of two as such, any other in full."""
    text = units.size(n)
    return f"$2^{{{text[2:]}}}$" if text.startswith("2^") else text


def log_value_axis(axis: Axes) -> None:
    """A log axis with plain numbers: 0.1, 1, 10, 100 and not powers of ten."""
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    low, high = axis.get_ylim()
    if math.log10(high / low) < 1.5:
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_minor_formatter(NullFormatter())


def legend_above(figure: Figure, axis: Axes, first: str = "") -> None:
    """A legend over the axes, outside, where it can hide nothing; the label `first` goes first.

    The picture grows by the lines that the legend has more than two, so that the axes keep their size. Labels
    that are not like for like have a dagger, which the last line explains.
    """
    handles, labels = axis.get_legend_handles_labels()
    if not handles:
        return
    pairs = sorted(zip(handles, labels, strict=True), key=lambda pair: pair[1] != first)
    handles, labels = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if any(label.endswith(NOT_ALIKE) for label in labels):
        labels = [label.replace(NOT_ALIKE, " †") for label in labels]
        handles.append(Line2D([], [], linestyle="none"))
        labels.append(f"† {NOT_ALIKE.strip(' ()')}")
    renderer = FigureCanvasAgg(figure).get_renderer()
    for columns in range(min(3, len(labels)), 0, -1):
        legend = figure.legend(handles, labels, loc="outside upper center", ncols=columns)
        if columns == 1 or legend.get_window_extent(renderer).width < 0.99 * figure.bbox.width:
            break
        legend.remove()
    lines = math.ceil(len(labels) / columns)
    figure.set_figheight(figure.get_figheight() + LEGEND_LINE * max(0, lines - 2))


def grid(axis: Axes, which: str = "both") -> None:
    """A light grid on one or both axes."""
    axis.grid(axis=which, linewidth=0.3, color="#cccccc")  # type: ignore[arg-type]
