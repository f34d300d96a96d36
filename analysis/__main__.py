"""`python -m analysis COMMAND`: the commands, each of which only calls the module that does the work.

Exit codes: 0 done, 2 something is wrong with what was given; `compare` and `ab` also 1 (regression) and
3 (inconclusive); `readme --check` also 1 (README differs).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

try:
    from analysis import compare, compare_formats, export, figures, files, merge, tables, thin
    from analysis.errors import UserError
    from analysis.load import Results, cells, load, load_all, rows_of
    from analysis.options import Command, parser
except ModuleNotFoundError as missing:
    print(
        f"analysis: error: this Python has no {missing.name}: use .venv/bin/python, which ./run makes, "
        "or install analysis/requirements.txt",
        file=sys.stderr,
    )
    sys.exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = parser(HANDLERS).parse_args(arguments)
    command: Command = options.run
    try:
        return command(options)
    except UserError as error:
        print(f"analysis: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of a pipe (head) has seen enough. Python's own flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _load(options: argparse.Namespace) -> int:
    inputs = load_all(options.results)
    if options.csv is not None:
        _emit(options.csv, export.to_csv(inputs))
        return 0
    for results in inputs:
        table = cells(results.rows)
        where = results.fact("gpu") or ", ".join(sorted(set(table["device"]))) or "nothing"
        print(
            f"{results.path}: {results.title}: {len(table)} cells in {len(results.rows)} rows, "
            f"{results.without_a_row}, {where}, "
            f"revision {results.fact('git_revision') or '(not known)'}"
        )
    table = cells(rows_of(inputs))
    if len(table):
        counts = table.groupby(["family", "type", "cache", "clock", "device"], sort=False)
        print(
            counts.agg(
                entries=("entry", "nunique"), sizes=("n", "nunique"), cells=("name", "size")
            ).to_string()
        )
    return 0


def _settings(options: argparse.Namespace) -> compare.Settings:
    return compare.Settings(
        options.threshold,
        options.alpha,
        options.seed,
        options.only,
        frozenset().union(*options.allow),
        options.accept_inconclusive,
    )


def _compare(options: argparse.Namespace) -> int:
    return _judge(options, load(options.base), load(options.new))


def _ab(options: argparse.Namespace) -> int:
    from analysis.ab import run_both

    _check_outputs(options)
    return _judge(
        options,
        *run_both((options.base, options.new), options.config, options.out, options.blocks, options.harness),
    )


def _check_outputs(options: argparse.Namespace) -> None:
    for path in (options.markdown, options.junit, options.json):
        if path is not None and str(path) != "-":
            files.check_writable(path)


def _judge(options: argparse.Namespace, base: Results, new: Results) -> int:
    _check_outputs(options)
    pair = (load(options.aa[0]), load(options.aa[1])) if options.aa else None
    comparison = compare.compare(base, new, _settings(options), pair)
    forms = (
        (options.markdown, compare_formats.markdown),
        (options.junit, compare_formats.junit),
        (options.json, compare_formats.as_json),
    )
    if not any(str(path) == "-" for path, _ in forms):
        print(compare_formats.terminal(comparison, options.everything), end="")
    for path, form in forms:
        if path is not None:
            _emit(path, form(comparison))
    return comparison.exit_code


def _figures(options: argparse.Namespace) -> int:
    inputs = load_all(options.results)
    files.make_folder(options.out)
    written = figures.draw_all(
        inputs, figures.plan(inputs, options.only or figures.KINDS, options.all), options.out
    )
    print(f"{len(written)} figures in {options.out} (each as .pdf, .png, .csv and most as .tex)")
    return 0


def _report(options: argparse.Namespace) -> int:
    from analysis.report import build

    files.check_writable(options.out)
    files.write_text(options.out, build(load_all(options.results)))
    print(options.out)
    return 0


def _export(options: argparse.Namespace) -> int:
    if options.out is not None:
        files.check_writable(options.out)
    _emit(options.out or Path("-"), export.FORMATS[options.to](load_all(options.results)))
    return 0


def _merge(options: argparse.Namespace) -> int:
    files.check_writable(options.out)
    inputs = [load(path) for path in options.results]
    merged = merge.merge(inputs, frozenset().union(*options.allow))
    files.write_text(options.out, json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
    print(f"{options.out}: {len(merged['benchmarks'])} rows of {len(merged['tally']['shards'])} shards")
    return 0


def _thin(options: argparse.Namespace) -> int:
    files.check_writable(options.out)
    files.write_text(options.out, thin.as_text(thin.thin(load(options.results), options.samples)))
    print(f"{options.out}: {options.out.stat().st_size / 2**20:.1f} MiB")
    return 0


def _readme(options: argparse.Namespace) -> int:
    texts = options.readme or [Path("README.md")]
    return max(tables.update(text, options.results, options.check) for text in texts)


def _emit(path: Path, text: str) -> None:
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        files.check_writable(path)
        files.write_text(path, text)


HANDLERS: dict[str, Command] = {
    "load": _load,
    "compare": _compare,
    "ab": _ab,
    "figures": _figures,
    "report": _report,
    "export": _export,
    "merge": _merge,
    "thin": _thin,
    "readme": _readme,
}

if __name__ == "__main__":
    sys.exit(main())
