"""Tables in Markdown, generated from committed results between two markers, so that they cannot drift from
them.

    <!-- table: reduce-h200 file=analysis/data/h200/sweep.json.gz family=reduce op=sum type=float32
    n=2^20,2^24 --> ... anything here is replaced ... <!-- end table -->

The first word is the table's name (for messages only). Attributes, each KEY=VALUE, values with blanks in
double quotes:

    file=PATH        the results file, from the folder of the text (required; several with commas)
    family=NAME      keep this family
    KNOB=VALUE       keep this value of a knob, e.g. op=sum, taps=64, kind=inclusive
    type=NAME  cache=cold|warm|dirty  clock=device|end_to_end|graph  device=cuda|simt|host
                     keep these; cache, clock and type default to cold, device and float32 where the file
                     has them
    n=LIST           keep these sizes: 2^20,1000003 (default: all)
    entries=GLOBS    keep entries that match one: "reduce/cub/*,reduce/hopper/best" (default: all)
    across=KEY       a column for each value of n (the default where there are several), type, cache, clock or
                     a knob; KEY=VALUE,VALUE keeps these of them, in this order
    value=LIST       what the cells of such a table hold: time (default, in µs), bandwidth, ratio (the
                     library's time / the entry's), fraction (of the ceiling), error, ulp, counter:NAME;
                     two as "time,ratio"
    against=cub|thrust|cublas|cufft   the library of value=ratio (default cub)
    published=yes    beside each of its columns the figures that the source published for that type and n
    columns=LIST     of a table without `across`: time, interval, bandwidth, fraction, cub, thrust, cublas,
                     cufft, ulp, error, distinct, published (default: time to thrust, and ulp)
    ladder SERIES    a ladder of that series instead: stage, time, gains, libraries, published figures
    agreement=yes    of two files of one config: which share of the cells agrees, for cells shorter and longer
                     than split=10us, within=1%,3%
    spread=NAME,…    of several runs of one config, each of the kind that is named here for its file, such as
                     "one GPU": the same over all pairs of runs, by the kinds of the pair
    between=NAME,NAME   of two files, as these names: by size, the second's times over the first's
    overall=ENTRY    an entry against the fastest of its baselines (of those libraries that against= names),
                     over all sizes: geometric mean and worst size, by knobs, type and cache
    ceilings=yes     what the machine can do at best, as measured at the start of each file's run

Without `across` and with one n, the table has a line an entry and a column a quantity. Each entry stands with
its fastest tuning.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis import files
from analysis.errors import UserError
from analysis.load import Results, cells, load, rows_of
from analysis.tables import entries, runs
from analysis.tables.choice import filtered
from analysis.tables.overall import overall

_START = re.compile(r"<!--\s*table:\s*(?P<words>.*?)\s*-->")
_END = re.compile(r"<!--\s*end table\s*-->")


@dataclass(frozen=True)
class Marker:
    """One marker: its name, its attributes, and its line in the text (from 1)."""

    name: str
    attributes: dict[str, str]
    line: int


def update(text_file: Path, results: Sequence[Path], check: bool) -> int:
    """Rewrite the file's tables, or with `check` only say whether they differ. Returns the exit code: 0, or 1
    if they differ.
    """
    try:
        before = text_file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {text_file}: {error}") from error
    after = regenerate(before, text_file, results)
    if check:
        if before != after:
            print(f"{text_file} differs from its results: run python -m analysis readme --readme {text_file}")
        return int(before != after)
    if before != after:
        files.write_text(text_file, after)
    return 0


def regenerate(text: str, text_file: Path, results: Sequence[Path]) -> str:
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
            raise UserError(f"{text_file}:{line}: the table has no '<!-- end table -->'")
        marker = _parse(start["words"], text_file, line)
        inputs = [
            _loaded(_find(name, text_file, results), loaded) for name in marker.attributes["file"].split(",")
        ]
        try:
            made = table(marker.attributes, inputs)
        except UserError as error:
            raise UserError(f"{text_file}:{line}: table {marker.name}: {error}") from error
        output += [text[position : start.end()], "\n", markdown(made), text[end.start() : end.end()]]
        position = end.end()
    return "".join(output) + text[position:]


def _parse(words: str, text_file: Path, line: int) -> Marker:
    try:
        name, *rest = shlex.split(words)
    except ValueError as error:
        raise UserError(
            f"{text_file}:{line}: {error}: the marker needs a name and attributes KEY=VALUE"
        ) from error
    if "ladder" in rest:
        place = rest.index("ladder")
        rest[place : place + 2] = ["=".join(rest[place : place + 2])]
    if odd := [word for word in rest if "=" not in word]:
        raise UserError(f"{text_file}:{line}: table {name}: '{odd[0]}' is not KEY=VALUE")
    attributes = dict(word.split("=", 1) for word in rest)
    if "file" not in attributes:
        raise UserError(f"{text_file}:{line}: table {name}: it needs file=PATH")
    return Marker(name, attributes, line)


def _find(name: str, text_file: Path, results: Sequence[Path]) -> Path:
    return next((path for path in results if path.name == Path(name).name), text_file.parent / name)


def _loaded(path: Path, loaded: dict[Path, Results]) -> Results:
    if path not in loaded:
        loaded[path] = load(path)
    return loaded[path]


def table(attributes: dict[str, str], inputs: Sequence[Results]) -> pd.DataFrame:
    """The table of one marker as texts."""
    if "ceilings" in attributes:
        return runs.ceilings(inputs)
    if "agreement" in attributes:
        return runs.agreement(inputs, attributes)
    if "spread" in attributes:
        return runs.spread(inputs, attributes)
    if "between" in attributes:
        return runs.between(inputs, attributes)
    if "overall" in attributes:
        return overall(inputs, attributes)
    every = cells(rows_of(inputs))
    chosen = filtered(every, attributes)
    # The libraries of a ratio need not be among the entries that are shown.
    whole = filtered(every, {key: value for key, value in attributes.items() if key != "entries"})
    if "ladder" in attributes:
        return entries.of_ladder(chosen, attributes["ladder"])
    across = attributes.get("across") or ("n" if chosen["n"].nunique() > 1 else "")
    if across:
        return entries.by_column(chosen, whole, across, attributes)
    return entries.by_entry(chosen, whole, attributes)


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
