"""README's tables, generated from committed results between two markers, so that they cannot drift from them.

    <!-- table: reduce-h200 file=analysis/data/h200/sweep.json family=reduce op=sum type=float32 n=2^20,2^24
    --> ... anything here is replaced ... <!-- end table -->

The first word is the table's name (for messages only). Attributes, each KEY=VALUE, values with blanks in
double quotes:

    file=PATH        the results file, from README's folder (required; several with commas)
    family=NAME      keep this family
    KNOB=VALUE       keep this value of a knob, e.g. op=sum, taps=64, inclusive=true
    type=NAME  cache=cold|warm  clock=device|end_to_end  device=cuda|simt|host
                     keep these; cache, clock and type default to cold, device and float32 where the file
                     has them
    n=LIST           keep these sizes: 2^20,1000003 (default: all)
    entries=GLOBS    keep entries that match one: "reduce/cub/*,reduce/hopper/best" (default: all)
    ladder=SERIES    a ladder of that series instead: stage, time, gains, libraries, published figures
    (also: ladder SERIES) value=time|bandwidth|ratio|fraction|error|counter:NAME
                     what the cells of a table with several sizes hold (default time, in µs; 'ratio' is the
                     library's time / the entry's)
    against=cub|thrust|cublas|cufft   the library of value=ratio (default cub)

With one size the table has a line an entry: time with its interval, GB/s, fraction of ceiling, ratio to CUB
and to Thrust, ulp. With several sizes it has a column a size. Each entry stands with its fastest tuning.
"""

from __future__ import annotations

import fnmatch
import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis import files, units
from analysis.counter_names import in_words
from analysis.errors import UserError
from analysis.figures import ladder
from analysis.figures.heatmaps import ratios_to
from analysis.figures.model import GROUP, Group
from analysis.load import Results, cells, load, rows_of

_START = re.compile(r"<!--\s*table:\s*(?P<words>.*?)\s*-->")
_END = re.compile(r"<!--\s*end table\s*-->")
_OWN = {"file", "n", "entries", "ladder", "value", "against"}
_COLUMNS = {"family", "type", "cache", "clock", "device"}
_PREFERRED = {"type": "float32", "cache": "cold", "clock": "device"}
_VALUES = ("time", "bandwidth", "ratio", "fraction", "error")


@dataclass(frozen=True)
class Marker:
    """One marker: its name, its attributes, and its line in README (from 1)."""

    name: str
    attributes: dict[str, str]
    line: int


def update(readme: Path, results: Sequence[Path], check: bool) -> int:
    """Rewrite README's tables, or with `check` only say whether they differ. Returns the exit code: 0, or 1
    if they differ.
    """
    try:
        before = readme.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {readme}: {error}") from error
    after = regenerate(before, readme, results)
    if check:
        if before != after:
            print(f"{readme} differs from its results: run python -m analysis readme --readme {readme}")
        return int(before != after)
    if before != after:
        files.write_text(readme, after)
    return 0


def regenerate(text: str, readme: Path, results: Sequence[Path]) -> str:
    """The text with every table made anew. `results`, where given, stand for the markers' files of the same
    name.
    """
    loaded: dict[Path, Results] = {}
    output, position = [], 0
    while start := _START.search(text, position):
        line = text.count("\n", 0, start.start()) + 1
        end = _END.search(text, start.end())
        following = _START.search(text, start.end())
        if end is None or (following and following.start() < end.start()):
            raise UserError(f"{readme}:{line}: the table has no '<!-- end table -->'")
        marker = _parse(start["words"], readme, line)
        inputs = [
            _loaded(_find(name, readme, results), loaded) for name in marker.attributes["file"].split(",")
        ]
        try:
            made = table(marker, inputs)
        except UserError as error:
            raise UserError(f"{readme}:{line}: table {marker.name}: {error}") from error
        output += [text[position : start.end()], "\n", markdown(made), text[end.start() : end.end()]]
        position = end.end()
    return "".join(output) + text[position:]


def _parse(words: str, readme: Path, line: int) -> Marker:
    try:
        name, *rest = shlex.split(words)
    except ValueError as error:
        raise UserError(
            f"{readme}:{line}: {error}: the marker needs a name and attributes KEY=VALUE"
        ) from error
    if rest[:1] == ["ladder"] or "ladder" in rest:
        place = rest.index("ladder")
        rest[place : place + 2] = ["=".join(rest[place : place + 2])]
    if odd := [word for word in rest if "=" not in word]:
        raise UserError(f"{readme}:{line}: table {name}: '{odd[0]}' is not KEY=VALUE")
    attributes = dict(word.split("=", 1) for word in rest)
    if "file" not in attributes:
        raise UserError(f"{readme}:{line}: table {name}: it needs file=PATH")
    return Marker(name, attributes, line)


def _find(name: str, readme: Path, results: Sequence[Path]) -> Path:
    return next((path for path in results if path.name == Path(name).name), readme.parent / name)


def _loaded(path: Path, loaded: dict[Path, Results]) -> Results:
    if path not in loaded:
        loaded[path] = load(path)
    return loaded[path]


def table(marker: Marker, inputs: Sequence[Results]) -> pd.DataFrame:
    """The table of one marker as texts."""
    attributes = marker.attributes
    chosen = _filtered(cells(rows_of(inputs)), attributes)
    # The libraries of a ratio need not be among the entries that are shown.
    whole = _filtered(
        cells(rows_of(inputs)), {key: value for key, value in attributes.items() if key != "entries"}
    )
    keys = [key for key in GROUP if chosen[key].nunique() > 1]
    if keys:
        found = ", ".join(f"{key} {' | '.join(map(str, dict.fromkeys(chosen[key])))}" for key in keys)
        raise UserError(f"its cells are not of one kind: choose one of {found}")
    group, every = (
        Group.of([str(chosen[key].iloc[0]) for key in GROUP], of_group) for of_group in (chosen, whole)
    )
    if "ladder" in attributes:
        return _ladder(group, attributes["ladder"])
    if chosen["n"].nunique() > 1:
        return _by_size(group, every, attributes.get("value", "time"), attributes.get("against", "cub"))
    return _one_size(group, every)


def _filtered(table: pd.DataFrame, attributes: dict[str, str]) -> pd.DataFrame:
    for key, preferred in _PREFERRED.items():
        if key not in attributes and preferred in set(table[key]):
            attributes = {**attributes, key: preferred}
    for key, value in attributes.items():
        if key in _OWN:
            continue
        kept = (
            table[table[key] == value]
            if key in _COLUMNS
            else table[[_text(knobs.get(key)) == value for knobs in table["knob_values"]]]
        )
        if kept.empty:
            known = dict.fromkeys(
                table[key]
                if key in _COLUMNS
                else (_text(knobs[key]) for knobs in table["knob_values"] if key in knobs)
            )
            raise UserError(f"no cell has {key}={value}; there is {', '.join(known) or 'no such knob'}")
        table = kept
    if "n" in attributes:
        sizes = [_size(text) for text in attributes["n"].split(",")]
        if absent := [size for size in sizes if size not in set(table["n"])]:
            raise UserError(
                f"no cell has n={absent[0]}; there is "
                f"{', '.join(units.size(int(n)) for n in sorted(set(table['n'])))}"
            )
        table = table[table["n"].isin(sizes)]
    if "entries" in attributes:
        globs = attributes["entries"].split(",")
        kept = table[[any(fnmatch.fnmatch(entry, glob) for glob in globs) for entry in table["entry"]]]
        for glob in globs:
            if not any(fnmatch.fnmatch(entry, glob) for entry in table["entry"]):
                raise UserError(f"no entry matches '{glob}'")
        table = kept
    if table.empty:
        raise UserError("no cell is left by its filter")
    return table.reset_index(drop=True)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _size(text: str) -> int:
    try:
        return 2 ** int(text[2:]) if text.startswith("2^") else int(text)
    except ValueError as error:
        raise UserError(f"n={text} is not a size; write 1024 or 2^10") from error


def _ladder(group: Group, series: str) -> pd.DataFrame:
    sizes = group.cells["n"].unique()
    built = ladder.build(group, series, int(sizes[0]) if len(sizes) == 1 else None)
    if built is None:
        raise UserError(
            f"series {series} has no two timed stages of one size; there is "
            f"{', '.join(ladder.series_of(group))}"
        )
    made = ladder.table(built)
    return made.rename(columns={"time (µs)": f"time (µs), n = {units.size(built.n)}"})


def _fastest(table: pd.DataFrame) -> pd.DataFrame:
    """Each entry's fastest tuning at each n; where nothing is timed, each entry's first row."""
    ranked = table.assign(rank=table["median"].fillna(math.inf))
    return table.loc[ranked.groupby(["entry", "n"], sort=False)["rank"].idxmin()]


def _one_size(group: Group, every: Group) -> pd.DataFrame:
    best = _fastest(group.cells)
    if not best["timed"].any():
        return _counts(best)
    columns: dict[str, list[str]] = {
        "entry": [_entry(cell) for cell in best.itertuples()],
        f"time (µs), n = {units.size(int(best['n'].iloc[0]))}": [
            units.microseconds(value) for value in best["median"]
        ],
        "95% interval": [
            f"{units.microseconds(low)} – {units.microseconds(high)}" if math.isfinite(low) else "–"
            for low, high in zip(best["low"], best["high"], strict=True)
        ],
        "GB/s": [units.digits(value / 1e9) for value in best["bandwidth"]],
        "of ceiling": best["fraction"].map(units.percent).to_list(),
    }
    for library, name in (("cub", "CUB"), ("thrust", "Thrust")):
        ratios = ratios_to(every, library).set_index("entry")["ratio"]
        if len(ratios):
            columns[f"{name}'s time / time"] = [
                units.ratio(ratios.get(short, math.nan)) for short in best["short"]
            ]
    columns["ulp"] = [units.digits(value) for value in best["ulp"]]
    return pd.DataFrame(columns)


def _counts(best: pd.DataFrame) -> pd.DataFrame:
    names = list(dict.fromkeys(name for counters in best["counters"] for name in counters))
    return pd.DataFrame(
        {
            "entry": [_entry(cell) for cell in best.itertuples()],
            **{
                in_words(name): [
                    units.digits(float(counters[name]), 4) if name in counters else "–"
                    for counters in best["counters"]
                ]
                for name in names
            },
        }
    )


def _by_size(group: Group, every: Group, value: str, against: str) -> pd.DataFrame:
    if value not in _VALUES and not value.startswith("counter:"):
        raise UserError(f"value={value} is not known; there is {', '.join(_VALUES)}, counter:NAME")
    best = _fastest(group.cells)
    if value == "ratio":
        known = ratios_to(every, against)
        known = known[known["entry"].isin(best["short"])]
        if known.empty:
            raise UserError(f"no like-for-like entry of {against} to be compared with")
        of_entry = dict(zip(best["short"], [_entry(cell) for cell in best.itertuples()], strict=True))
        data = pd.DataFrame(
            {"entry": known["entry"].map(of_entry), "n": known["n"], "value": known["ratio"].map(units.ratio)}
        )
    else:
        texts = {
            "time": lambda cell: units.microseconds(cell.median),
            "bandwidth": lambda cell: units.digits(cell.bandwidth / 1e9),
            "fraction": lambda cell: units.percent(cell.fraction),
            "error": lambda cell: units.digits(cell.error),
        }
        counter = value.removeprefix("counter:")
        text = texts.get(value, lambda cell: units.digits(float(cell.counters.get(counter, math.nan)), 4))
        data = pd.DataFrame(
            [(_entry(cell), cell.n, text(cell)) for cell in best.itertuples()],
            columns=["entry", "n", "value"],
        )
    wide = data.pivot(index="entry", columns="n", values="value").reindex(list(dict.fromkeys(data["entry"])))
    wide = wide[sorted(wide.columns)].fillna("–")
    unit = {
        "time": "µs",
        "bandwidth": "GB/s",
        "ratio": f"{against}'s time / time",
        "fraction": "of ceiling",
        "error": "|error|/(u·Σ|terms|)",
    }
    wide.columns = [units.size(int(n)) for n in wide.columns]
    return wide.reset_index(names=f"entry ({unit.get(value, value.removeprefix('counter:'))})")


def _entry(cell: object) -> str:
    alike = getattr(cell, "like_for_like", True)
    return f"`{getattr(cell, 'short', '')}`" + ("" if alike else " (not like for like)")


def markdown(made: pd.DataFrame) -> str:
    """A Markdown table: the first column flush left, the others right; 2^20 as a power."""

    def power(text: object) -> str:
        return re.sub(r"\b2\^(\d+)", r"2<sup>\1</sup>", str(text)).replace("|", "\\|")

    lines = [
        "| " + " | ".join(power(name) for name in made.columns) + " |",
        "| --- |" + " ---: |" * (made.shape[1] - 1),
    ]
    lines += ["| " + " | ".join(power(value) for value in row) + " |" for row in made.itertuples(index=False)]
    return "\n".join(lines) + "\n"
