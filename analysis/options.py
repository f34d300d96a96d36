"""The commands' options. Kept apart from what the commands do."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from analysis.comparability import KINDS as COMPARED
from analysis.compare import ONLY
from analysis.export import FORMATS
from analysis.figures import KINDS as FIGURES
from analysis.merge import KINDS as MERGED

Command = Callable[[argparse.Namespace], int]
EXPORTS = sorted(FORMATS)


def parser(handlers: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The parser; its options' `run` is the handler of the command that was given."""
    made = argparse.ArgumentParser(
        prog="python -m analysis",
        description="Regression gate, paper figures, report, exports and merges from the harness's results.",
    )
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.set_defaults(run=handlers[name])
        return command

    command = add("load", "check results files and say what is in them; with --csv write their tidy table")
    _results(command)
    command.add_argument("--csv", type=Path, metavar="FILE", help="write the table here ('-' for the screen)")

    command = add("compare", "is NEW slower than BASE? exit 0 no, 1 yes, 2 not comparable, 3 inconclusive")
    command.add_argument("base", type=Path, metavar="BASE")
    command.add_argument("new", type=Path, metavar="NEW")
    _gate(command)

    command = add("ab", "run two builds alternately (ABBA, fresh processes) on one GPU, then compare them")
    command.add_argument("base", type=Path, metavar="BASE_BINARY")
    command.add_argument("new", type=Path, metavar="NEW_BINARY")
    command.add_argument("config", type=Path, metavar="CONFIG")
    command.add_argument(
        "--blocks", type=_positive, default=5, help="ABBA blocks; each gives 2 processes a side (default 5)"
    )
    command.add_argument(
        "--out",
        type=Path,
        default=Path("results/ab"),
        metavar="DIR",
        help="for base.json, new.json and each run's log (default results/ab)",
    )
    command.add_argument(
        "--harness",
        action="append",
        default=[],
        metavar="ARGUMENT",
        help="further argument for both binaries, e.g. --harness=--device=cuda:1 (repeatable)",
    )
    _gate(command)

    command = add("figures", "the paper's figures: PDF, PNG, CSV and LaTeX tables")
    _results(command)
    command.add_argument("--out", type=Path, required=True, metavar="DIR")
    command.add_argument("--only", action="append", choices=FIGURES, help="draw only this kind (repeatable)")
    command.add_argument(
        "--all",
        action="store_true",
        help="every type, knob, cache state and clock, not only each family's main one",
    )

    command = add(
        "report",
        "one self-contained HTML page; given two files it also compares the second with the first",
    )
    _results(command)
    command.add_argument("--out", type=Path, required=True, metavar="FILE")

    command = add("export", "results as another tool reads them")
    _results(command)
    command.add_argument("--to", required=True, choices=EXPORTS)
    command.add_argument("--out", type=Path, metavar="FILE", help="default: the screen")

    command = add("merge", "shards of one sweep to one results file")
    _results(command)
    command.add_argument("--out", type=Path, required=True, metavar="FILE")
    _allow(command, MERGED)

    command = add(
        "thin", "a results file with fewer samples a row, at evenly spaced ranks of all: to be committed"
    )
    command.add_argument("results", type=Path, metavar="RESULTS")
    command.add_argument(
        "--samples", type=_at_least_three, default=31, help="most samples that a row keeps (default 31)"
    )
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="compressed where it ends in .gz, which every command reads as well",
    )

    command = add("readme", "regenerate the tables of README between their markers from committed results")
    command.add_argument(
        "results", nargs="*", type=Path, metavar="RESULTS", help="default: the files that the markers name"
    )
    command.add_argument(
        "--readme",
        type=Path,
        action="append",
        metavar="FILE",
        help="the text with the markers (repeatable; default README.md)",
    )
    command.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 if the file differs from what would be written",
    )
    return made


def _results(command: argparse.ArgumentParser) -> None:
    command.add_argument("results", nargs="+", type=Path, metavar="RESULTS")


def _allow(command: argparse.ArgumentParser, kinds: Sequence[str]) -> None:
    command.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="KIND",
        type=_kinds(kinds),
        help=f"accept a difference: {', '.join(kinds)}, all (repeatable, or with commas)",
    )


def _kinds(kinds: Sequence[str]) -> Callable[[str], frozenset[str]]:
    def parse(text: str) -> frozenset[str]:
        words = frozenset(text.split(","))
        if unknown := words - {*kinds, "all"}:
            raise argparse.ArgumentTypeError(
                f"unknown kind '{min(unknown)}'; known are {', '.join(kinds)}, all"
            )
        return frozenset(kinds) if "all" in words else words

    return parse


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _at_least_three(text: str) -> int:
    value = int(text)
    if value < 3:
        raise argparse.ArgumentTypeError("must be at least 3: the fastest, the median and the slowest")
    return value


def _fraction(text: str) -> float:
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError("must be between 0 and 1, or a percentage")
    return value


def _gate(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--threshold",
        type=_fraction,
        default=0.01,
        help="relative change that matters, such as 0.01 or 1%% (default 1%%)",
    )
    command.add_argument(
        "--alpha", type=_fraction, default=0.05, help="family-wise chance of a false alarm (default 0.05)"
    )
    command.add_argument(
        "--aa",
        nargs=2,
        type=Path,
        metavar=("FILE", "FILE"),
        help="two runs of one build: the noise floor is learned from them",
    )
    command.add_argument(
        "--only",
        choices=ONLY,
        default="both",
        help="times, or the exact counters and static facts, or both (default)",
    )
    command.add_argument("--accept-inconclusive", action="store_true", help="exit 0 where 3 would be")
    command.add_argument("--seed", type=int, default=1, help="of the bootstrap (default 1)")
    command.add_argument("--everything", action="store_true", help="show the rows that are the same, too")
    for form in ("markdown", "junit", "json"):
        command.add_argument(
            f"--{form}",
            type=Path,
            metavar="FILE",
            help=f"write the comparison as {form} ('-' for the screen)",
        )
    _allow(command, COMPARED)
